//! What a page calls itself.
use super::Page;

impl Page {
    /// Empty while a dialog is open, and when the page does not answer soon.
    pub async fn title(&self) -> String {
        if let Some(discarded) = self.discarded() {
            return discarded.title;
        }
        if self.dialog().is_some() || self.is_crashed() {
            return String::new();
        }
        let title = self.main_frame().title().await;
        if !title.is_empty() {
            *self.inner.known_title.lock() = (self.url(), title.clone());
        }
        title
    }

    /// The title that the page reported last, or that the browser had for the tab when we found it; empty at another address.
    pub fn known_title(&self) -> String {
        let (url, title) = self.inner.known_title.lock().clone();
        if self.url() == url { title } else { String::new() }
    }
}
