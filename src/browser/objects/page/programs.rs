//! External programs that a page asks to open.
use super::{Page, PageState};

/// The URL schemes that the browser opens itself.
const OWN: [&str; 13] = [
    "about",
    "blob",
    "chrome",
    "chrome-error",
    "chrome-extension",
    "chrome-untrusted",
    "data",
    "devtools",
    "file",
    "filesystem",
    "http",
    "https",
    "javascript",
];
/// The most URLs that are remembered until they are reported.
const MOST: usize = 5;

impl Page {
    /// Takes the URLs for external programs that were not reported yet.
    pub fn take_external_program_urls(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.state.lock().programs_asked)
    }
}

impl PageState {
    /// Records a requested URL, if its scheme belongs to an external program.
    pub(super) fn record_program_request(&mut self, url: &str) {
        let Some((scheme, _)) = url.split_once(':') else { return };
        let is_known = OWN.contains(&scheme.to_ascii_lowercase().as_str());
        if !is_known && self.programs_asked.len() < MOST && !self.programs_asked.iter().any(|at| at == url) {
            self.programs_asked.push(url.to_owned());
        }
    }
}
