//! The effect of the last action: an exported script waits for it, so as not to end too early.
use super::ScriptLanguage;
use super::written::quoted;
use crate::browser::{JournalMark, Page, RequestEntry};

/// The state of the page before an action.
#[derive(Debug)]
pub struct ActionBaseline {
    page: Page,
    mark: JournalMark,
    /// The number of the newest request; `None` if there is none.
    number: Option<u64>,
    pub dialog_was_open: bool,
    newest_tab: u32,
}

/// The effect of an action for which a script can wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionEffect {
    /// The page has loaded another document.
    Document,
    /// The page has sent a request that changes something. `path` is the constant beginning of its path.
    Request { method: String, path: String },
}

impl ActionBaseline {
    pub fn new(page: Page) -> Self {
        let number = page.with_network(|log| log.entries().map(|entry| entry.number).max());
        let newest_tab = page.context().pages().iter().map(Page::number).max().unwrap_or_default();
        let dialog_was_open = page.dialog().is_some();
        Self { mark: page.mark(), number, dialog_was_open, newest_tab, page }
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Whether the page has opened a tab since the action began.
    pub fn opens_tab(&self) -> bool {
        let pages = self.page.context().pages();
        pages.iter().any(|page| page.number() > self.newest_tab && page.has_opener())
    }

    pub fn into_effect(self) -> Option<ActionEffect> {
        let Self { page, mark, number, .. } = self;
        if page.effects_since(mark).committed {
            return Some(ActionEffect::Document);
        }
        let here = host(&page.url());
        page.with_network(|log| {
            // Requests to other hosts, such as for analytics, may differ the next time.
            let is_own = |entry: &&RequestEntry| Some(entry.number) > number && host(&entry.url) == here;
            log.entries().filter(is_own).find(|entry| changes_something(entry)).map(|entry| {
                ActionEffect::Request { method: entry.method.clone(), path: lasting_path(&entry.url) }
            })
        })
    }
}

/// Whether an answered request was sent to change something, such as a POST by `fetch`.
fn changes_something(entry: &RequestEntry) -> bool {
    let asks = matches!(entry.kind.as_str(), "XHR" | "Fetch");
    let writes = matches!(entry.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
    asks && writes && entry.response.is_some()
}

fn host(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// Returns the path of a URL up to the first part that looks like a number or key.
fn lasting_path(url: &str) -> String {
    let path = url::Url::parse(url).map_or_else(|_| "/".to_owned(), |url| url.path().to_owned());
    let is_made =
        |part: &&str| part.chars().any(|letter| letter.is_ascii_digit()) || part.len() > LONGEST_WORD;
    let lasting: Vec<_> = path.split('/').take_while(|part| !is_made(part)).collect();
    let is_whole = lasting.len() == path.split('/').count();
    lasting.join("/") + if is_whole { "" } else { "/" }
}

/// The length of a part of a path, in bytes, above which it counts as a key.
const LONGEST_WORD: usize = 40;

impl ActionEffect {
    /// Returns a statement extended by a wait for its effect.
    pub fn awaited(&self, statement: &str, language: ScriptLanguage) -> String {
        match language {
            ScriptLanguage::Python => {
                let awaited = match self {
                    Self::Document => "expect_event(\"domcontentloaded\")".to_owned(),
                    Self::Request { method, path } => format!(
                        "expect_response(lambda response: response.request.method == {} and {} in response.url)",
                        quoted(method),
                        quoted(path)
                    ),
                };
                let within: Vec<_> = statement.lines().map(|line| format!("\n    {line}")).collect();
                format!("with page.{awaited}:{}", within.concat())
            }
            ScriptLanguage::Typescript => {
                let awaited = match self {
                    Self::Document => "waitForEvent(\"domcontentloaded\")".to_owned(),
                    Self::Request { method, path } => format!(
                        "waitForResponse((response) => response.request().method() === {} && response.url().includes({}))",
                        quoted(method),
                        quoted(path)
                    ),
                };
                format!("const arrived = page.{awaited};\n{statement}\nawait arrived;")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lasting_path;

    #[test]
    fn what_is_another_one_each_time_is_left_out_of_paths() {
        let kept = |url: &str| lasting_path(url);
        assert_eq!(kept("http://a.example/api/contents/Untitled.ipynb?1732"), "/api/contents/Untitled.ipynb");
        assert_eq!(kept("http://a.example/pages/17/edit/"), "/pages/");
        assert_eq!(kept("http://a.example/"), "/");
    }
}
