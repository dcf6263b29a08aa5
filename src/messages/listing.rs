//! The English descriptions of the `patchright_*` tools. The Chinese ones are in the tool schemas.
use super::Language;

const URL: &str = "URL of the page";
const TIMEOUT: &str = "Timeout in ms";
const OFFSET: &str = "Start the page's text at this character";
const MOST: &str = "Maximum number of characters to return";

/// A tool's name, title, description and arguments.
type Words = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const ENGLISH: [Words; 5] = [
    (
        "patchright_fetch", "Fetch a page",
        "Fetch a web page in one call, as a person's browser shows it. For dynamic pages, pages that block other fetchers, and \
         pages behind a login. Read long content in parts with offset.",
        &[
            ("url", URL), ("wait_for", "CSS selector to wait for (optional, for dynamic content)"),
            ("format", "Output format: text, markdown (default) or html"), ("timeout", TIMEOUT), ("offset", OFFSET), ("max_chars", MOST),
        ],
    ),
    (
        "patchright_screenshot", "Take a screenshot of a page",
        "Take a screenshot of a web page in one call, to see it or to keep a picture of it.",
        &[("url", URL), ("full_page", "Capture the whole page, including what must be scrolled to"), ("timeout", TIMEOUT)],
    ),
    (
        "patchright_click", "Click on a page",
        "Open a web page, click one element, and read the page after the click. For expanding content, paging, and closing notices.",
        &[
            ("url", URL), ("selector", "CSS selector of the element to click"), ("timeout", TIMEOUT), ("offset", OFFSET),
            ("max_chars", MOST),
        ],
    ),
    (
        "patchright_fill_form", "Fill in a form",
        "Open a web page, fill in and submit its form, and read the resulting page. For searching, logging in, and submitting data.",
        &[
            ("url", "URL of the form's page"), ("fields", r#"Fields: {"CSS selector": "value"}"#),
            ("submit_selector", "CSS selector of the submit button (optional)"), ("timeout", TIMEOUT), ("offset", OFFSET),
            ("max_chars", MOST),
        ],
    ),
    (
        "patchright_execute_js", "Run JavaScript on a page",
        "Open a web page and run JavaScript in it, to extract data or read page variables. Returns the result as JSON.",
        &[("url", URL), ("script", "JavaScript: an expression, a function, or a body with return"), ("timeout", TIMEOUT)],
    ),
];

fn words(tool: &str, language: Language) -> Option<&'static Words> {
    ENGLISH.iter().find(|(name, ..)| *name == tool).filter(|_| language == Language::En)
}

/// Returns the title of a tool in this language; `None` if the title in the tool's schema is right.
pub fn tool_title(tool: &str, language: Language) -> Option<&'static str> {
    words(tool, language).map(|(_, title, ..)| *title)
}

/// Returns the description of a tool in this language; `None` if the one in the tool's schema is right.
pub fn tool_description(tool: &str, language: Language) -> Option<&'static str> {
    words(tool, language).map(|(_, _, description, _)| *description)
}

/// Returns the description of an argument in this language; `None` if the one in the tool's schema is right.
pub fn argument_description(tool: &str, argument: &str, language: Language) -> Option<&'static str> {
    let (.., arguments) = words(tool, language)?;
    arguments.iter().find(|(name, _)| *name == argument).map(|(_, text)| *text)
}
