//! The title of a page.
use super::Page;

impl Page {
    /// Returns the document's title. Empty while a dialog is open, or if the page does not answer within 2 s.
    pub async fn title(&self) -> String {
        if let Some(discarded) = self.discarded() {
            return discarded.title;
        }
        if self.dialog().is_some() || self.is_crashed() {
            return String::new();
        }
        let title = self.main_frame().title().await;
        if !title.is_empty() {
            *self.inner.cached_title.lock() = (self.url(), title.clone());
        }
        title
    }

    /// Returns the last known title without asking the page. Empty if the URL has changed since.
    pub fn cached_title(&self) -> String {
        let (url, title) = self.inner.cached_title.lock().clone();
        if self.url() == url { title } else { String::new() }
    }
}
