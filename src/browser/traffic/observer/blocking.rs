//! Blocks requests by resource type, domain or URL.
use std::sync::Arc;

use crate::browser::objects::context::BrowserContext;
use crate::browser::options::domains::DomainList;
use crate::browser::options::routing::UrlGlob;
use crate::error::{Error, Result};

/// The resource types that can be blocked, named as in Playwright.
const KINDS: [&str; 15] = [
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "manifest",
    "ping",
    "preflight",
    "other",
];

/// Rules for requests to block. Navigations of tabs are never blocked.
#[derive(Debug, Clone, Default)]
pub struct BlockRules {
    kinds: Vec<String>,
    domains: DomainList,
    addresses: Vec<UrlGlob>,
}

/// Identifies one call of [`BrowserContext::block`], to undo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockId(u64);

#[derive(Debug, Default)]
pub(super) struct Blocks {
    given: u64,
    list: Vec<(BlockId, Arc<BlockRules>)>,
}

impl BlockRules {
    /// Creates rules. Returns `Error::InvalidArguments` for an unknown resource type, a URL pattern with
    /// unbalanced braces, or if all arguments are empty.
    pub fn new(kinds: Vec<String>, domains: DomainList, addresses: &[String]) -> Result<Self> {
        let wrong = |problem: String| Error::InvalidArguments { problems: vec![problem] };
        if let Some(kind) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(wrong(format!("kinds: expected one of ({}), got {kind:?}", KINDS.join("|"))));
        }
        let read = |glob: &String| {
            UrlGlob::new(glob).ok_or_else(|| wrong(format!("the braces of {glob:?} do not match")))
        };
        let addresses = addresses.iter().map(read).collect::<Result<Vec<_>>>()?;
        if kinds.is_empty() && domains.is_empty() && addresses.is_empty() {
            return Err(wrong("give kinds, ads, domains, lists or urls to block".to_owned()));
        }
        Ok(Self { kinds, domains, addresses })
    }

    fn means(&self, url: &str, kind: &str) -> bool {
        self.kinds.iter().any(|known| known.eq_ignore_ascii_case(kind))
            || self.domains.contains_url(url)
            || self.addresses.iter().any(|glob| glob.matches(url))
    }
}

impl BrowserContext {
    /// Blocks matching requests of this context's pages and workers. Route handlers do not receive them.
    pub async fn block(&self, blocking: BlockRules) -> Result<BlockId> {
        if !self.is_followed() {
            self.listen_to_network(Arc::new(|_| ()));
        }
        let id = {
            let blocks = &mut self.traffic().state.lock().blocks;
            blocks.given += 1;
            let id = BlockId(blocks.given);
            blocks.list.push((id, Arc::new(blocking)));
            id
        };
        self.update_holds().await?;
        Ok(id)
    }

    /// Undoes one call of [`BrowserContext::block`].
    pub async fn unblock(&self, id: BlockId) -> Result<()> {
        self.traffic().state.lock().blocks.list.retain(|(known, _)| *known != id);
        self.update_holds().await
    }

    pub(super) fn has_blocks(&self) -> bool {
        !self.traffic().state.lock().blocks.list.is_empty()
    }

    pub(super) fn blocks(&self, url: &str, kind: &str) -> bool {
        let list = self.traffic().state.lock().blocks.list.clone();
        list.iter().any(|(_, blocking)| blocking.means(url, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_meant_by_kind_server_and_address() {
        let domains = DomainList::parse("ads.example");
        let blocking = BlockRules::new(vec!["image".to_owned()], domains, &["**/*.mp4".to_owned()])
            .expect("all is known");
        assert!(blocking.means("https://a.example/a", "Image"));
        assert!(blocking.means("https://deep.ads.example/a.js", "Script"));
        assert!(blocking.means("https://a.example/b/c.mp4", "Other"));
        assert!(!blocking.means("https://a.example/a", "Script"));
    }

    #[test]
    fn what_means_nothing_is_an_error() {
        for (kinds, addresses) in [(vec!["picture"], vec![]), (vec![], vec!["**/{a"]), (vec![], vec![])] {
            let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert!(BlockRules::new(owned(kinds), DomainList::default(), &owned(addresses)).is_err());
        }
    }
}
