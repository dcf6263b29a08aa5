//! Fuzz targets: parsers of untrusted input, each called with arbitrary bytes. `cargo test` uses seeds and
//! variations of them; `make fuzz` uses libFuzzer.
use std::collections::HashMap;
use std::time::Duration;

use rmcp::transport::Transport as _;
use serde_json::{Map, Value};
use tokio::io::{AsyncWriteExt as _, duplex, sink, split};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::browser::policy::{OriginPattern, Policy};
use crate::browser::proxy::Proxy;
use crate::browser::selector::Selector;
use crate::browser::{StorageState, UrlGlob, fuzz_archive, fuzz_cookies};
use crate::cdp::Connection;
use crate::cdp::transport::Pipe;
use crate::cdp::types::target::GetTargets;
use crate::mcp::http::fuzz_guard;
use crate::mcp::stdio::StdioTransport;
use crate::mcp::{arguments, page_text, strict_json, tools};
use crate::session::pacing;
use crate::snapshot::{self, Options, Tree};

/// A fuzz target: its name, and the function that runs it on the given bytes.
pub type FuzzTarget = (&'static str, fn(&[u8]));

pub const FUZZ_TARGETS: [FuzzTarget; 15] = [
    ("stdio", stdio),
    ("pipe", pipe),
    ("strict_json", strict),
    ("arguments", check_arguments),
    ("snapshot", walks),
    ("selector", selectors),
    ("guard", requests),
    ("storage_state", states),
    ("origins", origins),
    ("globs", globs),
    ("robots", robots),
    ("set_cookie", |bytes| text(bytes, fuzz_cookies)),
    ("cookies", |bytes| text(bytes, tools::storage::fuzz)),
    ("page_text", said),
    ("archive", fuzz_archive),
];

fn text(bytes: &[u8], read: impl Fn(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        read(text);
    }
}

/// Splits a text at the first U+0001. Without one, the second part is empty.
fn halves(text: &str) -> (&str, &str) {
    text.split_once('\u{1}').unwrap_or((text, ""))
}

fn in_runtime(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(work);
}

/// Reads the bytes as the standard input of an MCP client. The transport must always reach the end.
fn stdio(bytes: &[u8]) {
    in_runtime(async {
        let mut lines = StdioTransport::new(bytes, sink(), CancellationToken::new());
        while lines.receive().await.is_some() {}
        let _ = lines.close().await;
    });
}

/// Feeds the bytes and then a reply to a connection. The call must get the reply, or the connection must end.
fn pipe(bytes: &[u8]) {
    in_runtime(async {
        let (ours, mut theirs) = duplex(bytes.len() + 1024);
        let (reader, writer) = split(ours);
        let connection = Connection::start(Pipe::new(reader, writer));
        let asked = connection.root().send(GetTargets::default()).within(Duration::from_secs(20));
        theirs.write_all(bytes).await.expect("room");
        theirs.write_all(b"\0{\"id\":1,\"result\":{\"targetInfos\":[]}}\0").await.expect("room");
        let answered = asked.await;
        assert!(!matches!(answered, Err(crate::Error::NoAnswer { .. })), "{answered:?}");
        assert_eq!(connection.pending(), 0);
    });
}

/// Whatever the strict JSON parser accepts, `serde_json` must parse to the same value.
fn strict(bytes: &[u8]) {
    if let Ok(value) = strict_json::read(bytes) {
        let others: Value = serde_json::from_slice(bytes).expect("it was read");
        assert_eq!(value, others);
    }
}

/// Validates the bytes as JSON arguments of a tool. The first byte selects the tool.
fn check_arguments(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let tool = &tools::ALL_TOOLS[usize::from(*first) % tools::ALL_TOOLS.len()];
    let Ok(mut given) = serde_json::from_slice::<Map<String, Value>>(rest) else { return };
    for problem in arguments::check_arguments(tool.schema(), &mut given) {
        assert!(!problem.is_empty());
    }
    // A second check must not change arguments that the first one has corrected.
    let once = given.clone();
    if arguments::check_arguments(tool.schema(), &mut given).is_empty() {
        assert_eq!(once, given);
    }
}

/// Renders snapshots of two frames and the diff to an earlier snapshot, all parsed from the bytes.
fn walks(bytes: &[u8]) {
    text(bytes, |text| {
        let parts: Vec<_> = text.split('\u{1}').collect();
        let tree = |first: &str, second: &str| {
            let parse = |text| snapshot::Frame::parse(text).ok();
            let frames = HashMap::from([(0, parse(first)?), (1, parse(second).or_else(|| parse(first))?)]);
            Some(Tree::assemble(0, 0, 0, 0, frames))
        };
        let Some(new) = parts.first().and_then(|first| tree(first, parts.get(1).unwrap_or(&""))) else {
            return;
        };
        let options = Options { all_refs: true, max_chars: 2000, ..Options::default() };
        let shown = snapshot::render(&new, &options);
        assert!(shown.text.chars().count() <= options.max_chars, "{}", shown.text);
        let old = parts.get(2).and_then(|first| tree(first, parts.get(1).unwrap_or(&"")));
        let _ = snapshot::diff(old.as_ref().unwrap_or(&new), &new).render(&options);
    });
}

fn selectors(bytes: &[u8]) {
    text(bytes, |text| drop(Selector::parse(text)));
}

/// Runs the HTTP server's request guard on a URL, a host and an origin, separated by byte 1.
fn requests(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == 1);
    let uri = parts.next().and_then(|uri| std::str::from_utf8(uri).ok());
    if let (Some(uri), Some(host)) = (uri, parts.next()) {
        fuzz_guard(uri, host, parts.next());
    }
}

/// A parsed storage state must stay the same when it is written and parsed again.
fn states(bytes: &[u8]) {
    text(bytes, |text| {
        if let Ok(state) = StorageState::parse(text) {
            let written = state.to_json().expect("it is written");
            let again = StorageState::parse(&written).expect("it is read").to_json();
            assert_eq!(again.expect("it is written"), written);
        }
    });
}

/// A pattern as the only allowed origin and as the only blocked origin must have opposite results for a web URL.
fn origins(bytes: &[u8]) {
    text(bytes, |text| {
        let (pattern, address) = halves(text);
        let _ = Proxy::new(text, None, None, None).map(|proxy| proxy.server());
        if let (Ok(pattern), Ok(url)) = (pattern.parse::<OriginPattern>(), Url::parse(address)) {
            let blocking = Policy { blocked: vec![pattern.clone()], ..Policy::default() };
            let allowing = Policy { allowed: vec![pattern], ..Policy::default() };
            let is_web = ["http", "https", "ws", "wss"].contains(&url.scheme()) && url.has_host();
            assert!(!is_web || blocking.permits(&url) != allowing.permits(&url), "{text}");
        }
    });
}

/// Matches a glob with a URL. A URL with every character escaped, as a glob, must match only itself.
fn globs(bytes: &[u8]) {
    text(bytes, |text| {
        let (glob, address) = halves(text);
        let _ = UrlGlob::new(glob).map(|glob| glob.matches(address));
        let escaped: String = address.chars().flat_map(|letter| ['\\', letter]).collect();
        let itself = UrlGlob::new(&escaped).expect("a pattern");
        assert!(itself.matches(address), "{address}");
        assert!(
            !itself.matches(&format!("{address}x")) && (address == glob || !itself.matches(glob)),
            "{text}"
        );
    });
}

fn robots(bytes: &[u8]) {
    text(bytes, |text| {
        let (path, rules) = halves(text);
        pacing::fuzz(rules, path);
    });
}

/// Text from a page must stay on one line in reports, and must survive the conversion to JSON.
fn said(bytes: &[u8]) {
    text(bytes, |text| {
        for shown in
            [page_text::line_or_json(text), page_text::inline_url(text), page_text::text_or_json(text)]
        {
            assert!(!shown.chars().any(char::is_control), "{shown:?}");
        }
        let shown = page_text::json(&serde_json::json!({ text: [text] }));
        // Not parsed as a `Value`, which treats an object with a private key of `serde_json` specially.
        let read: HashMap<String, Vec<String>> = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(read[text], [text]);
    });
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    /// All targets except `pipe`: in unit tests a connection works only inside shuttle, so `tests/it/fuzz.rs`
    /// runs that target.
    fn targets() -> Vec<FuzzTarget> {
        FUZZ_TARGETS.into_iter().filter(|(name, _)| *name != "pipe").collect()
    }

    fn seeds(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        let files = fs::read_dir(folder).expect("seeds");
        files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect()
    }

    /// Generates an edit of a seed: the position, the number of bytes to remove, and the bytes to insert.
    fn change() -> impl Strategy<Value = (Index, usize, Vec<u8>)> {
        let bytes = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..4),
            ".{0,3}".prop_map(String::into_bytes),
            "[\\[\\]{}\",:*/\\\\;=0-9.@\u{1}\n]{0,4}".prop_map(String::into_bytes),
        ];
        (any::<Index>(), 0..8_usize, bytes)
    }

    #[test]
    fn every_target_has_seeds_and_holds() {
        for (name, target) in targets() {
            let seeds = seeds(name);
            assert!(!seeds.is_empty(), "{name}");
            for seed in seeds {
                target(&seed);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn what_is_almost_a_seed_is_taken_or_refused(
            at in any::<Index>(),
            seed in any::<Index>(),
            changes in proptest::collection::vec(change(), 0..5),
        ) {
            let (name, target) = targets()[at.index(FUZZ_TARGETS.len() - 1)];
            let seeds = seeds(name);
            let mut bytes = seeds[seed.index(seeds.len())].clone();
            for (at, length, new) in changes {
                let start = at.index(bytes.len() + 1);
                let end = (start + length).min(bytes.len());
                bytes.splice(start..end, new);
            }
            target(&bytes);
        }
    }
}
