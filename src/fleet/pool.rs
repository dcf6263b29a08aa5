//! A pool of remote browsers, and the choice of a browser for the next session.
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::Instant;

use super::node::{PoolEntry, PoolNode};
use crate::error::{Error, Result};

/// The minimum interval at which host names are resolved and the pool file is read again.
const RHYTHM: Duration = Duration::from_secs(2);
/// How long to avoid a browser after its first failure. Further failures double this, to `LONGEST_REST`.
const FIRST_REST: Duration = Duration::from_millis(500);
const LONGEST_REST: Duration = Duration::from_secs(15);

/// A pool of remote browsers. Counts only the sessions of this server.
pub struct BrowserPool {
    source: PoolSource,
    /// How long a browser may take to respond.
    pub limit: Duration,
    state: Mutex<State>,
}

/// Where the list of browsers is read from.
enum PoolSource {
    /// The path of a file, which is read again when it changes.
    File(PathBuf),
    Listed(String),
}

#[derive(Default)]
struct State {
    known: Vec<(PoolNode, Option<(String, u16)>)>,
    nodes: Vec<Arc<PoolNode>>,
    read: Option<SystemTime>,
    looked: Option<Instant>,
    /// The number of this server's workspaces on each browser.
    loads: HashMap<String, usize>,
    /// Unreachable browsers: the number of failures, and when to retry.
    down: HashMap<String, (u32, Instant)>,
}

impl fmt::Debug for BrowserPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the list in `source`, which can contain keys.
        formatter.debug_struct("Pool").field("nodes", &self.state.lock().nodes).finish_non_exhaustive()
    }
}

/// A browser that may be chosen for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolCandidate {
    pub node: String,
    pub capacity: usize,
    /// The number of sessions on the browser, as far as this server knows.
    pub load: usize,
}

/// A reserved slot on a browser. Dropping it frees the slot.
#[derive(Debug)]
pub struct NodeReservation {
    pool: Arc<BrowserPool>,
    pub node: Arc<PoolNode>,
}

impl Drop for NodeReservation {
    fn drop(&mut self) {
        if let Some(load) = self.pool.state.lock().loads.get_mut(&self.node.name) {
            *load = load.saturating_sub(1);
        }
    }
}

impl BrowserPool {
    /// Creates a pool from URLs separated by commas, or from the path of a file.
    pub fn new(listed: &str, limit: Duration) -> Result<Arc<Self>> {
        let source = if listed.contains("://") {
            PoolSource::Listed(listed.to_owned())
        } else {
            PoolSource::File(listed.into())
        };
        let pool = Self { source, limit, state: Mutex::default() };
        pool.read()?;
        Ok(Arc::new(pool))
    }

    fn read(&self) -> Result<()> {
        let wrong = |problem: String| Error::InvalidArguments { problems: vec![problem] };
        let mut state = self.state.lock();
        let entries = match &self.source {
            PoolSource::Listed(_) if !state.known.is_empty() => return Ok(()),
            PoolSource::Listed(listed) => listed.split(',').map(|url| PoolEntry::of(url.trim())).collect(),
            PoolSource::File(path) => {
                let modified = std::fs::metadata(path).and_then(|about| about.modified()).ok();
                if modified.is_some() && state.read == modified {
                    return Ok(());
                }
                let entries = read_file(path)?;
                state.read = modified;
                entries
            }
        };
        let known = entries.into_iter().map(PoolEntry::read).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        if known.is_empty() {
            return Err(wrong("a pool needs at least one browser".to_owned()));
        }
        state.nodes = known
            .iter()
            .filter(|(_, lookup)| lookup.is_none())
            .map(|(node, _)| Arc::new(node.clone()))
            .collect();
        state.known = known;
        state.looked = None;
        Ok(())
    }

    /// Resolves host names and reads the file again, at most every 2 s.
    pub async fn refresh_nodes(&self) {
        {
            let state = self.state.lock();
            if state.looked.is_some_and(|looked| looked.elapsed() < RHYTHM) {
                return;
            }
        }
        if let Err(error) = self.read() {
            tracing::warn!(%error, "the pool's file cannot be read; what it said before holds");
        }
        let known = self.state.lock().known.clone();
        let mut nodes = Vec::new();
        for (node, lookup) in known {
            let Some((name, port)) = lookup else {
                nodes.push(Arc::new(node));
                continue;
            };
            match tokio::net::lookup_host((name.as_str(), port)).await {
                Ok(found) => nodes.extend(found.filter_map(|address| node.at(address)).map(Arc::new)),
                Err(error) => tracing::warn!(%error, "a name of the pool cannot be looked up"),
            }
        }
        nodes.sort_by(|one, other| one.name.cmp(&other.name));
        nodes.dedup_by(|one, other| one.name == other.name);
        let mut state = self.state.lock();
        (state.nodes, state.looked) = (nodes, Some(Instant::now()));
    }

    /// Returns the reachable browsers that accept sessions; with `label`, only those with this label.
    pub fn candidates(&self, label: Option<&str>) -> Vec<PoolCandidate> {
        self.state.lock().candidates(label)
    }

    /// Returns the number of browsers, and the number of those that accept sessions.
    pub fn node_counts(&self) -> (usize, usize) {
        let taking = self.candidates(None).len();
        (self.state.lock().nodes.len(), taking)
    }

    /// Reserves a slot on the browser `wanted`, or on the one with the lowest load relative to its capacity.
    pub fn reserve(self: &Arc<Self>, wanted: Option<&str>, label: Option<&str>) -> Result<NodeReservation> {
        let mut state = self.state.lock();
        let chosen = match wanted {
            Some(wanted) => Some(wanted.to_owned()),
            None => lightest(&state.candidates(label)).map(|offer| offer.node.clone()),
        };
        let node = chosen.and_then(|name| state.nodes.iter().find(|node| node.name == name).cloned());
        let Some(node) = node else { return Err(Error::PoolFull) };
        *state.loads.entry(node.name.clone()).or_default() += 1;
        Ok(NodeReservation { pool: Arc::clone(self), node })
    }

    /// Returns the browser with this name.
    pub fn node(&self, name: &str) -> Option<Arc<PoolNode>> {
        self.state.lock().nodes.iter().find(|node| node.name == name).cloned()
    }

    /// Records that a browser was unreachable, so that others are preferred for a while.
    pub fn mark_unreachable(&self, node: &str) {
        let mut state = self.state.lock();
        let failures = state.down.get(node).map_or(0, |(failures, _)| *failures);
        let rest = FIRST_REST.saturating_mul(1 << failures.min(10)).min(LONGEST_REST);
        state.down.insert(node.to_owned(), (failures + 1, Instant::now() + rest));
    }

    /// Records that a browser was reachable, which ends its pause.
    pub fn mark_reachable(&self, node: &str) {
        self.state.lock().down.remove(node);
    }
}

impl State {
    fn candidates(&self, label: Option<&str>) -> Vec<PoolCandidate> {
        let now = Instant::now();
        let rests = |node: &PoolNode| self.down.get(&node.name).is_some_and(|(_, until)| now < *until);
        let fits = |node: &PoolNode| label.is_none_or(|label| node.labels.contains(label));
        let takes = self.nodes.iter().filter(|node| !node.draining && !rests(node) && fits(node));
        let offer = |node: &Arc<PoolNode>| PoolCandidate {
            node: node.name.clone(),
            capacity: node.capacity.get(),
            load: self.loads.get(&node.name).copied().unwrap_or_default(),
        };
        takes.map(offer).collect()
    }
}

/// Returns the browser with the lowest load relative to its capacity; `None` if all are full.
fn lightest(offers: &[PoolCandidate]) -> Option<&PoolCandidate> {
    let roomy = offers.iter().filter(|offer| offer.load < offer.capacity);
    // Compares a/b with c/d without a division.
    roomy.min_by(|one, other| (one.load * other.capacity).cmp(&(other.load * one.capacity)))
}

fn read_file(path: &Path) -> Result<Vec<PoolEntry>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Listed {
        Plain(Vec<PoolEntry>),
        Named { browsers: Vec<PoolEntry> },
    }
    let failed = |reason: String| Error::File { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let listed = if path.extension().is_some_and(|extension| extension == "toml") {
        toml::from_str(&text).map_err(|error| failed(error.message().to_owned()))
    } else {
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
    }?;
    Ok(match listed {
        Listed::Plain(entries) | Listed::Named { browsers: entries } => entries,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pool(listed: &str) -> Arc<BrowserPool> {
        BrowserPool::new(listed, Duration::from_secs(1)).unwrap()
    }

    #[test]
    fn sessions_spread_over_the_browsers() {
        let pool = pool("http://a:9222,http://b:9222,http://c:9222");
        let places: Vec<_> = (0..9).map(|_| pool.reserve(None, None).unwrap()).collect();
        assert!(pool.candidates(None).iter().all(|offer| offer.load == 3));
        drop(places);
        assert!(pool.candidates(None).iter().all(|offer| offer.load == 0));
    }

    #[test]
    fn sessions_that_come_at_once_never_share_a_place() {
        for _ in 0..200 {
            let pool = pool("http://a:9222,http://b:9222,http://c:9222,http://d:9222");
            let begin = std::sync::Barrier::new(4);
            let place = || {
                begin.wait();
                pool.reserve(None, None).unwrap()
            };
            let places: Vec<_> = std::thread::scope(|threads| {
                let begun: Vec<_> = (0..4).map(|_| threads.spawn(place)).collect();
                begun.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let loads: Vec<_> = pool.candidates(None).iter().map(|offer| offer.load).collect();
            assert_eq!(loads, [1; 4]);
            drop(places);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_browser_that_cannot_be_reached_rests_longer_each_time() {
        let pool = pool("http://a:9222,http://b:9222");
        let mut rests = Vec::new();
        for _ in 0..7 {
            pool.mark_unreachable("http://a:9222");
            let begun = Instant::now();
            while pool.candidates(None).len() < 2 {
                tokio::time::advance(Duration::from_millis(100)).await;
            }
            rests.push(begun.elapsed().as_millis());
        }
        assert_eq!(rests, [500, 1000, 2000, 4000, 8000, 15000, 15000]);
        pool.mark_reachable("http://a:9222");
        pool.mark_unreachable("http://a:9222");
        tokio::time::advance(FIRST_REST).await;
        assert_eq!(pool.candidates(None).len(), 2);
    }

    #[test]
    fn a_file_says_what_an_address_cannot() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pool.toml");
        std::fs::write(
            &path,
            "[[browsers]]\nurl = \"wss://far.example/chromium?token=secret\"\ncapacity = 2\nlabels = [\"eu\"]\n\
             headers = { Authorization = \"Bearer secret\" }\n[[browsers]]\nurl = \"http://near:9222\"\ndraining = true\n",
        )
        .unwrap();
        let pool = pool(path.to_str().unwrap());
        assert_eq!(pool.node_counts(), (2, 1));
        let [offer] = &pool.candidates(Some("eu"))[..] else { panic!("one is in the EU") };
        assert_eq!((offer.node.as_str(), offer.capacity), ("wss://far.example:443/chromium", 2));
        assert!(!format!("{pool:?}").contains("secret"));
        let places = [pool.reserve(None, Some("eu")).unwrap(), pool.reserve(None, Some("eu")).unwrap()];
        assert!(matches!(pool.reserve(None, Some("eu")), Err(Error::PoolFull)));
        assert!(matches!(pool.reserve(None, Some("us")), Err(Error::PoolFull)));
        drop(places);
    }

    proptest! {
        /// No browser gets more than its share while another has free capacity.
        #[test]
        fn loads_follow_capacities(capacities in prop::collection::vec(1_usize..20, 1..6), share in 0.0..1.0_f64) {
            let mut offers: Vec<_> = capacities
                .iter()
                .map(|capacity| PoolCandidate { node: String::new(), capacity: *capacity, load: 0 })
                .collect();
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are small")]
            let wanted = (capacities.iter().sum::<usize>() as f64 * share) as usize;
            for _ in 0..wanted {
                let chosen = lightest(&offers).map(std::ptr::from_ref).expect("there is room");
                offers.iter_mut().find(|offer| std::ptr::eq(&raw const **offer, chosen)).unwrap().load += 1;
            }
            for offer in &offers {
                prop_assert!(offer.load <= offer.capacity);
                for other in &offers {
                    // No browser exceeds its share by more than one session.
                    prop_assert!((offer.load.saturating_sub(1)) * other.capacity <= other.load * offer.capacity);
                }
            }
        }
    }
}
