//! Giving memory back. The allocator keeps what many clients needed at once, for as long as the process lives.

/// Gives what is free back to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator has no safe name; the call touches nothing that is in use")]
pub(super) fn give_back() {
    // SAFETY: `malloc_trim` may be called by any thread at any time.
    unsafe { libc::malloc_trim(0) };
}

/// Other systems do this by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
