//! The cooldown: the time for which tools pause after nobody responded to a challenge.
//!
//! The state is shared by all clients of the process, by Rust and Python. The time stamp is wall-clock time:
//! it can be set from outside, survives a restart, and is shared with other processes of this machine.
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::thread::sleep;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::folders::make_private;
use crate::sync::unix_time;

/// The default length of the cooldown.
pub const DEFAULT_PERIOD: Duration = Duration::from_secs(300);
/// How long to wait while another process holds the lock of the state file.
const LONGEST_LOCK: Duration = Duration::from_millis(200);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Which tools pause during a cooldown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "mcp", derive(clap::ValueEnum))]
pub enum CooldownScope {
    /// All of them.
    #[default]
    All,
    /// Only the tools that can start a cooldown.
    Patchright,
}

/// An active cooldown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveCooldown {
    /// Whole seconds until the end. More than the period if the clock was set back.
    pub remaining_seconds: i64,
}

/// The result of [`Cooldown::start_if_inactive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CooldownStartResult {
    Now {
        period_seconds: i64,
    },
    /// A cooldown was active already; its start is unchanged.
    AlreadyActive(ActiveCooldown),
}

/// Returns the Unix time in seconds.
pub type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;
/// Receives warnings for the user.
pub type WarningHandler = Arc<dyn Fn(&str) + Send + Sync>;

/// The time of the last login timeout, and the cooldown that began then.
pub struct Cooldown {
    state: Mutex<State>,
}

struct State {
    since: Option<f64>,
    period: f64,
    clock: Clock,
    file: Option<StateFile>,
}

impl Default for Cooldown {
    fn default() -> Self {
        Self::new(Arc::new(wall_time))
    }
}

impl fmt::Debug for Cooldown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cooldown").finish_non_exhaustive()
    }
}

impl Cooldown {
    /// Creates a cooldown that is independent of the process-wide one.
    pub fn new(clock: Clock) -> Self {
        let state = State { since: None, period: DEFAULT_PERIOD.as_secs_f64(), clock, file: None };
        Self { state: Mutex::new(state) }
    }

    /// The process-wide cooldown.
    pub fn process_wide() -> &'static Arc<Self> {
        static COOLDOWN: LazyLock<Arc<Cooldown>> = LazyLock::new(Arc::default);
        &COOLDOWN
    }

    /// Creates an independent cooldown of the same length for one owner. Its state file is in the subfolder
    /// named `owner`.
    #[must_use]
    pub fn for_owner(&self, owner: &str) -> Self {
        let state = self.state.lock();
        let file = state.file.as_ref().map(|file| {
            let folder = file.path.parent().unwrap_or(Path::new(".")).join(owner);
            StateFile::new(&folder, Arc::clone(&file.warn))
        });
        let state = State { since: None, period: state.period, clock: Arc::clone(&state.clock), file };
        Self { state: Mutex::new(state) }
    }

    /// Stores the time stamp in `folder`, for other processes and the next start. Reports a problem with the
    /// file once to `warn`, and then keeps the state in memory only.
    pub fn store_in(&self, folder: &Path, warn: WarningHandler) {
        self.state.lock().file = Some(StateFile::new(folder, warn));
    }

    /// Replaces the clock.
    pub fn set_clock(&self, clock: Clock) {
        self.state.lock().clock = clock;
    }

    /// The length of a cooldown in seconds.
    pub fn period(&self) -> f64 {
        self.state.lock().period
    }

    pub fn set_period(&self, seconds: f64) {
        self.state.lock().period = seconds;
    }

    /// The Unix time of the last login timeout in seconds. `None` if no cooldown is active.
    pub fn started_at(&self) -> Option<f64> {
        self.state.lock().read()
    }

    /// Sets the Unix time of the last login timeout in seconds. `None` ends the cooldown.
    pub fn set_started_at(&self, since: Option<f64>) {
        self.state.lock().write(since);
    }

    /// Returns the active cooldown; `None` if there is none. Clears an expired one.
    pub fn check(&self) -> Option<ActiveCooldown> {
        let now = self.now();
        self.state.lock().check(now)
    }

    /// Starts a cooldown now, even if one is active. Returns its length in seconds.
    pub fn restart(&self) -> i64 {
        let now = self.now();
        let mut state = self.state.lock();
        state.write(Some(now));
        whole(state.period)
    }

    /// Starts a cooldown unless one is active.
    pub fn start_if_inactive(&self) -> CooldownStartResult {
        let now = self.now();
        let mut state = self.state.lock();
        // The lock keeps other processes from starting a cooldown between this check and this write.
        let lock = state.file.as_mut().and_then(StateFile::lock);
        if let Some(cooling) = state.check(now) {
            return CooldownStartResult::AlreadyActive(cooling);
        }
        state.write_locked(Some(now));
        drop(lock);
        CooldownStartResult::Now { period_seconds: whole(state.period) }
    }

    /// Reads the clock without holding the lock: the clock may be a callback that uses this cooldown.
    fn now(&self) -> f64 {
        let clock = Arc::clone(&self.state.lock().clock);
        clock()
    }
}

impl State {
    fn check(&mut self, now: f64) -> Option<ActiveCooldown> {
        let elapsed = now - self.read()?;
        // Negative if the time stamp is in the future; then more than the period remains.
        if elapsed < self.period {
            return Some(ActiveCooldown { remaining_seconds: whole(self.period - elapsed) });
        }
        self.write(None);
        None
    }

    fn read(&mut self) -> Option<f64> {
        if let Some(file) = &mut self.file
            && let Some(since) = file.read()
        {
            self.since = since;
        }
        self.since
    }

    fn write(&mut self, since: Option<f64>) {
        let lock = self.file.as_mut().and_then(StateFile::lock);
        self.write_locked(since);
        drop(lock);
    }

    fn write_locked(&mut self, since: Option<f64>) {
        self.since = since;
        if let Some(file) = &mut self.file {
            file.write(since);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "as Python's int() does, except that it ends where i64 does"
)]
fn whole(seconds: f64) -> i64 {
    seconds as i64
}

fn wall_time() -> f64 {
    unix_time().as_secs_f64()
}

/// The file with the time stamp. It is replaced atomically, so readers need no lock; writers take turns.
struct StateFile {
    path: PathBuf,
    lock: PathBuf,
    warn: WarningHandler,
    warned: bool,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    since: Option<f64>,
}

impl StateFile {
    fn new(folder: &Path, warn: WarningHandler) -> Self {
        Self { path: folder.join("cooldown.json"), lock: folder.join("cooldown.lock"), warn, warned: false }
    }

    /// Reads the time stamp: `Some(None)` if none is stored, `None` if the file cannot be read.
    #[expect(
        clippy::option_option,
        reason = "that nothing is known is not the same as that nobody is waited for"
    )]
    fn read(&mut self) -> Option<Option<f64>> {
        match fs::read(&self.path) {
            Ok(text) => match serde_json::from_slice::<Kept>(&text) {
                Ok(kept) => Some(kept.since),
                Err(error) => {
                    self.report(&error);
                    None
                }
            },
            // No process has written the file yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.report(&error);
                None
            }
        }
    }

    fn write(&mut self, since: Option<f64>) {
        if let Err(error) = self.replace(since) {
            self.report(&error);
        }
    }

    fn replace(&self, since: Option<f64>) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        fresh.write_all(&serde_json::to_vec(&Kept { since })?)?;
        fresh.persist(&self.path)?;
        Ok(())
    }

    /// Locks the state against other processes. Returns `None` if that takes longer than [`LONGEST_LOCK`].
    fn lock(&mut self) -> Option<File> {
        let open = || -> io::Result<File> {
            make_private(self.lock.parent().unwrap_or(Path::new(".")))?;
            let mut options = File::options();
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.create(true).append(true).open(&self.lock)
        };
        let file = match open() {
            Ok(file) => file,
            Err(error) => {
                self.report(&error);
                return None;
            }
        };
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(TryLockError::WouldBlock) if waited < LONGEST_LOCK => {
                    sleep(LOCK_PAUSE);
                    waited += LOCK_PAUSE;
                }
                Err(error) => {
                    self.report(&error);
                    return None;
                }
            }
        }
    }

    fn report(&mut self, error: &dyn fmt::Display) {
        if !std::mem::replace(&mut self.warned, true) {
            let path = self.path.display();
            (self.warn)(&format!("the cooldown is not shared with other processes: {path}: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use proptest::prelude::*;

    use super::*;

    /// A clock that tests set by hand.
    #[derive(Clone, Default)]
    struct Hand(Arc<AtomicU64>);

    impl Hand {
        fn at(now: f64) -> Self {
            Self(Arc::new(now.to_bits().into()))
        }

        fn put(&self, now: f64) {
            self.0.store(now.to_bits(), Ordering::Relaxed);
        }

        fn cooldown(&self) -> Cooldown {
            let hand = self.clone();
            Cooldown::new(Arc::new(move || f64::from_bits(hand.0.load(Ordering::Relaxed))))
        }
    }

    const NOW: f64 = 1_770_000_000.0;

    proptest! {
        /// Feature: patchright-login-cooldown, Property 3: Timestamp Recording
        #[test]
        fn recording_stamps_the_current_time(now in 0.0..4e9, before in prop::option::of(0.0..4e9)) {
            let cooldown = Hand::at(now).cooldown();
            cooldown.set_started_at(before);
            cooldown.restart();
            prop_assert!((cooldown.started_at().unwrap() - now).abs() < 1.0);
        }

        /// Feature: patchright-login-cooldown, Property 4: Cooldown Message During Active Cooldown
        #[test]
        fn within_the_period_the_pause_goes_on(period in 1.0..10_000.0, part in 0.0..0.999) {
            let cooldown = Hand::at(NOW).cooldown();
            cooldown.set_period(period);
            cooldown.set_started_at(Some(NOW - period * part));
            prop_assert!(cooldown.check().is_some());
            prop_assert!(cooldown.started_at().is_some());
        }

        /// Feature: patchright-login-cooldown, Property 5: Cooldown Reset After Expiry
        #[test]
        fn after_the_period_the_stamp_is_gone(period in 0.0..10_000.0, late in 0.001..1e9) {
            let cooldown = Hand::at(NOW).cooldown();
            cooldown.set_period(period);
            cooldown.set_started_at(Some(NOW - period - late));
            prop_assert_eq!(cooldown.check(), None);
            prop_assert_eq!(cooldown.started_at(), None);
        }

        /// Feature: patchright-login-cooldown, Property 6: Remaining Time Accuracy
        #[test]
        fn the_rest_is_reported_within_a_second(period in 1.0..10_000.0, elapsed in -10_000.0..10_000.0) {
            prop_assume!(elapsed < period);
            let cooldown = Hand::at(NOW).cooldown();
            cooldown.set_period(period);
            cooldown.set_started_at(Some(NOW - elapsed));
            let remaining = cooldown.check().unwrap().remaining_seconds;
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let difference = (period - elapsed) - remaining as f64;
            prop_assert!((0.0..1.001).contains(&difference), "{difference}");
        }

        /// Feature: patchright-login-cooldown, Property 7: Normal Operation After Reset
        #[test]
        fn without_a_stamp_nothing_pauses(now in 0.0..4e9, period in 0.0..10_000.0) {
            let cooldown = Hand::at(now).cooldown();
            cooldown.set_period(period);
            prop_assert_eq!(cooldown.check(), None);
            prop_assert_eq!(cooldown.started_at(), None);
        }
    }

    #[test]
    fn exactly_the_period_is_over() {
        let cooldown = Hand::at(NOW).cooldown();
        cooldown.set_started_at(Some(NOW - 300.0));
        assert_eq!(cooldown.check(), None);
        assert_eq!(cooldown.started_at(), None);
    }

    #[test]
    fn a_stamp_in_the_future_pauses_and_its_rest_is_reported_as_it_is() {
        let cooldown = Hand::at(NOW).cooldown();
        cooldown.set_started_at(Some(NOW + 100.0));
        assert_eq!(cooldown.check(), Some(ActiveCooldown { remaining_seconds: 400 }));
    }

    #[test]
    fn what_ends_during_a_pause_does_not_move_its_start() {
        let hand = Hand::at(NOW);
        let cooldown = hand.cooldown();
        assert_eq!(cooldown.start_if_inactive(), CooldownStartResult::Now { period_seconds: 300 });
        hand.put(NOW + 100.0);
        assert_eq!(
            cooldown.start_if_inactive(),
            CooldownStartResult::AlreadyActive(ActiveCooldown { remaining_seconds: 200 })
        );
        assert_eq!(cooldown.started_at(), Some(NOW));
    }

    #[test]
    fn of_many_that_begin_at_once_one_does() {
        let cooldown = Cooldown::default();
        let begun = std::thread::scope(|scope| {
            let threads = (0..8).map(|_| scope.spawn(|| cooldown.start_if_inactive())).collect::<Vec<_>>();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(
            begun.iter().filter(|begun| matches!(begun, CooldownStartResult::Now { .. })).count(),
            1,
            "{begun:?}"
        );
    }

    /// Returns a cooldown that is stored in `folder`, and the list of its warnings.
    fn kept(hand: &Hand, folder: &Path) -> (Cooldown, Arc<Mutex<Vec<String>>>) {
        let warnings = Arc::<Mutex<Vec<String>>>::default();
        let received = Arc::clone(&warnings);
        let cooldown = hand.cooldown();
        cooldown.store_in(folder, Arc::new(move |warning| received.lock().push(warning.to_owned())));
        (cooldown, warnings)
    }

    #[test]
    fn processes_that_share_a_folder_share_the_pause_and_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let hand = Hand::at(NOW);
        let (one, warnings) = kept(&hand, &folder.path().join("made/when/needed"));
        let (other, _) = kept(&hand, &folder.path().join("made/when/needed"));
        assert_eq!(other.check(), None);
        one.start_if_inactive();
        assert_eq!(other.check(), Some(ActiveCooldown { remaining_seconds: 300 }));
        assert!(matches!(other.start_if_inactive(), CooldownStartResult::AlreadyActive(_)));
        hand.put(NOW + 301.0);
        assert_eq!(other.check(), None);
        assert_eq!(one.started_at(), None, "the end is shared as well");
        assert!(warnings.lock().is_empty(), "{:?}", warnings.lock());
    }

    #[test]
    fn a_broken_file_is_a_warning_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cooldown.json"), "{\"since\": \"yesterday\"").unwrap();
        let (cooldown, warnings) = kept(&Hand::at(NOW), folder.path());
        assert_eq!(cooldown.check(), None);
        assert_eq!(cooldown.check(), None);
        assert_eq!(warnings.lock().len(), 1, "{:?}", warnings.lock());
        cooldown.start_if_inactive();
        assert!(cooldown.check().is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_is_a_warning_and_no_more() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (cooldown, warnings) = kept(&Hand::at(NOW), &file.path().join("below a file"));
        cooldown.start_if_inactive();
        assert!(cooldown.check().is_some());
        assert_eq!(warnings.lock().len(), 1, "{:?}", warnings.lock());
    }
}
