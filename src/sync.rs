//! Locks, counters, tasks and timers for code whose concurrency is tested.
//!
//! In unit tests these types come from shuttle, which runs one task at a time and can switch tasks at each of their
//! operations, so that a test covers thousands of interleavings. shuttle does not switch tasks within tokio's own
//! channels and locks. `make orders` covers more interleavings than `cargo test`.
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[cfg(not(test))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64};
#[cfg(not(test))]
pub(crate) use tokio::spawn;
#[cfg(not(test))]
pub(crate) use tokio::time::{Sleep, sleep_until};

/// Returns the time since the Unix epoch by the system clock.
pub(crate) fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the Unix time in milliseconds.
pub(crate) fn unix_time_ms() -> f64 {
    unix_time().as_secs_f64() * 1000.0
}

/// A clock that reads the system clock once and then advances monotonically: later changes of the system
/// clock have no effect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SteadyClock {
    read: Instant,
    unix_time: Duration,
}

impl SteadyClock {
    pub(crate) fn read() -> Self {
        Self { read: Instant::now(), unix_time: unix_time() }
    }

    /// Returns the Unix time by this clock.
    pub(crate) fn unix_time(&self) -> Duration {
        self.unix_time + self.read.elapsed()
    }
}

/// The current time; simulated in unit tests.
#[cfg(not(test))]
pub(crate) fn now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

#[cfg(test)]
pub(crate) use orders::{Mutex, Sleep, advance, in_many_orders, now, sleep_until};
#[cfg(test)]
pub(crate) use shuttle::future::spawn;
#[cfg(test)]
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64};

#[cfg(test)]
mod orders {
    use std::cell::Cell;
    use std::pin::Pin;
    use std::sync::PoisonError;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use shuttle::rand::Rng as _;
    use tokio::time::Instant;

    thread_local! {
        static PASSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(inner: T) -> Self {
            Self(shuttle::sync::Mutex::new(inner))
        }

        pub(crate) fn lock(&self) -> shuttle::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// Returns the simulated time: the real time plus all calls of [`advance`].
    pub(crate) fn now() -> Instant {
        Instant::now() + PASSED.get()
    }

    pub(crate) fn advance(by: Duration) {
        PASSED.set(PASSED.get() + by);
    }

    /// A simulated timer: ends at a random poll, or, to detect endless waits, never if over 20 s away.
    #[derive(Debug)]
    pub(crate) struct Sleep {
        never: bool,
    }

    pub(crate) fn sleep_until(end: Instant) -> Sleep {
        const FAR_OFF: Duration = Duration::from_secs(20);
        Sleep { never: end.saturating_duration_since(Instant::now()) > FAR_OFF }
    }

    impl Future for Sleep {
        type Output = ();

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if self.never {
                return Poll::Pending;
            }
            if shuttle::rand::thread_rng().gen_ratio(1, 4) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }

    /// Runs a test under many task interleavings: random ones, and some with a few task switches at critical
    /// points. The environment variable `ORDERS` sets the number of each. Default: 1000.
    pub(crate) fn in_many_orders(test: impl Fn() + Send + Sync + Copy + 'static) {
        const CHANGES: usize = 3;
        let orders = std::env::var("ORDERS").ok().and_then(|orders| orders.parse().ok()).unwrap_or(1_000);
        let test = move || {
            PASSED.set(Duration::ZERO);
            test();
        };
        shuttle::check_random(test, orders);
        shuttle::check_pct(test, orders, CHANGES);
    }
}
