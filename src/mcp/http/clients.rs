//! The clients of the HTTP server and their state. A client without requests is removed after a time limit.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::owner::Owner;
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::memory;

/// The limits for clients: number per key, time without requests, and time to send a request.
#[derive(Debug, Clone, Copy)]
pub struct ClientLimits {
    pub most: usize,
    /// The time limit for receiving the head of a request, and then for its body.
    pub arrival: Duration,
    /// How long the pages of a client stay open after its event stream was closed.
    pub grace: Duration,
    /// How long the pages of a client without requests stay open. Only as long as `grace` if the maximum
    /// number of clients is reached.
    pub idle: Duration,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            most: 64,
            arrival: Duration::from_secs(30),
            grace: Duration::from_secs(300),
            idle: Duration::from_secs(1800),
        }
    }
}

/// Identifies a client: its owner and its connection, which is the session id, a cookie, or the client's own
/// name for requests without either.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    pub(super) owner: Owner,
    pub(super) connection: String,
}

#[derive(Debug)]
pub(super) struct Clients {
    dispatcher: Arc<Dispatcher>,
    limits: ClientLimits,
    known: Mutex<HashMap<Name, Entry>>,
    /// Clients that were removed to make room for others, and whose pages are not closed yet.
    gone: Mutex<Vec<(Name, Entry)>>,
    /// Whether a client has left since memory was last returned to the system.
    left: AtomicBool,
}

#[derive(Debug)]
struct Entry {
    client: Arc<Client>,
    /// The number of the client's open requests and streams.
    open: usize,
    had_stream: bool,
    seen: Instant,
}

/// Marks a client as connected until this guard is dropped.
#[derive(Debug)]
pub(super) struct Presence {
    clients: Arc<Clients>,
    name: Name,
}

impl Clients {
    pub(super) fn new(dispatcher: Arc<Dispatcher>, limits: ClientLimits) -> Arc<Self> {
        memory::trim_heaps();
        let (known, gone) = (Mutex::default(), Mutex::default());
        Arc::new(Self { dispatcher, limits, known, gone, left: AtomicBool::new(false) })
    }

    pub(super) fn knows(&self, name: &Name) -> bool {
        self.known.lock().contains_key(name)
    }

    /// Returns the client with this name, and marks it as connected. Creates it unless the limit is reached.
    pub(super) fn enter(self: &Arc<Self>, name: Name, stream: bool) -> Option<(Arc<Client>, Presence)> {
        let mut known = self.known.lock();
        if !known.contains_key(&name) {
            if known.keys().filter(|known| known.owner == name.owner).count() >= self.limits.most {
                let gone = longest_away(&known, &name.owner, self.limits.grace)?;
                self.gone.lock().extend(known.remove_entry(&gone));
            }
            let client = match &name.owner.folder {
                Some(folder) => self.dispatcher.new_client_for_owner(folder, &name.owner.grant),
                None => self.dispatcher.new_client(),
            };
            let client = Arc::new(client.with_key(&name.owner.name));
            known.insert(name.clone(), Entry { client, open: 0, had_stream: false, seen: Instant::now() });
        }
        let entry = known.get_mut(&name)?;
        entry.open += 1;
        entry.had_stream |= stream;
        Some((Arc::clone(&entry.client), Presence { clients: Arc::clone(self), name }))
    }

    pub(super) fn count(&self) -> usize {
        self.known.lock().len()
    }

    /// Removes a client whose session has ended, and closes its pages.
    pub(super) async fn leave(&self, name: &Name) {
        let entry = self.known.lock().remove(name);
        if let Some(entry) = entry {
            entry.client.close().await;
            self.left.store(true, Ordering::Relaxed);
        }
    }

    /// Removes clients whose time limit is over, and closes their pages. Returns their names.
    pub(super) async fn sweep(&self) -> Vec<Name> {
        let mut gone = std::mem::take(&mut *self.gone.lock());
        gone.extend({
            let mut known = self.known.lock();
            let limits = self.limits;
            let is_gone = |entry: &Entry| {
                let limit = if entry.had_stream { limits.grace } else { limits.idle };
                entry.open == 0 && entry.seen.elapsed() >= limit
            };
            known.extract_if(|_, entry| is_gone(entry)).collect::<Vec<_>>()
        });
        let mut names = Vec::new();
        for (name, entry) in gone {
            tracing::info!(owner = %name.owner.name, "a client has been away for too long; its pages are closed");
            entry.client.close().await;
            self.left.store(true, Ordering::Relaxed);
            names.push(name);
        }
        if self.left.swap(false, Ordering::Relaxed) {
            memory::release_memory();
        }
        names
    }

    /// Removes the clients of an owner who is no longer admitted, and ends their calls. Returns their names.
    pub(super) async fn revoke(&self, folder: &str) -> Vec<Name> {
        let is_theirs = |name: &Name, _: &mut Entry| name.owner.folder.as_deref() == Some(folder);
        let revoked: Vec<_> = self.known.lock().extract_if(is_theirs).collect();
        let mut names = Vec::new();
        for (name, entry) in revoked {
            tracing::info!(owner = %name.owner.name, "a key is no longer valid; its client's pages are closed");
            entry.client.revoke().await;
            names.push(name);
        }
        names
    }

    /// Returns the interval at which to call [`sweep`](Self::sweep).
    pub(super) fn rhythm(&self) -> Duration {
        (self.limits.grace.min(self.limits.idle) / 4)
            .clamp(Duration::from_millis(50), Duration::from_secs(10))
    }
}

/// Returns the owner's client without requests for the longest time, if that time is at least `grace`.
fn longest_away(known: &HashMap<Name, Entry>, owner: &Owner, grace: Duration) -> Option<Name> {
    let away = known.iter().filter(|(name, entry)| name.owner == *owner && entry.open == 0);
    let (name, entry) = away.min_by_key(|(_, entry)| entry.seen)?;
    (entry.seen.elapsed() >= grace).then(|| name.clone())
}

impl Presence {
    /// Changes the name under which the client is known, as when it begins a session.
    pub(super) fn rename(&mut self, name: Name) {
        let mut known = self.clients.known.lock();
        if let Some(entry) = known.remove(&self.name) {
            known.insert(name.clone(), entry);
        }
        self.name = name;
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(entry) = self.clients.known.lock().get_mut(&self.name) {
            entry.open -= 1;
            entry.seen = Instant::now();
        }
    }
}
