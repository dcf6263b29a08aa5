//! Detects scripts that only read the document.
//!
//! Such a script has the same result in the isolated world, where a page cannot detect it. In the main world,
//! a page that has replaced `querySelector` sees each call and the caller's stack. All other scripts must run
//! in the main world, because they may use the page's variables.
use crate::browser::objects::world::ScriptWorld;

impl ScriptWorld {
    /// Returns the isolated world if `script` only reads the document, otherwise the main world.
    pub fn choose_world(script: &str) -> Self {
        let reads = tokens(script).is_some_and(|tokens| Script { tokens: &tokens }.only_reads());
        if reads { Self::Isolated } else { Self::Main }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'s> {
    Word(&'s str),
    Number,
    Text,
    Mark(&'s str),
}

/// The tokens of a script. `None` if it has templates or regular expressions, which are not analysed.
fn tokens(script: &str) -> Option<Vec<Token<'_>>> {
    const MARKS: [&str; 16] =
        ["===", "!==", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-="];
    let mut tokens = Vec::new();
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first.is_ascii_digit() {
            tokens.push(Token::Number);
            rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len())
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else if first == '"' || first == '\'' {
            tokens.push(Token::Text);
            end_of_text(rest, first)?
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if "`/\\#@".contains(first) {
            return None;
        } else {
            let length = MARKS
                .iter()
                .find(|mark| rest.starts_with(**mark))
                .map_or(first.len_utf8(), |mark| mark.len());
            tokens.push(Token::Mark(&rest[..length]));
            length
        };
        rest = &rest[length..];
    }
    Some(tokens)
}

/// Returns the byte index after the string literal at the start of `text`; `None` if it is not closed.
fn end_of_text(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

struct Script<'s> {
    tokens: &'s [Token<'s>],
}

impl<'s> Script<'s> {
    fn only_reads(&self) -> bool {
        let locals = self.locals();
        (0..self.tokens.len()).all(|at| match self.tokens[at] {
            Token::Word(word) => self.word_reads(at, word, &locals),
            Token::Number | Token::Text => true,
            // An array, or a constant index into one. A computed property name is unknown before the script runs.
            Token::Mark("[") => {
                !self.follows_a_value(at)
                    || (self.at(at + 1) == Some(Token::Number) && self.is_mark(at + 2, "]"))
            }
            Token::Mark("=") => at >= 2 && self.is_declaration(at - 1),
            Token::Mark(mark) => !["++", "--", "+=", "-="].contains(&mark),
        })
    }

    fn word_reads(&self, at: usize, word: &str, locals: &[&str]) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.at(at));
        if matches!(before, Some(Token::Mark("." | "?."))) {
            return PROPERTIES.contains(&word);
        }
        let is_key = self.is_mark(at + 1, ":") && matches!(before, Some(Token::Mark("{" | ",")));
        is_key || KEYWORDS.contains(&word) || GLOBALS.contains(&word) || locals.contains(&word)
    }

    /// Returns the names that the script itself defines: parameters of arrow functions, and variables.
    fn locals(&self) -> Vec<&'s str> {
        let mut locals = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            match *token {
                Token::Word(word) if self.is_declaration(at) || self.is_mark(at + 1, "=>") => {
                    locals.push(word)
                }
                Token::Mark("=>") => locals.extend(self.parameters_before(at)),
                _ => {}
            }
        }
        locals
    }

    /// Returns the parameter names before the arrow at index `arrow`, such as `a` and `b` in `(a, b) =>`.
    fn parameters_before(&self, arrow: usize) -> Vec<&'s str> {
        let mut names = Vec::new();
        let Some(mut at) = arrow.checked_sub(2).filter(|_| self.is_mark(arrow - 1, ")")) else {
            return names;
        };
        loop {
            match self.tokens[at] {
                Token::Word(word) => names.push(word),
                Token::Mark(",") => {}
                Token::Mark("(") => return names,
                _ => return Vec::new(),
            }
            let Some(before) = at.checked_sub(1) else { return Vec::new() };
            at = before;
        }
    }

    fn is_declaration(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.at(at));
        matches!(before, Some(Token::Word("const" | "let" | "var")))
    }

    fn follows_a_value(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.at(at));
        match before {
            Some(Token::Word(word)) => !KEYWORDS.contains(&word),
            Some(Token::Mark(mark)) => [")", "]", "}", "?."].contains(&mark),
            Some(Token::Text | Token::Number) => true,
            None => false,
        }
    }

    fn is_mark(&self, at: usize, mark: &str) -> bool {
        matches!(self.at(at), Some(Token::Mark(found)) if found == mark)
    }

    fn at(&self, at: usize) -> Option<Token<'s>> {
        self.tokens.get(at).copied()
    }
}

const KEYWORDS: [&str; 15] = [
    "async",
    "await",
    "const",
    "else",
    "false",
    "for",
    "if",
    "in",
    "let",
    "null",
    "of",
    "return",
    "true",
    "typeof",
    "undefined",
];

/// Global names that are the same in every world.
const GLOBALS: [&str; 16] = [
    "Array",
    "Boolean",
    "JSON",
    "Math",
    "Number",
    "Object",
    "String",
    "devicePixelRatio",
    "document",
    "getComputedStyle",
    "innerHeight",
    "innerWidth",
    "location",
    "scrollX",
    "scrollY",
    "window",
];

/// Properties and methods of the document, its elements and plain values that change nothing. Those that custom
/// elements often define, such as `value` and `checked`, are left out, since only the main world has them.
#[rustfmt::skip]
const PROPERTIES: &[&str] = &[
    // The document and its window.
    "URL", "activeElement", "body", "characterSet", "contentType", "cookie", "devicePixelRatio", "document",
    "documentElement", "documentURI", "elementFromPoint", "elementsFromPoint", "getElementById", "getElementsByClassName",
    "getElementsByName", "getElementsByTagName", "hasFocus", "hash", "head", "host", "hostname", "innerHeight", "innerWidth",
    "lastModified", "location", "origin", "outerHeight", "outerWidth", "pageXOffset", "pageYOffset", "pathname",
    "port", "protocol", "querySelector", "querySelectorAll", "readyState", "referrer", "screenX", "screenY", "scrollX",
    "scrollY", "scrollingElement", "search", "title", "visibilityState",
    // Elements.
    "attributes", "bottom", "checkVisibility", "childElementCount", "childNodes", "children", "classList", "className",
    "clientHeight", "clientLeft", "clientTop", "clientWidth", "closest", "compareDocumentPosition", "contains",
    "firstChild", "firstElementChild", "getAttribute", "getAttributeNames", "getBoundingClientRect", "getClientRects",
    "hasAttribute", "height", "href", "id", "innerHTML", "innerText", "isConnected", "item", "lastChild",
    "lastElementChild", "left", "localName", "matches", "nextElementSibling", "nextSibling", "nodeName", "nodeType",
    "nodeValue", "offsetHeight", "offsetLeft", "offsetTop", "offsetWidth", "outerHTML", "parentElement", "parentNode",
    "previousElementSibling", "previousSibling", "right", "scrollHeight", "scrollLeft", "scrollTop", "scrollWidth", "src",
    "tagName", "textContent", "top", "width", "x", "y",
    // Styles.
    "backgroundColor", "color", "cursor", "display", "fontFamily", "fontSize", "fontWeight", "getPropertyValue",
    "opacity", "overflow", "pointerEvents", "position", "textAlign", "textDecoration", "visibility", "zIndex",
    // Plain values.
    "at", "ceil", "concat", "endsWith", "entries", "every", "filter", "find", "findIndex", "flat", "flatMap", "floor",
    "forEach", "from", "includes", "indexOf", "isArray", "join", "keys", "length", "map", "max", "min", "reduce", "repeat",
    "replaceAll", "reverse", "round", "slice", "some", "sort", "split", "startsWith", "stringify", "substring", "toFixed",
    "toLowerCase", "toString", "toUpperCase", "trim", "values",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_only_read_are_distinguished_from_others() {
        for script in [
            "1 + 1",
            "document.title",
            "() => document.querySelector('#a[b=\"]\"]').getBoundingClientRect().top",
            "() => [...document.querySelectorAll('a')].map((a, i) => ({ n: i, to: a.href, 'x y': a.textContent.trim() }))",
            "(element) => { const style = getComputedStyle(element); return style.display === 'none' ? 0 : style.color; }",
            "async () => { /* why */ return JSON.stringify(location.href) } // done",
            "el => el?.children[0].outerHTML ?? null",
            "window.innerWidth > 600 && document.body.scrollTop >= 0",
        ] {
            assert_eq!(ScriptWorld::choose_world(script), ScriptWorld::Isolated, "{script}");
        }
        for script in [
            "fromThePage",
            "() => window.app.state",
            "window['app']",
            "() => window[name]",
            "document.querySelector('x-field').value",
            "document.title = 'x'",
            "el => { el.scrollTop += 5 }",
            "let n = 0; n++",
            "alert('Hello')",
            "() => fetch('/x')",
            "el => el.click()",
            "`${document.title}`",
            "/a/.test(document.title)",
            "new Date()",
            "this.title",
            "top",
            "({ title })",
            "function f() { return document.title }",
            "const { app } = window; app",
            "'unended",
            "document.querySelector('a').__vue__",
            "(a = document.title) => a",
        ] {
            assert_eq!(ScriptWorld::choose_world(script), ScriptWorld::Main, "{script}");
        }
    }
}
