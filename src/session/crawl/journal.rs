//! The files of a crawl: the pages, the index, and the journal by which an interrupted crawl goes on.
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::options::SkipReason;
use super::urls::key;
use crate::error::{Error, Result};
use crate::folders::make_private;
use crate::hex::hex;

pub(super) const INDEX: &str = "index.jsonl";
const JOURNAL: &str = "index.jsonl.progress";
/// The longest file name of a page, in bytes.
const LONGEST_NAME: usize = 200;
/// Names that Windows reserves, whatever their ending.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
/// How long to wait for a crawl in the same folder that is ending.
const LOCK_LIMIT: Duration = Duration::from_secs(3);

/// What must be the same when a crawl goes on in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CrawlIdentity {
    pub url: String,
    pub max_depth: Option<u32>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub respect_robots: bool,
}

/// A line of the index: a page, a duplicate or a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct IndexLine {
    pub url: String,
    /// The URL that was opened, if it redirected to `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<usize>,
    /// The URL of the page that has the same content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub fetched: String,
    /// The canonical URL that the page names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The beginning of the SHA-256 of the page's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// A line of the journal: what one visit found. It precedes the visit's line in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalStep {
    /// The URL that was visited; empty for the start of the crawl.
    pub from: String,
    /// New URLs to visit, with their depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<(String, u32)>,
    /// New URLs that are not visited, or whose visit gave no page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<(SkipReason, String)>,
    /// The host to which the start page redirected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// What a folder contains of an earlier run.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    pub steps: Vec<JournalStep>,
    pub lines: Vec<IndexLine>,
    /// Whether there was an earlier run.
    pub is_resumed: bool,
}

/// The open files of a crawl. Only one crawl at a time has them.
#[derive(Debug)]
pub(super) struct CrawlFolder {
    folder: PathBuf,
    index: File,
    /// Locked for as long as it is open.
    journal: File,
    /// The names in use, in lower case: some file systems know no other.
    names: HashSet<String>,
}

impl CrawlFolder {
    /// Opens the folder of a crawl, or creates it. Repairs what an interruption left.
    ///
    /// # Errors `file` if the folder contains something else, or if another crawl writes to it.
    pub(super) fn open(folder: &Path, identity: &CrawlIdentity) -> Result<(Self, Recovered)> {
        let refused =
            |reason: &str| Error::File { path: folder.display().to_string(), reason: reason.into() };
        let failed = |error: io::Error| refused(&error.to_string());
        make_private(folder).map_err(failed)?;
        let path = folder.join(JOURNAL);
        if !path.exists() && fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(refused("the folder is not empty and contains no crawl; choose another"));
        }
        let mut journal = open(&path).map_err(failed)?;
        if !lock(&journal).map_err(failed)? {
            return Err(refused("another crawl writes to this folder; wait for its end, or choose another"));
        }
        let mut recovered = Recovered::default();
        let header = read_header(&mut journal).map_err(failed)?;
        match header {
            Some(earlier) if earlier != *identity => return Err(refused(&differences(&earlier, identity))),
            Some(_) => recovered.is_resumed = true,
            None => {
                journal.set_len(0).map_err(failed)?;
                append(&mut journal, &json!({ "crawl": identity })).map_err(failed)?;
            }
        }
        recovered.steps = recover(&mut journal, 1).map_err(failed)?;
        let index = recover_index(folder, &mut recovered).map_err(failed)?;
        let names =
            recovered.lines.iter().filter_map(|line| line.file.as_ref()).map(|file| file.to_lowercase());
        let names = names.chain([INDEX.to_owned(), JOURNAL.to_owned()]).collect();
        Ok((Self { folder: folder.to_owned(), index, journal, names }, recovered))
    }

    pub(super) fn index_path(&self) -> PathBuf {
        self.folder.join(INDEX)
    }

    /// Writes the result of a visit: first the page, then what it found, and its line in the index last. What
    /// has a line is done; an interruption before that repeats the visit.
    pub(super) fn record(
        &mut self,
        step: &JournalStep,
        mut line: Option<&mut IndexLine>,
        text: Option<&str>,
    ) -> Result<()> {
        let path = self.folder.clone();
        let mut write = || -> io::Result<()> {
            if let (Some(line), Some(text)) = (line.as_deref_mut(), text) {
                line.file = Some(self.write_page(line, text)?);
            }
            append(&mut self.journal, step)?;
            line.as_deref().map_or(Ok(()), |line| append(&mut self.index, line))
        };
        write().map_err(|error| Error::File { path: path.display().to_string(), reason: error.to_string() })
    }

    /// Writes the file of a page, whole or not at all. Returns its name.
    fn write_page(&mut self, line: &IndexLine, text: &str) -> io::Result<String> {
        let name = self.free_name(&line.url);
        let title = serde_json::to_string(line.title.as_deref().unwrap_or_default())?;
        let front = format!("---\nurl: {}\ntitle: {title}\nfetched: {}\n---\n\n", line.url, line.fetched);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(front.as_bytes())?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.as_file().sync_data()?;
        file.persist(self.folder.join(&name)).map_err(|error| error.error)?;
        self.names.insert(name.to_lowercase());
        Ok(name)
    }

    fn free_name(&self, url: &str) -> String {
        let (plain, exact) = file_names(url);
        if self.names.contains(&plain.to_lowercase()) { exact } else { plain }
    }
}

/// Returns the file name of a URL, and the one to use if another URL has that already.
fn file_names(url: &str) -> (String, String) {
    let code = digest(url.as_bytes());
    let (mut stem, is_exact) = match Url::parse(url) {
        Ok(url) => readable(&url),
        Err(_) => (String::new(), false),
    };
    let room = LONGEST_NAME - code.len() - "-.md".len();
    let is_short = stem.len() <= room;
    stem.truncate(stem.floor_char_boundary(room));
    let exact = format!("{stem}-{code}.md");
    (if is_exact && is_short { format!("{stem}.md") } else { exact.clone() }, exact)
}

/// Returns path and query of a URL as the beginning of a file name, and whether it tells URLs apart.
fn readable(url: &Url) -> (String, bool) {
    let path = url.path().trim_matches('/');
    if path.is_empty() && url.query().is_none() {
        return ("index".to_owned(), true);
    }
    let mut stem = String::new();
    for letter in path.chars().chain(url.query().into_iter().flat_map(|query| query.chars())) {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' => stem.push(letter),
            '.' if !stem.is_empty() => stem.push(letter),
            _ if !stem.ends_with('-') => stem.push('-'),
            _ => {}
        }
    }
    let stem = stem.trim_matches(['-', '.']).to_owned();
    let is_plain = path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/_.-".contains(letter));
    let start: String = stem.chars().take(3).collect();
    let is_reserved = RESERVED.contains(&start.to_ascii_lowercase().as_str()) && stem.len() <= 4;
    let is_exact = is_plain && url.query().is_none() && !is_reserved && !stem.is_empty();
    (stem, is_exact)
}

/// Returns the beginning of the SHA-256 of some bytes, as 16 hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes).0[..8])
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Locks a file. Returns false if somebody else keeps it locked. The end of a process unlocks its files.
fn lock(file: &File) -> io::Result<bool> {
    let deadline = Instant::now() + LOCK_LIMIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Appends a line by one write, and waits until it is on the disk.
fn append(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(line)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

/// Returns the options of the crawl that wrote a journal; `None` if it has none yet.
fn read_header(journal: &mut File) -> io::Result<Option<CrawlIdentity>> {
    #[derive(Deserialize)]
    struct Header {
        crawl: CrawlIdentity,
    }
    let mut text = Vec::new();
    journal.seek(SeekFrom::Start(0))?;
    journal.read_to_end(&mut text)?;
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
    let header = serde_json::from_slice::<Header>(&text[..end]);
    let header = header.map_err(|_| io::Error::other(format!("{JOURNAL} is not the journal of a crawl")))?;
    Ok(Some(header.crawl))
}

/// Reads the whole lines of a file after the first `skip`. Cuts off a line that is torn, and what follows it.
fn recover<T: DeserializeOwned>(file: &mut File, skip: usize) -> io::Result<Vec<T>> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut text)?;
    let (mut lines, mut sound) = (Vec::new(), 0);
    for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number >= skip {
            let Some(line) = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok())
            else {
                break;
            };
            lines.push(line);
        }
        sound += line.len();
    }
    if sound < text.len() {
        file.set_len(sound as u64)?;
        file.sync_data()?;
    }
    Ok(lines)
}

/// Opens the index. Removes failures, which are tried again, and pages whose file or step in the journal is lost.
fn recover_index(folder: &Path, recovered: &mut Recovered) -> io::Result<File> {
    let path = folder.join(INDEX);
    let mut index = open(&path)?;
    let all = recover::<IndexLine>(&mut index, 0)?;
    let visited: HashSet<_> = recovered.steps.iter().map(|step| step.from.as_str()).collect();
    let mut seen = HashSet::new();
    let is_kept = |line: &IndexLine| {
        line.error.is_none()
            && visited.contains(line.requested.as_deref().unwrap_or(&line.url))
            && line.file.as_ref().is_none_or(|file| folder.join(file).is_file())
    };
    let kept: Vec<_> =
        all.iter().filter(|line| is_kept(line) && seen.insert(url_key(&line.url))).cloned().collect();
    if kept.len() < all.len() {
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        for line in &kept {
            serde_json::to_writer(&mut fresh, line)?;
            fresh.write_all(b"\n")?;
        }
        fresh.as_file().sync_data()?;
        fresh.persist(&path).map_err(|error| error.error)?;
        index = open(&path)?;
    }
    recovered.lines = kept;
    Ok(index)
}

/// Returns the key of a URL that the crawl has written.
pub(super) fn url_key(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| key(&url))
}

/// Names the options in which two crawls differ.
fn differences(earlier: &CrawlIdentity, now: &CrawlIdentity) -> String {
    let (earlier, now) = (json!(earlier), json!(now));
    let pairs = earlier.as_object().into_iter().flatten();
    let differing: Vec<_> = pairs
        .filter(|(name, value)| now[*name] != **value)
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    format!(
        "the folder contains a crawl with {}; use the same to continue it, or another folder",
        differing.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn identity() -> CrawlIdentity {
        let url = "http://a.example/".to_owned();
        CrawlIdentity { url, max_depth: None, include: Vec::new(), exclude: Vec::new(), respect_robots: true }
    }

    fn step(number: usize) -> (JournalStep, IndexLine) {
        let url = format!("http://a.example/{number}");
        let found = vec![(format!("http://a.example/{}", number + 1), 1)];
        let line = IndexLine { url: url.clone(), title: Some("é".to_owned()), ..IndexLine::default() };
        (JournalStep { from: url, found, ..JournalStep::default() }, line)
    }

    fn write(folder: &Path, numbers: std::ops::Range<usize>) -> Recovered {
        let (mut open, recovered) = CrawlFolder::open(folder, &identity()).unwrap();
        for number in numbers {
            let (step, mut line) = step(number);
            open.record(&step, Some(&mut line), Some("text")).unwrap();
        }
        recovered
    }

    #[test]
    fn a_folder_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 0..1);
        let other = CrawlIdentity { max_depth: Some(2), ..identity() };
        let refused = CrawlFolder::open(folder.path(), &other).unwrap_err();
        assert!(refused.to_string().contains("maxDepth null"), "{refused}");
        let strange = tempfile::tempdir().unwrap();
        fs::write(strange.path().join("mine.md"), "x").unwrap();
        assert_eq!(CrawlFolder::open(strange.path(), &identity()).unwrap_err().code(), "file");
        let _held = CrawlFolder::open(folder.path(), &identity()).unwrap();
        let refused = CrawlFolder::open(folder.path(), &identity()).unwrap_err();
        assert!(refused.to_string().contains("another crawl"), "{refused}");
    }

    #[test]
    fn failures_and_lost_pages_are_visited_again() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 0..3);
        let mut open = CrawlFolder::open(folder.path(), &identity()).unwrap().0;
        let (step, line) = step(3);
        let mut failed = IndexLine { error: Some("x".to_owned()), ..line };
        open.record(&step, Some(&mut failed), None).unwrap();
        drop(open);
        fs::remove_file(folder.path().join("1.md")).unwrap();
        let urls: Vec<_> = write(folder.path(), 0..0).lines.into_iter().map(|line| line.url).collect();
        assert_eq!(urls, ["http://a.example/0", "http://a.example/2"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// Wherever the end of a process cuts the files, whole lines stay, and nothing is lost or twice afterwards.
        #[test]
        fn files_cut_anywhere_are_repaired(journal_cut in 0_usize..400, index_cut in 0_usize..700, junk in "[a-z{\"]{0,9}") {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), 0..4);
            for (name, cut) in [(JOURNAL, journal_cut), (INDEX, index_cut)] {
                let path = folder.path().join(name);
                let mut bytes = fs::read(&path).unwrap();
                let whole = if name == JOURNAL { bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1 } else { 0 };
                bytes.truncate(bytes.len().saturating_sub(cut).max(whole));
                bytes.extend(junk.as_bytes());
                fs::write(&path, bytes).unwrap();
            }
            let recovered = write(folder.path(), 0..0);
            let steps: Vec<_> = (0..recovered.steps.len()).map(|number| step(number).0).collect();
            prop_assert_eq!(&recovered.steps, &steps);
            prop_assert!(recovered.lines.len() <= recovered.steps.len());
            write(folder.path(), recovered.lines.len()..4);
            let again = write(folder.path(), 0..0);
            let urls: Vec<_> = again.lines.iter().map(|line| line.url.clone()).collect();
            let expected: Vec<_> = (0..4).map(|number| step(number).1.url).collect();
            prop_assert_eq!(urls, expected);
        }

        #[test]
        fn names_are_safe_short_and_of_one_url(one in "(/[a-zA-Z0-9._%é:*-]{0,90}){0,4}(\\?[a-z=&]{0,200})?", other in "(/[a-z._-]{0,4}){0,3}") {
            let url = |path: &str| Url::parse(&format!("http://a.example{path}")).unwrap().to_string();
            for (plain, exact) in [file_names(&url(&one)), file_names(&url(&other))] {
                for name in [plain, exact] {
                    prop_assert!(name.len() <= LONGEST_NAME && !name.starts_with('.'), "{}", name);
                    prop_assert_eq!(name.rsplit_once('.').map(|(_, end)| end), Some("md"));
                    prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)), "{}", name);
                }
            }
            prop_assert!(url(&one) == url(&other) || file_names(&url(&one)).1 != file_names(&url(&other)).1);
        }
    }
}
