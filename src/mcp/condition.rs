//! Conditions on a page that a call can wait for.
use crate::Result;
use crate::browser::selector::Selector;
use crate::browser::{ElementHandle, Page};
use crate::error::{Error, quoted, squeezed};
use crate::snapshot::{Ref, target_in_line};

/// The length at which an expected text is cut in messages, in characters.
const LONGEST_QUOTED: usize = 80;

/// A condition on a page that a call can wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The page shows this text.
    Text(String),
    /// The element with this ref, or an element that matches this selector, is visible.
    Element(String),
    /// The URL contains this text, in which `*` matches any characters.
    Url(String),
}

impl Condition {
    /// Parses a URL, a ref, a selector or a line of a snapshot. Anything else, and text in quotation marks, is text on the page.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let is_one_word = !text.contains(char::is_whitespace);
        let is_xpath = text.starts_with("//");
        let names_engine = text.split_once('=').is_some_and(|(engine, _)| {
            engine.chars().all(|letter| letter.is_ascii_lowercase() || "-:".contains(letter))
        });
        let is_selector = is_xpath || names_engine || text.starts_with(['#', '.', '[']);
        if let Some(target) = target_in_line(text) {
            Self::Element(target)
        } else if let Some(quoted) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Self::Text(quoted.to_owned())
        } else if is_one_word && !is_xpath && (text.contains("://") || text.starts_with(['/', '*'])) {
            Self::Url(text.to_owned())
        } else if text.parse::<Ref>().is_ok() || (is_selector && Selector::parse(text).is_ok()) {
            Self::Element(text.to_owned())
        } else {
            Self::Text(text.to_owned())
        }
    }

    /// Describes the condition, such as `the text "Saved"`.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) => format!("the text {}", quoted(text, LONGEST_QUOTED)),
            Self::Element(_) => "the element".to_owned(),
            Self::Url(_) => "the address".to_owned(),
        }
    }

    /// Whether the condition holds now in any frame of the page.
    pub async fn is_met(&self, page: &Page) -> Result<bool> {
        match self {
            Self::Text(text) => page.contains_text(&squeezed(text)).await,
            Self::Element(selector) => is_seen(page, selector).await,
            Self::Url(part) => Ok(matches_url(part, &page.attempted_url())),
        }
    }
}

/// Whether the element of a ref, or any match of a selector, is visible in the page.
async fn is_seen(page: &Page, selector: &str) -> Result<bool> {
    let Ok(reference) = selector.parse::<Ref>() else { return page.has_visible(selector).await };
    let main = page.main_frame().clone();
    let is_of_main = main.had_ref(reference.element);
    let frames = page.frames().into_iter().filter(|frame| match reference.frame {
        Some(number) => frame.number() == number,
        None => frame == &main || (!is_of_main && frame.had_ref(reference.element)),
    });
    for frame in frames {
        let found = match ElementHandle::by_ref(&frame, reference.element).await {
            Ok(Some(element)) => element.is_visible().await,
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        match found {
            Ok(true) => return Ok(true),
            Ok(false) | Err(Error::DocumentGone | Error::FrameDetached | Error::StaleRef { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Whether a URL contains `part`, in which `*` matches any characters.
pub fn matches_url(part: &str, url: &str) -> bool {
    let mut rest = url;
    part.split('*').all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_meant_by_their_parts() {
        let url = "https://a.example/api/items/7?page=2";
        for part in
            ["/api/", "*", "a.example*page=2", "/api/*/7", "https://a.example/api/items/7?page=2", "p*p*p"]
        {
            assert!(matches_url(part, url), "{part}");
        }
        for part in ["/apis/", "page=2*api", "/api/*/8", "?page=22"] {
            assert!(!matches_url(part, url), "{part}");
        }
    }

    #[test]
    fn urls_selectors_and_texts_differ() {
        for url in ["/orders", "https://a.example/", "*thanks"] {
            assert_eq!(Condition::parse(url), Condition::Url(url.to_owned()));
        }
        for element in
            ["#done", ".toast", "[role=alert]", "//h1", "css=h1", "text=Saved", "role=alert", "e12"]
        {
            assert_eq!(Condition::parse(element), Condition::Element(element.to_owned()));
        }
        let selector = "role=textbox[name=\"a.md\"]".to_owned();
        assert_eq!(Condition::parse("textbox \"a.md\""), Condition::Element(selector));
        assert_eq!(Condition::parse("button \"A\" [disabled] [ref=e7]"), Condition::Element("e7".to_owned()));
        for text in ["Saved", "Order 7 is paid", "a = b", "total=5", "See https://a.example/ for more", "h1"]
        {
            assert_eq!(Condition::parse(text), Condition::Text(text.to_owned()));
        }
        assert_eq!(Condition::parse("\"/orders\""), Condition::Text("/orders".to_owned()));
    }
}
