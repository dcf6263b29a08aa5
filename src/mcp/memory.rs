//! Releases free memory to the system. The allocator otherwise keeps what many clients or one large page
//! needed.
use parking_lot::Mutex;
use tokio::task::AbortHandle;
use tokio::time::{Duration, sleep};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(in crate::mcp) use glibc::{release_memory, trim_heaps};

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(in crate::mcp) use others::{release_memory, trim_heaps};

/// How long after the end of the last call memory is released.
const REST: Duration = Duration::from_secs(2);

/// Releases memory after a period without calls.
#[derive(Debug, Default)]
pub(super) struct IdleTrim {
    waiting: Mutex<Option<AbortHandle>>,
}

impl IdleTrim {
    /// Starts the period again at the end of a call.
    pub(super) fn on_call_ended(&self) {
        let later = tokio::spawn(async {
            sleep(REST).await;
            release_memory();
        });
        let earlier = self.waiting.lock().replace(later.abort_handle());
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator has no safe name; the calls touch nothing that is in use")]
mod glibc {
    /// How many bytes may be free at the end of each thread's heap.
    const FREE_AT_THE_END: libc::c_int = 256 * 1024;

    /// Makes the allocator trim each thread's heap. Otherwise its threshold rises to twice the largest freed
    /// block, and `release_memory` does not reach the ends of these heaps. See `M_TRIM_THRESHOLD` in
    /// <https://man7.org/linux/man-pages/man3/mallopt.3.html>.
    pub(in crate::mcp) fn trim_heaps() {
        // SAFETY: the limit is one word, which `mallopt` writes under the lock of the first heap.
        unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, FREE_AT_THE_END) };
    }

    pub(in crate::mcp) fn release_memory() {
        // SAFETY: `malloc_trim` may be called by any thread at any time.
        unsafe { libc::malloc_trim(0) };
    }
}

/// Other systems release memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod others {
    pub(in crate::mcp) fn trim_heaps() {}

    pub(in crate::mcp) fn release_memory() {}
}
