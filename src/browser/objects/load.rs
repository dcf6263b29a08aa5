//! Measures how much other processes slow this machine down.
use std::time::{Duration, Instant};

/// How long one measurement of the load computes: longer than a time slice, so that it has to wait for the CPU.
const SAMPLE: Duration = Duration::from_millis(20);
/// The largest factor that `slowdown` returns.
const MOST: f64 = 10.0;

/// Returns the factor by which computing takes longer now than on an idle machine: from 1 to 10.
///
/// Sources: `clock_gettime(2)`, `CLOCK_THREAD_CPUTIME_ID`.
pub(super) async fn slowdown() -> f64 {
    tokio::task::spawn_blocking(measured).await.unwrap_or(1.0)
}

#[cfg(unix)]
fn measured() -> f64 {
    let computed = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap_or_default()
    };
    let (begun, before) = (Instant::now(), computed());
    loop {
        let done = computed().saturating_sub(before);
        if done >= SAMPLE {
            return begun.elapsed().div_duration_f64(done).clamp(1.0, MOST);
        }
        if begun.elapsed() >= SAMPLE.mul_f64(MOST) {
            return MOST;
        }
        std::hint::spin_loop();
    }
}

#[cfg(not(unix))]
fn measured() -> f64 {
    1.0
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::measured;

    #[test]
    fn who_shares_the_machine_with_many_takes_longer() {
        let over = AtomicBool::new(false);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = std::thread::scope(|scope| {
            for _ in 0..8 * cores {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let worst = (0..5).map(|_| measured()).fold(1.0, f64::max);
            over.store(true, Ordering::Relaxed);
            worst
        });
        assert!(shared > 2.0, "one of many took {shared} times as long");
    }
}
