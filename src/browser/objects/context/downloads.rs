//! Downloads of a context: lists, awaits, saves and deletes them.
use std::path::Path;

use super::BrowserContext;
use crate::browser::objects::download::{Download, DownloadState};
use crate::browser::options::ContextOptions;
use crate::cdp::types::browser::{CancelDownload, DownloadProgress, DownloadWillBegin, SetDownloadBehavior};
use crate::error::{Error, Result};

impl BrowserContext {
    /// Makes the browser save downloads to the configured folder or refuse them, and report their events.
    pub(super) async fn keep_downloads(&self, options: &ContextOptions) -> Result<()> {
        let folder = options.downloads.as_ref().filter(|_| !options.refuses_downloads);
        if folder.is_none() && !options.refuses_downloads {
            return Ok(());
        }
        let keep = SetDownloadBehavior {
            behavior: if folder.is_some() { "allowAndName" } else { "deny" }.to_owned(),
            browser_context_id: self.inner.id.clone(),
            download_path: folder.map(|folder| folder.display().to_string()),
            events_enabled: Some(true),
        };
        self.browser()?.root_session().call(keep).await.map(drop)
    }

    /// The latest downloads of the context's pages, oldest first.
    pub fn downloads(&self) -> Vec<Download> {
        self.inner.downloads.all()
    }

    /// Handles the start of a download. Returns false if it does not belong to this context.
    pub(in crate::browser) fn download_begun(&self, event: &DownloadWillBegin) -> bool {
        let page = self.pages().into_iter().find(|page| page.frame_by_id(&event.frame_id).is_some());
        let Some(page) = page else { return false };
        // A popup opened only for the download closes before it is reported, so its opener counts instead.
        let page = page.opener().filter(|_| !page.is_ready()).unwrap_or(page);
        let folder = self.inner.options.lock().downloads.clone();
        let download = self.inner.downloads.begun(event, page.id(), folder.as_deref());
        page.note_effect();
        for part in self.inner.hooks {
            part.on_download(self, &download);
        }
        true
    }

    /// Handles the progress of a download. Returns false if it does not belong to this context.
    pub(in crate::browser) fn download_progressed(&self, event: &DownloadProgress) -> bool {
        if !self.inner.downloads.knows(&event.guid) {
            return false;
        }
        let (folder, by_id) = {
            let options = self.inner.options.lock();
            (options.downloads.clone(), options.downloads_by_id)
        };
        // If downloads are refused, there is no folder, and no file either.
        if self.inner.downloads.progressed(event, &folder.unwrap_or_default(), by_id) {
            self.inner.changes.send_modify(|version| *version += 1);
        }
        true
    }

    /// Waits until a download ends. Returns its final state.
    pub async fn wait_for_download(&self, id: &str) -> Result<DownloadState> {
        let mut changes = self.changes();
        loop {
            match self.inner.downloads.state(id) {
                None => return Err(Error::PageClosed),
                Some(DownloadState::InProgress) if self.is_closed() => return Err(Error::PageClosed),
                Some(DownloadState::InProgress) => {}
                Some(ended) => return Ok(ended),
            }
            changes.changed().await.map_err(|_| Error::PageClosed)?;
        }
    }

    /// Waits until a download is complete, then copies its file to `path`. Creates missing folders.
    pub async fn save_download(&self, id: &str, path: &Path) -> Result<()> {
        let DownloadState::Completed { path: arrived, .. } = self.wait_for_download(id).await? else {
            let path = path.display().to_string();
            return Err(Error::File { path, reason: "the download is incomplete".to_owned() });
        };
        let copied = async {
            if let Some(folder) = path.parent() {
                tokio::fs::create_dir_all(folder).await?;
            }
            tokio::fs::copy(&arrived, path).await
        };
        let file = |error: std::io::Error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        copied.await.map(drop).map_err(file)
    }

    /// Cancels a download. Does nothing if it has ended.
    pub async fn cancel_download(&self, id: &str) -> Result<()> {
        let cancel = CancelDownload { guid: id.to_owned(), browser_context_id: self.inner.id.clone() };
        match self.browser()?.root_session().call(cancel).await {
            Err(Error::Protocol { .. }) => Ok(()),
            cancelled => cancelled.map(drop),
        }
    }

    /// Cancels a download or deletes its file, and removes it from the list. Returns false if the browser
    /// cannot cancel downloads; the file is then deleted when the download ends.
    pub async fn discard_download(&self, id: &str) -> Result<bool> {
        if self.inner.downloads.state(id) == Some(DownloadState::InProgress) {
            match self.cancel_download(id).await {
                Ok(()) => {}
                Err(Error::NotInFirefox { .. }) => {
                    self.inner.downloads.remove_when_ended(id);
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        self.inner.downloads.remove(Some(id));
        Ok(true)
    }

    /// Waits until a download ends, then deletes its file.
    pub async fn delete_download(&self, id: &str) -> Result<()> {
        self.wait_for_download(id).await?;
        self.inner.downloads.remove(Some(id));
        Ok(())
    }

    /// Deletes all downloaded files if they are named by the browser's ids (`downloads_by_id`).
    pub(in crate::browser) fn remove_downloads(&self) {
        if self.inner.options.lock().downloads_by_id {
            self.inner.downloads.remove(None);
        }
    }
}
