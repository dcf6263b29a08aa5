//! Profile folders. Temporary ones must be removed; permanent ones allow only one browser at a time.
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, geteuid, kill_process_group, test_kill_process};

const PREFIX: &str = "patchright-mcp-";
/// The name of the symbolic link in the profile to the browser's Unix socket.
const SOCKET: &str = "SingletonSocket";
const COOKIE: &str = "SingletonCookie";
const LOCK: &str = "lock";
const PROFILE: &str = "profile";
const SCRATCH: &str = "tmp";

/// The temporary folders of this process, each with the leader of the process group that uses the folder.
static FOLDERS: Mutex<BTreeMap<PathBuf, Option<Pid>>> = Mutex::new(BTreeMap::new());

/// A temporary folder with a lock file. This process and its browser, which inherits the lock, hold it while
/// they run. Process ids would not suffice: they are reused and differ between containers.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Creates a folder in `parent` that only this user can access, and locks it.
    pub(crate) fn make(parent: &Path) -> io::Result<Self> {
        loop {
            let path = parent.join(format!("{PREFIX}{}-{}", std::process::id(), random()?));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            let lock = File::create_new(path.join(LOCK))?;
            // Another process that runs `sweep` may already have locked or removed the new folder as stale.
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err()
                || lock.metadata()?.nlink() == 0
            {
                continue;
            }
            let folder = Self { path, lock };
            FOLDERS.lock().insert(folder.path.clone(), None);
            for part in [PROFILE, SCRATCH] {
                DirBuilder::new().mode(0o700).create(folder.path.join(part))?;
            }
            return Ok(folder);
        }
    }

    pub(super) fn profile(&self) -> PathBuf {
        self.path.join(PROFILE)
    }

    /// Returns the folder for the browser's temporary files.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.path.join(SCRATCH)
    }

    /// Returns the subfolders that the browser writes into: profile and temporary files.
    pub(super) fn files(&self) -> [PathBuf; 2] {
        [self.profile(), self.scratch()]
    }

    /// Starts the process that uses this folder, so that [`remove_all`] kills it. Fails after [`remove_all`].
    pub(crate) fn start<T>(
        &self,
        spawn: impl FnOnce() -> io::Result<T>,
        leader: impl FnOnce(&T) -> Option<Pid>,
    ) -> io::Result<T> {
        let mut made = FOLDERS.lock();
        let Some(used) = made.get_mut(&self.path) else {
            return Err(io::Error::other("its folder has been removed: this process ends"));
        };
        let started = spawn()?;
        *used = leader(&started);
        Ok(started)
    }

    /// Records that the processes that use the folder have ended.
    pub(crate) fn release(&self) {
        if let Some(used) = FOLDERS.lock().get_mut(&self.path) {
            *used = None;
        }
    }

    /// Returns the lock. Every process with a copy of this descriptor holds it.
    pub(super) fn lock(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A process that is being killed may still create files, so removal may fail at first.
        for _ in 0..5 {
            if remove(&self.path).is_ok() {
                FOLDERS.lock().remove(&self.path);
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        tracing::debug!("a temporary profile could not be removed; the next start tries again");
    }
}

/// Kills all browsers of this process and removes their temporary folders. Called right before exit.
pub(super) fn remove_all() {
    const LIMIT: Duration = Duration::from_secs(1);
    let made = std::mem::take(&mut *FOLDERS.lock());
    for leader in made.values().flatten() {
        let _ = kill_process_group(*leader, Signal::KILL);
    }
    let end = Instant::now() + LIMIT;
    for folder in made.keys() {
        while remove(folder).is_err() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Removes a subfolder whose processes are about to end. A later removal deletes what they still write.
pub(super) fn clear(folder: PathBuf) {
    remove_socket(&folder);
    let _ = fs::remove_dir_all(folder);
}

/// Removes the folder. The lock file goes last, so that an interrupted removal can be resumed.
fn remove(folder: &Path) -> io::Result<()> {
    remove_socket(&folder.join(PROFILE));
    for part in [PROFILE, SCRATCH] {
        gone(fs::remove_dir_all(folder.join(part)))?;
    }
    gone(fs::remove_file(folder.join(LOCK)))?;
    gone(fs::remove_dir(folder))
}

/// Removes a killed browser's socket, which is outside our folder if the path is too long for a socket.
fn remove_socket(profile: &Path) {
    let Ok(socket) = fs::read_link(profile.join(SOCKET)) else { return };
    let Some(folder) = socket.parent() else { return };
    for name in [SOCKET, COOKIE] {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes the temporary folders in `parent` that no running process has locked. Returns their number.
pub(crate) fn sweep(parent: &Path) -> usize {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries
        .filter(|entry| is_ours(&entry.file_name().to_string_lossy()) && sweep_one(&entry.path()).is_some())
        .count()
}

/// Removes the socket folders of killed browsers in `parent`, and returns how many were removed. A browser
/// has one if the path of its profile is too long for a Unix socket.
pub(super) fn sweep_sockets(parent: &Path) -> usize {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let of_browsers = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        SOCKET_FOLDERS.iter().any(|prefix| name.starts_with(prefix))
    };
    entries.filter(of_browsers).filter(|entry| sweep_socket(&entry.path()).is_some()).count()
}

const SOCKET_FOLDERS: [&str; 2] = ["org.chromium.Chromium.", "com.google.Chrome."];

/// Whether a folder was last changed at least 60 s ago, so that no process can still be creating it.
fn is_old(metadata: &fs::Metadata) -> bool {
    const LEAST_AGE: Duration = Duration::from_secs(60);
    metadata.modified().is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= LEAST_AGE))
}

/// Removes a socket folder if no browser listens on its socket and it contains nothing else.
fn sweep_socket(folder: &Path) -> Option<()> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    // A browser that is just starting does not listen yet.
    if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() || !is_old(&metadata) {
        return None;
    }
    match UnixStream::connect(folder.join(SOCKET)) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
        _ => return None,
    }
    for name in [SOCKET, COOKIE] {
        gone(fs::remove_file(folder.join(name))).ok()?;
    }
    fs::remove_dir(folder).ok()
}

fn sweep_one(folder: &Path) -> Option<()> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
        return None;
    }
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = open(folder, flags | OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()).ok()?;
    match openat(&opened, LOCK, flags | OFlags::RDWR, Mode::empty()) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?,
        // A folder without a lock is being created, is not ours, or was written to after the lock's removal.
        Err(Errno::NOENT) if is_old(&metadata) && has_only_our_parts(folder) => {}
        Err(_) => return None,
    }
    remove(folder).ok()
}

fn has_only_our_parts(folder: &Path) -> bool {
    let is_ours = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| [PROFILE, SCRATCH].iter().any(|part| entry.file_name() == *part))
    };
    fs::read_dir(folder).is_ok_and(|entries| entries.into_iter().all(is_ours))
}

/// Whether a name has the form `patchright-mcp-<process id>-<random>`.
fn is_ours(name: &str) -> bool {
    let Some((pid, random)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')) else {
        return false;
    };
    !pid.is_empty()
        && pid.bytes().all(|byte| byte.is_ascii_digit())
        && random.len() == RANDOM_LENGTH
        && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}

const RANDOM_LENGTH: usize = 8;

fn random() -> io::Result<String> {
    let mut bytes = [0; RANDOM_LENGTH / 2];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:08x}", u32::from_ne_bytes(bytes)))
}

/// Locks a profile while a browser starts; `None` if another process has the lock. Drop the file to unlock.
pub(super) fn lock_for_start(profile: &Path) -> io::Result<Option<File>> {
    let folder = File::open(profile)?;
    Ok(flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(folder))
}

/// Describes the process that uses a profile, according to `SingletonLock`, a symbolic link to `host-pid`.
pub(super) fn profile_holder(profile: &Path) -> Option<String> {
    let lock = fs::read_link(profile.join("SingletonLock")).ok()?;
    let (host, pid) = lock.to_str()?.rsplit_once('-')?;
    let pid: i32 = pid.parse().ok()?;
    if host != rustix::system::uname().nodename().to_string_lossy() {
        return Some(format!(
            "process {pid} on another computer, {host} (if that is no more, delete SingletonLock in the profile)"
        ));
    }
    // A running browser listens on its socket. A new browser takes over the lock of a dead browser.
    let alive = Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok());
    let listens = UnixStream::connect(profile.join(SOCKET)).is_ok();
    (alive && listens).then(|| format!("process {pid}{}", name_of(pid)))
}

fn name_of(pid: i32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    if name.is_empty() { name } else { format!(" ({})", name.trim()) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a temporary folder in the state in which a killed process leaves it.
    fn stale(parent: &Path, name: &str) -> PathBuf {
        let folder = parent.join(name);
        fs::create_dir_all(folder.join("profile/Default")).unwrap();
        fs::write(folder.join(LOCK), "").unwrap();
        folder
    }

    #[test]
    fn what_a_dead_process_left_is_removed_but_not_what_links_in_it_lead_to() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = stale(parent.path(), "patchright-mcp-1-000000aa");
        fs::write(elsewhere.path().join("file"), "").unwrap();
        symlink(elsewhere.path(), folder.join("profile/Default/link")).unwrap();
        assert_eq!(sweep(parent.path()), 1);
        assert!(!folder.exists() && elsewhere.path().join("file").exists());
    }

    #[test]
    fn where_a_killed_browser_listened_is_removed_and_where_one_listens_stays() {
        use std::os::unix::net::UnixListener;
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str, age: u64| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            symlink("123", folder.join(COOKIE)).unwrap();
            let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
            let changed = std::time::SystemTime::now() - Duration::from_secs(age);
            File::open(&folder).unwrap().set_modified(changed).unwrap();
            (folder, listener)
        };
        let (dead, listener) = folder("org.chromium.Chromium.dead00", 120);
        drop(listener);
        let (fresh, listener) = folder("org.chromium.Chromium.fresh0", 0);
        drop(listener);
        let (live, _listener) = folder("com.google.Chrome.live00", 120);
        let (other, listener) = folder("org.example.other", 120);
        drop(listener);
        assert_eq!(sweep_sockets(parent.path()), 1);
        assert!(!dead.exists());
        assert!([fresh, live, other].iter().all(|folder| folder.exists()));
    }

    #[test]
    fn what_is_in_use_stays_until_its_owner_lets_go() {
        let parent = tempfile::tempdir().unwrap();
        let live = Folder::make(parent.path()).unwrap();
        assert_eq!(sweep(parent.path()), 0);
        assert!(live.profile().exists() && live.scratch().exists());
        drop(live);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_is_for_its_owner_only() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::make(parent.path()).unwrap();
        assert_eq!(fs::metadata(&folder.path).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn what_a_browser_wrote_after_the_lock_had_gone_is_removed_once_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str, part: &str, age: u64| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join(part)).unwrap();
            let changed = std::time::SystemTime::now() - Duration::from_secs(age);
            File::open(&folder).unwrap().set_modified(changed).unwrap();
            folder
        };
        let old = folder("patchright-mcp-1-000000aa", "tmp/crashes", 120);
        let fresh = folder("patchright-mcp-1-000000bb", "tmp/crashes", 0);
        let other = folder("patchright-mcp-1-000000cc", "profile/Default", 0);
        fs::write(other.join("notes"), "").unwrap();
        File::open(&other).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(sweep(parent.path()), 1);
        assert!(!old.exists() && fresh.exists() && other.join("profile/Default").exists());
    }

    #[test]
    fn nothing_is_started_in_a_folder_that_is_gone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::make(parent.path()).unwrap();
        folder.start(|| Ok(()), |()| None).unwrap();
        // As `remove_all` does, which would also remove the folders of the other tests.
        FOLDERS.lock().remove(&folder.path);
        remove(&folder.path).unwrap();
        let refused = folder.start(|| -> io::Result<()> { panic!("it was started") }, |()| None);
        assert!(refused.unwrap_err().to_string().contains("this process ends"));
    }

    #[test]
    fn what_is_not_ours_stays() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["patchright-mcp-notes", "patchright-mcp-1-cafe", "patchright-mcp--000000aa", "other"] {
            stale(parent.path(), name);
        }
        let target = stale(elsewhere.path(), "target");
        symlink(&target, parent.path().join("patchright-mcp-1-000000bb")).unwrap();
        // A folder that is just being created has no lock yet.
        fs::create_dir(parent.path().join("patchright-mcp-1-000000cc")).unwrap();
        assert_eq!(sweep(parent.path()), 0);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 6);
        assert!(target.join("profile/Default").exists());
    }

    #[test]
    fn the_folder_of_another_user_stays() {
        if !geteuid().is_root() {
            return; // Only root can give a folder away.
        }
        let parent = tempfile::tempdir().unwrap();
        let folder = stale(parent.path(), "patchright-mcp-1-000000aa");
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        assert_eq!(sweep(parent.path()), 0);
    }
}
