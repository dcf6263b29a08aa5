//! Shows PDF documents in a snapshot: their pages as text.
use super::walked::{Frame, NodeDetails, WalkedNode, WalkedNodeKind};
use crate::pdf::{Block, Document};

/// Without `all`, pages after this many characters are omitted.
const FIRST_PAGES: usize = 8_000;

impl Frame {
    /// Replaces the frame's nodes by the text of its PDF, or by why it cannot be read. `all` shows all pages.
    #[must_use]
    pub fn with_pdf(mut self, read: Result<&Document, &str>, all: bool) -> Self {
        self.nodes.clear();
        match read {
            Ok(document) => self.show(document, all),
            Err(reason) => {
                let text = format!("A PDF that cannot be read as text: {reason}. A screenshot shows it.");
                self.say(0, &text);
            }
        }
        self
    }

    fn show(&mut self, document: &Document, all: bool) {
        self.say(0, &document.summary());
        let mut shown = 0;
        for (number, page) in document.pages.iter().enumerate() {
            if page.blocks.is_empty() && document.pages.iter().all(|page| page.blocks.is_empty()) {
                return;
            }
            if shown >= FIRST_PAGES && !all {
                let text = format!(
                    "Pages {} to {} are not shown: reading and searching the page cover them.",
                    number + 1,
                    document.count
                );
                return self.say(0, &text);
            }
            self.element(0, "region", &format!("Page {}", number + 1), None);
            page.blocks.iter().for_each(|block| shown += self.block(block));
            if let Some(note) = page.missing_text_note() {
                self.say(1, note);
            }
        }
        if let Some(unread) = document.unread_pages_note() {
            self.say(0, &unread);
        }
    }

    /// Adds a block of a PDF page. Returns its number of characters.
    fn block(&mut self, block: &Block) -> usize {
        match block {
            Block::Heading { level, text } => {
                let details = NodeDetails { level: Some((*level).into()), ..NodeDetails::default() };
                self.element(1, "heading", text, Some(details));
                text.chars().count()
            }
            Block::Paragraph(text) => {
                self.element(1, "paragraph", "", None);
                self.say(2, text);
                text.chars().count()
            }
            Block::Table(rows) => {
                self.element(1, "table", "", None);
                for row in rows {
                    self.element(2, "row", "", None);
                    self.say(3, &row.join(" | "));
                }
                rows.iter().flatten().map(|cell| cell.chars().count()).sum()
            }
        }
    }

    fn say(&mut self, depth: u32, text: &str) {
        self.nodes.push(WalkedNode { depth, what: WalkedNodeKind::Text(text.into()) });
    }

    fn element(&mut self, depth: u32, role: &'static str, name: &str, details: Option<NodeDetails>) {
        let what =
            WalkedNodeKind::Element { role, number: 0, name: name.into(), details: details.map(Box::new) };
        self.nodes.push(WalkedNode { depth, what });
    }
}
