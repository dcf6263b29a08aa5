//! Returns free memory to the operating system. The allocator would otherwise keep the peak memory of many
//! clients or of one large page.
use parking_lot::Mutex;
use tokio::task::AbortHandle;
use tokio::time::{Duration, sleep};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(in crate::mcp) use glibc::{release_memory, trim_heaps};

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(in crate::mcp) use others::{release_memory, trim_heaps};

/// How long after the last call ends memory is returned.
const REST: Duration = Duration::from_secs(2);

/// Returns free memory to the operating system when no call has run for a while.
#[derive(Debug, Default)]
pub(super) struct IdleTrim {
    waiting: Mutex<Option<AbortHandle>>,
}

impl IdleTrim {
    /// Restarts the waiting period, at the end of a call.
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
    /// The number of bytes that may stay free at the end of each thread's heap.
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

/// On other systems these functions do nothing: the allocator returns memory by itself.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod others {
    pub(in crate::mcp) fn trim_heaps() {}

    pub(in crate::mcp) fn release_memory() {}
}
