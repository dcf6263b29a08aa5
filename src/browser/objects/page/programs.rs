//! URLs for external programs, such as `mailto:`, that a page tries to open.
use super::{Page, PageState};

/// The URL schemes that the browser handles itself.
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
/// The maximum number of URLs that are kept until they are reported.
const MOST: usize = 5;

impl Page {
    /// Removes and returns the URLs for external programs that were not reported yet.
    pub fn take_external_protocol_urls(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.state.lock().programs_asked)
    }
}

impl PageState {
    /// Records a requested URL, if its scheme is one that an external program handles.
    pub(super) fn record_program_request(&mut self, url: &str) {
        let Some((scheme, _)) = url.split_once(':') else { return };
        let is_known = OWN.contains(&scheme.to_ascii_lowercase().as_str());
        if !is_known && self.programs_asked.len() < MOST && !self.programs_asked.iter().any(|at| at == url) {
            self.programs_asked.push(url.to_owned());
        }
    }
}
