//! Parses and checks the URLs that tools are asked to open.
use url::Url;

use crate::Result;
use crate::browser::policy::is_loopback_host_name;
use crate::error::Error;
use crate::mcp::settings::Settings;

/// Parses a URL that a tool is to open, and checks it against the settings. Resolves links in `file:` URLs.
///
/// # Errors `url_refused` for an invalid URL, or one that the settings forbid.
pub(super) fn read_under(settings: &Settings, text: &str) -> Result<Url> {
    let url = read(text)?;
    match url.scheme() {
        "file" if settings.files.allow_urls => settings.files.roots.resolve_url(&url),
        "file" => {
            let reason = "files are opened only where the server was started with --allow-files";
            Err(Error::UrlRefused { reason: reason.to_owned() })
        }
        _ => Ok(url),
    }
}

/// Parses a URL as a person types it. Default scheme: `https`; `http` for hosts on this machine.
fn read(text: &str) -> Result<Url> {
    let text = text.trim();
    let refused = |reason: &str| Error::UrlRefused { reason: reason.to_owned() };
    let is_relative = text.starts_with(['/', '.', '?', '#']) && !text.starts_with("//");
    if is_relative {
        return Err(refused("it is relative; give the whole URL, such as https://example.com/path"));
    }
    let url = if has_scheme(text) {
        Url::parse(text)
    } else {
        Url::parse(&format!("{}://{text}", guess_scheme(text)))
    };
    let url = url.map_err(|error| Error::UrlRefused { reason: error.to_string() })?;
    match url.scheme() {
        "http" | "https" | "data" | "file" => Ok(url),
        "about" if url.path() == "blank" => Ok(url),
        _ => Err(refused("only http, https, data and about:blank are opened")),
    }
}

/// Whether a text begins with a scheme. `localhost:8080/x` has none: it begins with a host and a port.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.chars();
    let is_name = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    is_name && !is_port
}

fn guess_scheme(text: &str) -> &'static str {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let is_local = is_loopback_host_name(host) || host == "[::1]" || host.starts_with("127.");
    if is_local { "http" } else { "https" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (typed, expected) in [
            ("https://a.example/x?y#z", "https://a.example/x?y#z"),
            (" a.example ", "https://a.example/"),
            ("a.example:8443/x", "https://a.example:8443/x"),
            ("localhost:8080/x", "http://localhost:8080/x"),
            ("127.0.0.1:80", "http://127.0.0.1/"),
            ("[::1]:9/x", "http://[::1]:9/x"),
            ("HTTP://A.example", "http://a.example/"),
            ("about:blank", "about:blank"),
            ("data:text/html,<p>", "data:text/html,<p>"),
        ] {
            assert_eq!(read(typed).unwrap().as_str(), expected, "{typed}");
        }
    }

    #[test]
    fn addresses_that_are_relative_or_reach_inside_are_refused() {
        for typed in [
            "javascript:alert(1)",
            " java\nscript:alert(1)",
            "chrome://settings",
            "devtools://devtools",
            "view-source:https://a.example",
            "about:config",
            "blob:https://a.example/1",
            "filesystem:https://a.example/x",
            "ftp://a.example",
            "",
            "https://",
            "http://a b",
            "/api",
            "../x",
            "?q=1",
            "#top",
        ] {
            assert_eq!(read(typed).unwrap_err().code(), "url_refused", "{typed}");
        }
    }
}
