//! What the `patchright_*` tools say of themselves in English; in Chinese the schemas say it.
use super::Language;

const URL: &str = "Address of the page";
const TIMEOUT: &str = "Timeout (milliseconds)";
const OFFSET: &str = "Character to begin at";
const MOST: &str = "The most characters to return";

/// A tool, its title, what it does, and its arguments.
type Words = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const ENGLISH: [Words; 5] = [
    (
        "patchright_fetch", "Fetch a page",
        "Read a web page in one call, as a person's browser shows it: pages made by scripts, pages that refuse other fetchers, \
         pages behind a login. Long ones in pieces, with offset.",
        &[
            ("url", URL), ("wait_for", "CSS selector to wait for, where content comes late"),
            ("format", "text, markdown (the default) or html"), ("timeout", TIMEOUT), ("offset", OFFSET), ("max_chars", MOST),
        ],
    ),
    (
        "patchright_screenshot", "Picture of a page",
        "Take a picture of a web page in one call: to see what it looks like, or to keep its state.",
        &[("url", URL), ("full_page", "The whole page, also what must be scrolled to"), ("timeout", TIMEOUT)],
    ),
    (
        "patchright_click", "Click on a page",
        "Open a web page, click one element, and read what the page says then: to unfold, turn pages, close a notice.",
        &[
            ("url", URL), ("selector", "CSS selector of what to click"), ("timeout", TIMEOUT), ("offset", OFFSET),
            ("max_chars", MOST),
        ],
    ),
    (
        "patchright_fill_form", "Fill a form of a page",
        "Open a web page, fill its form and send it, and read the page that follows: to search, log in, submit.",
        &[
            ("url", "Address of the form"), ("fields", r#"Fields: {"CSS selector": "value"}"#),
            ("submit_selector", "CSS selector of the button that sends it"), ("timeout", TIMEOUT), ("offset", OFFSET),
            ("max_chars", MOST),
        ],
    ),
    (
        "patchright_execute_js", "Run JavaScript on a page",
        "Open a web page and run JavaScript in it, for data or variables of the page. The result comes as JSON.",
        &[("url", URL), ("script", "JavaScript that gives a result"), ("timeout", TIMEOUT)],
    ),
];

fn words(tool: &str, language: Language) -> Option<&'static Words> {
    ENGLISH.iter().find(|(name, ..)| *name == tool).filter(|_| language == Language::En)
}

/// The title, where it is another one in this language than the schema has.
pub fn title(tool: &str, language: Language) -> Option<&'static str> {
    words(tool, language).map(|(_, title, ..)| *title)
}

/// What the tool does, likewise.
pub fn description(tool: &str, language: Language) -> Option<&'static str> {
    words(tool, language).map(|(_, _, description, _)| *description)
}

/// What an argument is, likewise.
pub fn argument(tool: &str, argument: &str, language: Language) -> Option<&'static str> {
    let (.., arguments) = words(tool, language)?;
    arguments.iter().find(|(name, _)| *name == argument).map(|(_, text)| *text)
}
