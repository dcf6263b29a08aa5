//! Measures how much memory a browser's pages use.
use std::fs;

/// Returns the private memory, in bytes, of all renderers of the browser with this process id; 0 if unknown.
pub(super) fn of_renderers(browser: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|&id| session(id) == Some(browser) && is_renderer(id)).filter_map(own_bytes).sum()
}

/// Returns the POSIX session id of a process. All processes of a browser share one session.
fn session(id: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The program name before the parenthesis may itself contain spaces and parentheses.
    text.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}

fn is_renderer(id: u32) -> bool {
    let name = b"--type=renderer";
    fs::read(format!("/proc/{id}/cmdline"))
        .is_ok_and(|line| line.windows(name.len()).any(|part| part == name))
}

fn own_bytes(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    let mut pages = text.split_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (pages.next()?.ok()?, pages.next()?.ok()?);
    Some(resident.saturating_sub(shared) * rustix::param::page_size() as u64)
}
