//! Giving memory back. The allocator keeps what many clients or one large page needed, for as long as the process lives.
use parking_lot::Mutex;
use tokio::task::AbortHandle;
use tokio::time::{Duration, sleep};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(in crate::mcp) use glibc::{give_back, keep_little};

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(in crate::mcp) use others::{give_back, keep_little};

/// How long nothing has been called when memory is given back: who goes on at once would only fetch it again.
const REST: Duration = Duration::from_secs(2);

/// Gives memory back when nothing has been called for a moment.
#[derive(Debug, Default)]
pub(super) struct Rest {
    waiting: Mutex<Option<AbortHandle>>,
}

impl Rest {
    /// A call has ended: the moment begins anew.
    pub(super) fn on_call_ended(&self) {
        let later = tokio::spawn(async {
            sleep(REST).await;
            give_back();
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
    /// How much may lie free at the end of each thread's heap, in bytes.
    const FREE_AT_THE_END: libc::c_int = 256 * 1024;

    /// Has every thread's heap shrink as soon as more than a little is free at its end. The allocator's own limit rises
    /// to twice the largest block that was ever freed, and `give_back` does not reach these ends.
    /// See `M_TRIM_THRESHOLD` in <https://man7.org/linux/man-pages/man3/mallopt.3.html>.
    pub(in crate::mcp) fn keep_little() {
        // SAFETY: the limit is one word, which `mallopt` writes under the lock of the first heap.
        unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, FREE_AT_THE_END) };
    }

    /// Gives what is free back to the system.
    pub(in crate::mcp) fn give_back() {
        // SAFETY: `malloc_trim` may be called by any thread at any time.
        unsafe { libc::malloc_trim(0) };
    }
}

/// Other systems do this by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod others {
    pub(in crate::mcp) fn keep_little() {}

    pub(in crate::mcp) fn give_back() {}
}
