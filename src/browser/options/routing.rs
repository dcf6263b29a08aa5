//! URL globs, and the choice of requests to intercept.
use regex::Regex;

/// A glob for full URLs, as in Playwright: `*` matches anything but a slash, `**` anything, `{a,b}` one of
/// several. Everything else matches itself.
#[derive(Debug, Clone)]
pub struct UrlGlob {
    text: String,
    pattern: Regex,
}

impl UrlGlob {
    /// Parses a glob; `None` if its braces are unbalanced.
    pub fn new(glob: &str) -> Option<Self> {
        Regex::new(&pattern_of(glob)).ok().map(|pattern| Self { text: glob.to_owned(), pattern })
    }

    pub fn matches(&self, url: &str) -> bool {
        self.pattern.is_match(url)
    }
}

impl PartialEq for UrlGlob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for UrlGlob {}

fn pattern_of(glob: &str) -> String {
    let mut pattern = String::from("(?s)^");
    let letters: Vec<char> = glob.chars().collect();
    let (mut at, mut in_group) = (0, false);
    while let Some(&letter) = letters.get(at) {
        at += 1;
        match letter {
            '\\' if at < letters.len() => {
                pattern.push_str(&regex::escape(&letters[at].to_string()));
                at += 1;
            }
            '*' => {
                let start = at - 1;
                while letters.get(at) == Some(&'*') {
                    at += 1;
                }
                let begins_part = start == 0 || letters[start - 1] == '/';
                if at - start == 1 {
                    pattern.push_str("[^/]*");
                } else if begins_part && letters.get(at) == Some(&'/') {
                    pattern.push_str("(?:.+/)?");
                    at += 1;
                } else {
                    pattern.push_str(".*");
                }
            }
            '{' => {
                in_group = true;
                pattern.push_str("(?:");
            }
            '}' => {
                in_group = false;
                pattern.push(')');
            }
            ',' if in_group => pattern.push('|'),
            other => pattern.push_str(&regex::escape(&other.to_string())),
        }
    }
    pattern.push('$');
    pattern
}

/// The requests to intercept, by URL. Other requests are not delayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InterceptedUrls {
    #[default]
    None,
    Matching(Vec<UrlGlob>),
    All,
}

impl InterceptedUrls {
    pub(in crate::browser) fn is_none(&self) -> bool {
        *self == Self::None
    }

    pub(in crate::browser) fn holds(&self, url: &str) -> bool {
        match self {
            Self::None => false,
            Self::Matching(globs) => globs.iter().any(|glob| glob.matches(url)),
            Self::All => true,
        }
    }
}

impl From<bool> for InterceptedUrls {
    fn from(all: bool) -> Self {
        if all { Self::All } else { Self::None }
    }
}

#[cfg(test)]
mod tests {
    use super::UrlGlob;

    #[test]
    fn wildcards_mean_what_playwright_says() {
        for (glob, url, fits) in [
            ("**/api/*", "https://a.example/api/users", true),
            ("**/api/*", "https://a.example/api/users/1", false),
            ("**/api/**", "https://a.example/api/users/1", true),
            ("https://a.example/**/x", "https://a.example/x", true),
            ("https://a.example/**/x", "https://a.example/b/c/x", true),
            ("**/*.{png,jpg}", "https://a.example/b.jpg", true),
            ("**/*.{png,jpg}", "https://a.example/b.gif", false),
            ("https://a.example/?q=[1]", "https://a.example/?q=[1]", true),
            ("https://a.example/?q=[1]", "https://a.example/xq=1", false),
            ("https://a.example/\\*", "https://a.example/*", true),
            ("https://a.example/\\*", "https://a.example/b", false),
        ] {
            let glob_of = UrlGlob::new(glob).expect("a pattern");
            assert_eq!(glob_of.matches(url), fits, "{glob} and {url}");
        }
        assert!(UrlGlob::new("**/{a").is_none());
    }
}
