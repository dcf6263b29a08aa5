//! Locks, counters, tasks and timers of the code whose order of doing things is tested.
//!
//! In unit tests they are shuttle's, which runs one task at a time and changes tasks at each of them: so a test sees the
//! same code in thousands of orders, of which a machine takes a few. What tokio itself is made of (its channels, its lock)
//! is taken as one step. `make orders` tries for long.
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[cfg(not(test))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64};
#[cfg(not(test))]
pub(crate) use tokio::spawn;
#[cfg(not(test))]
pub(crate) use tokio::time::{Sleep, sleep_until};

/// The time since the beginning of 1970, by the clock of the machine.
pub(crate) fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The same in milliseconds.
pub(crate) fn unix_time_ms() -> f64 {
    unix_time().as_secs_f64() * 1000.0
}

/// The time of the machine's clock as it went on since it was read: whoever sets the clock meanwhile changes nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SteadyClock {
    read: Instant,
    unix_time: Duration,
}

impl SteadyClock {
    pub(crate) fn read() -> Self {
        Self { read: Instant::now(), unix_time: unix_time() }
    }

    /// Like [`unix_time`].
    pub(crate) fn unix_time(&self) -> Duration {
        self.unix_time + self.read.elapsed()
    }
}

/// What time it is.
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

    /// The time that a test lets pass, and next to no other.
    pub(crate) fn now() -> Instant {
        Instant::now() + PASSED.get()
    }

    pub(crate) fn advance(by: Duration) {
        PASSED.set(PASSED.get() + by);
    }

    /// A deadline that may come at any moment; one that is far off never comes, so that what waits in vain is seen to.
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

    /// Runs a test in many orders: some at random, some that change tasks where it hurts. `ORDERS` says in how many.
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
