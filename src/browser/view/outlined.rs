//! Complete snapshots with refs, for callers that do not need changes since an earlier snapshot.
use std::time::Duration;

use serde::Deserialize;

use super::capture::SnapshotTreeOptions;
use crate::browser::elements::element::ElementHandle;
use crate::browser::elements::locator::Locator;
use crate::browser::elements::settle::BUILDING_LIMIT;
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::page::Page;
use crate::error::Result;
use crate::snapshot::{self, Ref};

/// Options of a complete snapshot.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotOptions {
    /// The ref of the element to show. A heading stands for its section. Default: the page.
    pub r#ref: Option<String>,
    /// The maximum depth of nesting. Default: no limit.
    pub depth: Option<usize>,
    /// Whether to add each element's position: `[box=x,y,width,height]`.
    pub boxes: bool,
    /// Whether texts, groups and parts of drawings get refs too.
    pub all_refs: bool,
    /// The maximum number of characters. If the snapshot is longer, parts are shortened.
    pub max_chars: Option<usize>,
}

impl Page {
    /// Returns a snapshot of the page or an element. If parts are omitted, a last line lists them after `#`.
    ///
    /// # Errors `unknown_ref` for an invalid ref, `stale_ref` for an element that no longer exists.
    pub async fn outline(&self, options: &SnapshotOptions) -> Result<String> {
        let root = match &options.r#ref {
            Some(text) => Some(self.element_of_ref(text).await?.0),
            None => None,
        };
        self.outline_of(root, options).await
    }

    /// Finds the element with a ref. Returns it together with the full form of the ref.
    async fn element_of_ref(&self, text: &str) -> Result<(Ref, ElementHandle)> {
        let unknown = || crate::Error::UnknownRef {
            target: "this".to_owned(),
            reason: "a ref looks like e12".to_owned(),
        };
        let reference: Ref = text.parse().map_err(|_| unknown())?;
        let frame = self.frame_of_ref(&reference)?;
        let found = ElementHandle::by_ref(&frame, reference.element).await?;
        let found =
            found.ok_or_else(|| crate::Error::StaleRef { target: reference.to_string(), again: None })?;
        Ok((Ref::new(0, self.number(), frame.number(), reference.element), found))
    }

    async fn outline_of(&self, root: Option<Ref>, options: &SnapshotOptions) -> Result<String> {
        let part = root.as_ref().and_then(|root| Some((root.frame?, root.element)));
        let read =
            SnapshotTreeOptions { boxes: options.boxes, all_refs: options.all_refs, ..Default::default() };
        let mut tree = self.snapshot_tree(0, SnapshotTreeOptions { root: part, ..read }).await?;
        if part.is_none() && tree.is_blank() {
            // The page may be about to build its content.
            self.until_content_built(JournalMark::BEGINNING, BUILDING_LIMIT).await;
            tree = self.snapshot_tree(0, read).await?;
        }
        if part.is_some() && tree.nodes().first().is_some_and(|node| node.role == "heading") {
            // A heading does not contain the content of its section, so read the whole page.
            tree = self.snapshot_tree(0, read).await?;
        }
        let usual = snapshot::Options::default();
        let most = options.max_chars.unwrap_or(usual.max_chars);
        let rendered = snapshot::render(
            &tree,
            &snapshot::Options {
                max_chars: most,
                usual_chars: most,
                depth: options.depth,
                boxes: options.boxes,
                all_refs: options.all_refs,
                cells: options.all_refs,
                root: root.filter(|root| tree.index_of_ref(root).is_some()),
                until: None,
                ..usual
            },
        );
        let note = rendered.cut.map(|cut| format!("# {cut}\n")).unwrap_or_default();
        Ok(format!("{}\n{note}", rendered.text.trim_end()))
    }
}

impl Locator {
    /// Waits until the element exists, and returns its snapshot.
    pub async fn outline(&self, options: &SnapshotOptions, limit: Duration) -> Result<String> {
        self.with_element(limit, |element, _| async move {
            let number: u32 = element.ask("refOf", Vec::new()).await?;
            let frame = element.frame();
            frame.set_last_ref(number);
            let page = frame.page()?;
            let root = Ref::new(0, page.number(), frame.number(), number);
            page.outline_of(Some(root), options).await
        })
        .await
    }
}
