//! Sitemaps: the pages that a site lists itself. <https://www.sitemaps.org/protocol.html>
use std::collections::{HashSet, VecDeque};
use std::io::Read as _;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::Event;
use url::Url;

use crate::browser::BrowserContext;
use crate::error::Result;
use crate::session::pacing::{Pacing, fetch_as_crawler};

/// The size of a sitemap that is read, unpacked; the protocol allows 50 MB.
const LARGEST: usize = 64 << 20;
/// The number of files of one sitemap index that are read.
const MOST_FILES: usize = 1_000;
/// The number of pages that are read of all files.
const MOST_PAGES: usize = 500_000;
const LIMIT: Duration = Duration::from_secs(30);

/// The content of one sitemap file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sitemap {
    pages: Vec<String>,
    /// The sitemaps that a sitemap index lists.
    sitemaps: Vec<String>,
}

/// Whether a URL looks like a sitemap, so that its content is worth a look before a page is opened.
pub(super) fn may_be_sitemap(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    path.contains("sitemap") || path.rsplit('.').next().is_some_and(|ending| matches!(ending, "xml" | "gz"))
}

/// Returns the pages that a sitemap lists, directly or through other sitemaps of its host. `None` if the URL
/// names no sitemap.
pub(super) async fn listed_pages(
    context: &BrowserContext,
    pacing: &Pacing,
    url: &Url,
) -> Result<Option<Vec<String>>> {
    let mut pages = Vec::new();
    let mut seen = HashSet::from([url.clone()]);
    let mut queue = VecDeque::from([url.clone()]);
    let mut is_sitemap = false;
    while let Some(next) = queue.pop_front() {
        pacing.wait_to_crawl(context, &next, false).await?;
        let answer = fetch_as_crawler(context, next.as_str(), LIMIT, LARGEST).await;
        let read = match answer {
            Ok(answer) if (200..300).contains(&answer.status) => read(&answer.body),
            Err(error) if !is_sitemap => return Err(error),
            Ok(_) | Err(_) => None,
        };
        let Some(sitemap) = read else {
            // A broken part of an index does not keep the others from being read.
            if is_sitemap {
                continue;
            }
            return Ok(None);
        };
        is_sitemap = true;
        pages.extend(sitemap.pages);
        pages.truncate(MOST_PAGES);
        for inner in sitemap.sitemaps.iter().filter_map(|inner| url.join(inner).ok()) {
            if inner.host_str() == url.host_str() && seen.len() < MOST_FILES && seen.insert(inner.clone()) {
                queue.push_back(inner);
            }
        }
    }
    Ok(Some(pages))
}

/// Reads a sitemap or a sitemap index, packed or not. `None` if it is neither. Of a broken file, what precedes
/// the error counts.
fn read(bytes: &[u8]) -> Option<Sitemap> {
    let mut unpacked = Vec::new();
    let mut text = bytes;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let _ = MultiGzDecoder::new(bytes).take(LARGEST as u64).read_to_end(&mut unpacked);
        text = &unpacked;
    }
    let text = String::from_utf8_lossy(text);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut sitemap = Sitemap::default();
    let mut open: Vec<Vec<u8>> = Vec::new();
    let mut location = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => open.push(element.local_name().as_ref().as_bytes().to_vec()),
            Ok(Event::Text(part)) => location.push_str(&part.xml10_content()),
            Ok(Event::CData(part)) => location.push_str(&part.xml10_content()),
            Ok(Event::GeneralRef(part)) => match part.resolve_char_ref() {
                Ok(Some(letter)) => location.push(letter),
                _ => location.push_str(match part.xml10_content().as_ref() {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "apos" => "'",
                    "quot" => "\"",
                    _ => "",
                }),
            },
            Ok(Event::End(_)) => {
                let text = std::mem::take(&mut location).trim().to_owned();
                match open.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
                    [b"urlset", b"url", b"loc"] => sitemap.pages.push(text),
                    [b"sitemapindex", b"sitemap", b"loc"] => sitemap.sitemaps.push(text),
                    _ => {}
                }
                if open.len() == 1 {
                    return Some(sitemap);
                }
                open.pop();
            }
            Ok(Event::Eof) | Err(_) => {
                let is_known =
                    open.first().is_some_and(|root| matches!(&root[..], b"urlset" | b"sitemapindex"));
                return is_known.then_some(sitemap);
            }
            Ok(_) => {}
        }
        let is_other = open.first().is_some_and(|root| !matches!(&root[..], b"urlset" | b"sitemapindex"));
        if is_other {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    const PAGES: &str = r#"<?xml version="1.0"?><!-- x --><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="x"><url><loc> http://a.example/?a=1&amp;b=2 </loc><image:image><image:loc>http://a.example/i.png
        </image:loc></image:image></url><url><lastmod>2026</lastmod><loc><![CDATA[http://a.example/x]]></loc></url></urlset>"#;

    #[test]
    fn pages_and_indexes_are_read_packed_or_not() {
        let expected = vec!["http://a.example/?a=1&b=2".to_owned(), "http://a.example/x".to_owned()];
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(PAGES.as_bytes()).unwrap();
        for bytes in [PAGES.as_bytes(), &packed.finish().unwrap(), format!("\u{feff}{PAGES}").as_bytes()] {
            assert_eq!(read(bytes).unwrap().pages, expected);
        }
        let index = "<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap></sitemapindex>";
        assert_eq!(read(index.as_bytes()).unwrap().sitemaps, ["/s1.xml"]);
        let torn = read(&PAGES.as_bytes()[..PAGES.find("<lastmod>").unwrap()]).unwrap();
        assert_eq!(torn.pages, expected[..1]);
        for other in ["", "x", "<html><body>", "<rss><channel/></rss>", "{}", "<!DOCTYPE html><p>"] {
            assert_eq!(read(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_content_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..PAGES.len()) {
            read(&bytes);
            if let Some(text) = PAGES.get(..cut) {
                let text = [text.as_bytes(), &bytes].concat();
                read(&text);
            }
        }
    }
}
