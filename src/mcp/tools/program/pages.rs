//! The pages to which a program has access, and queries about them that are answered without waiting.
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::Result;
use crate::browser::selector::{By, Filter, RoleOptions, TextMatch};
use crate::browser::{Frame, Page, UrlGlob};
use crate::error::Error;
use crate::session::Workspace;

/// The pages that a program has seen. The program refers to each by its index.
#[derive(Debug)]
pub(super) struct Pages {
    known: Mutex<Vec<Page>>,
    workspace: Workspace,
}

impl Pages {
    pub(super) fn new(page: Page, workspace: Workspace) -> Self {
        Self { known: Mutex::new(vec![page]), workspace }
    }

    pub(super) fn number(&self, page: &Page) -> usize {
        let mut known = self.known.lock();
        known.iter().position(|one| one == page).unwrap_or_else(|| {
            known.push(page.clone());
            known.len() - 1
        })
    }

    pub(super) fn open(&self) -> Vec<Page> {
        self.workspace.tabs().into_iter().map(|tab| tab.page).collect()
    }

    pub(super) fn page(&self, asked: &Value) -> Result<Page> {
        let number = asked["page"].as_u64().unwrap_or_default();
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.known.lock().get(number).cloned().ok_or(Error::PageClosed)
    }

    pub(super) fn frame(&self, asked: &Value) -> Result<Frame> {
        let page = self.page(asked)?;
        match asked["frame"].as_u64() {
            None => Ok(page.main_frame().clone()),
            Some(number) => {
                let frame = page.frames().into_iter().find(|frame| u64::from(frame.number()) == number);
                frame.ok_or(Error::FrameDetached)
            }
        }
    }

    /// Answers queries whose results the server already knows, such as a frame's URL. Also builds selectors.
    pub(super) fn look(&self, what: &str, asked: &Value) -> Result<Value, String> {
        let text = |error: Error| error.to_string();
        let frame = || self.frame(asked).map_err(text);
        Ok(match what {
            "url" => json!(frame()?.url()),
            "name" => json!(frame()?.name()),
            "frames" => {
                let frames = self.page(asked).map_err(text)?.frames();
                json!(frames.iter().map(Frame::number).collect::<Vec<_>>())
            }
            "closed" => json!(self.page(asked).map_or(true, |page| page.is_closed())),
            "viewport" => {
                let size = self.page(asked).map_err(text)?.viewport();
                json!(size.map(|(width, height)| json!({"width": width, "height": height})))
            }
            "responses" => responses(&self.page(asked).map_err(text)?, asked["after"].as_f64()),
            "pages" => json!(self.open().iter().map(|page| self.number(page)).collect::<Vec<_>>()),
            "matches" => {
                let (url, glob) = (of(asked, "url"), of(asked, "glob"));
                json!(url == glob || UrlGlob::new(glob).is_some_and(|glob| glob.matches(url)))
            }
            _ => json!(selector(what, asked)?),
        })
    }
}

/// Returns the responses that ended after the time `after`, and the time when the last one ended.
fn responses(page: &Page, after: Option<f64>) -> Value {
    page.with_network(|network| {
        let ended = || network.entries().filter_map(|entry| Some((entry, entry.response.as_ref()?, entry.ended?)));
        let last = ended().map(|(.., at)| at).fold(after.unwrap_or_default(), f64::max);
        let new = ended().filter(|(.., at)| after.is_some_and(|after| *at > after));
        let list: Vec<_> = new
            .map(|(entry, response, _)| {
                json!({ "number": entry.number, "url": entry.url, "status": response.status, "method": entry.method })
            })
            .collect();
        json!({ "last": last, "list": list })
    })
}

/// Returns the selector for a `getBy…` method or for `filter`.
fn selector(what: &str, asked: &Value) -> Result<String, String> {
    fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())
    }
    let by = match what {
        "role" => By::role(of(asked, "role"), &read::<RoleOptions>(&asked["options"])?),
        "filter" => By::selector("").filter(&read::<Filter>(asked)?),
        "by" => {
            let words: TextMatch = read(&asked["words"])?;
            match of(asked, "by") {
                "text" => By::text(words),
                "label" => By::label(words),
                "testId" => By::test_id(words),
                attribute => By::attribute(attribute, words),
            }
        }
        _ => return Err(format!("{what} is not known")),
    };
    Ok(by.to_string())
}

pub(super) fn of<'a>(asked: &'a Value, name: &str) -> &'a str {
    asked[name].as_str().unwrap_or_default()
}
