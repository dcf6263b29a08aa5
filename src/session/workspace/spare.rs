//! A blank tab that is kept ready for the next one-shot visit, since opening one takes longer than many pages.
use std::sync::Arc;
use std::time::Duration;

use super::{Inner, Workspace};
use crate::browser::Page;
use crate::error::Result;

/// How long an unused spare tab stays open.
const LIFETIME: Duration = Duration::from_secs(10);

impl Workspace {
    /// Returns the spare tab; opens a tab if there is none.
    pub async fn spare_or_new_tab(&self) -> Result<Page> {
        let context = self.get_or_create_active_context().await?;
        let spare = self.inner.spare.lock().await.take();
        let is_usable = |page: &Page| !page.is_closed() && !page.is_crashed() && !page.is_discarded();
        match spare.filter(|page| is_usable(page) && *page.context() == context) {
            Some(page) => Ok(page),
            None => self.new_tab().await,
        }
    }

    /// Closes a tab and opens a spare one, both in the background. If the limit of tabs is near or the browser is
    /// visible, waits until the tab is closed and opens none.
    pub async fn replace_tab_by_spare(&self, tab: &Page) {
        if !self.inner.engine.hides_tabs() || !self.inner.quota.has_room_for_spare() {
            let _ = tab.close().await;
            return;
        }
        let (workspace, tab) = (self.clone(), tab.clone());
        tokio::spawn(async move {
            let (_, ()) = tokio::join!(tab.close(), workspace.open_spare());
        });
    }

    async fn open_spare(&self) {
        // If another task holds the lock, it is opening a spare tab.
        let Ok(mut spare) = self.inner.spare.try_lock() else { return };
        if spare.as_ref().is_some_and(|page| !page.is_closed()) {
            return;
        }
        let Ok(page) = self.new_tab().await else { return };
        *spare = Some(page.clone());
        drop(spare);
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            tokio::time::sleep(LIFETIME).await;
            if let Some(inner) = inner.upgrade()
                && inner.take_spare_if(&page).await
            {
                let _ = page.close().await;
            }
        });
    }

    /// Closes the spare tab. If one is being opened, waits for it and closes it.
    pub(super) async fn close_spare(&self) {
        let spare = self.inner.spare.lock().await.take();
        if let Some(page) = spare {
            let _ = page.close().await;
        }
    }
}

impl Inner {
    async fn take_spare_if(&self, page: &Page) -> bool {
        self.spare.lock().await.take_if(|spare| spare == page).is_some()
    }
}
