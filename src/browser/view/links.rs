//! The links of a page, and what it says to crawlers.
use serde::Deserialize;

use crate::browser::objects::page::Page;
use crate::browser::objects::world::ScriptWorld;
use crate::error::{Error, Result};

const LINKS: &str = include_str!("../injected/links.js");

/// The links of a document, and what it says to crawlers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageLinks {
    /// The absolute URL of each link, and whether it is marked `nofollow`; at most 5,000.
    pub links: Vec<(String, bool)>,
    /// The URL that the document names as its canonical one.
    pub canonical: Option<String>,
    /// The directives of its `<meta name=robots>`, separated by commas.
    pub robots: String,
    pub content_type: String,
}

impl Page {
    /// Returns the links of the main frame's document, those in open shadow roots included.
    pub async fn links(&self) -> Result<PageLinks> {
        let found = self.main_frame().evaluate(LINKS, Vec::new(), ScriptWorld::Isolated);
        let found = self.fail_on_dialog(found).await?;
        let unreadable =
            |error: serde_json::Error| Error::Unreadable { method: "the links", reason: error.to_string() };
        serde_json::from_value(found).map_err(unreadable)
    }
}
