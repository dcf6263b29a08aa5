//! The clients that are here, each with what it works in. One that goes away is forgotten after a while.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::keys::Owner;
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::memory;

/// How many clients each key may have, how long one may be away, and how long one may take to say what it wants.
#[derive(Debug, Clone, Copy)]
pub struct ClientLimits {
    pub most: usize,
    /// How long a request's head, and then its body, may take to arrive.
    pub arrival: Duration,
    /// How long the pages of a client stay that had a stream open and has lost it.
    pub grace: Duration,
    /// How long those of a client stay that asks for nothing; but not longer than `grace` where another needs the room.
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

/// The one who asks: an owner's connection. The name is the session's id, or a cookie, or what the client calls
/// itself, for all of an owner's requests that bear neither.
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
    /// Those that made room, and whose pages are to be closed.
    gone: Mutex<Vec<(Name, Entry)>>,
    /// Somebody has left since memory was last given back.
    left: AtomicBool,
}

#[derive(Debug)]
struct Entry {
    client: Arc<Client>,
    /// Requests and streams that are open.
    open: usize,
    had_stream: bool,
    seen: Instant,
}

/// Keeps a client from being forgotten while it is held.
#[derive(Debug)]
pub(super) struct Presence {
    clients: Arc<Clients>,
    name: Name,
}

impl Clients {
    pub(super) fn new(dispatcher: Arc<Dispatcher>, limits: ClientLimits) -> Arc<Self> {
        memory::keep_little();
        let (known, gone) = (Mutex::default(), Mutex::default());
        Arc::new(Self { dispatcher, limits, known, gone, left: AtomicBool::new(false) })
    }

    pub(super) fn knows(&self, name: &Name) -> bool {
        self.known.lock().contains_key(name)
    }

    /// The client of this name, who is new if there is none and room for one.
    pub(super) fn enter(self: &Arc<Self>, name: Name, stream: bool) -> Option<(Arc<Client>, Presence)> {
        let mut known = self.known.lock();
        if !known.contains_key(&name) {
            if known.keys().filter(|known| known.owner == name.owner).count() >= self.limits.most {
                let gone = longest_away(&known, &name.owner, self.limits.grace)?;
                self.gone.lock().extend(known.remove_entry(&gone));
            }
            let client = Arc::new(match &name.owner.folder {
                Some(folder) => self.dispatcher.client_apart(folder),
                None => self.dispatcher.client(),
            });
            known.insert(name.clone(), Entry { client, open: 0, had_stream: false, seen: Instant::now() });
        }
        let entry = known.get_mut(&name)?;
        entry.open += 1;
        entry.had_stream |= stream;
        Some((Arc::clone(&entry.client), Presence { clients: Arc::clone(self), name }))
    }

    /// How many clients are here.
    pub(super) fn count(&self) -> usize {
        self.known.lock().len()
    }

    /// Forgets a client who said goodbye, and closes its pages.
    pub(super) async fn leave(&self, name: &Name) {
        let entry = self.known.lock().remove(name);
        if let Some(entry) = entry {
            entry.client.close().await;
            self.left.store(true, Ordering::Relaxed);
        }
    }

    /// Forgets the clients that have been away for too long. Gives their names.
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
            memory::give_back();
        }
        names
    }

    /// How often to [`sweep`](Self::sweep).
    pub(super) fn rhythm(&self) -> Duration {
        (self.limits.grace.min(self.limits.idle) / 4)
            .clamp(Duration::from_millis(50), Duration::from_secs(10))
    }
}

/// The client of an owner that has been away for the longest time, if that is as long as `grace`.
fn longest_away(known: &HashMap<Name, Entry>, owner: &Owner, grace: Duration) -> Option<Name> {
    let away = known.iter().filter(|(name, entry)| name.owner == *owner && entry.open == 0);
    let (name, entry) = away.min_by_key(|(_, entry)| entry.seen)?;
    (entry.seen.elapsed() >= grace).then(|| name.clone())
}

impl Presence {
    /// The client is known by another name from now on.
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
