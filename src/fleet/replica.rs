//! This server as a member of a group of servers that share state.
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use uuid::Uuid;

use super::beat::{AlivePeriod, Heartbeats};
use super::peers::Peer;
use super::store::{Script, SharedStore};
use crate::error::{Error, Result};
use crate::sync::now;

/// The default lease: how long a server counts as alive after its last heartbeat.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(3);
/// How long the main runtime may hang before the heartbeat stops too.
const HANG_LIMIT: Duration = Duration::from_secs(30);
/// The time limit for a request to the shared state.
const ANSWER: Duration = Duration::from_secs(2);

/// Loads a Lua script from `lua/`, preceded by the common prelude.
macro_rules! script {
    ($name:literal) => {{
        static SCRIPT: std::sync::LazyLock<$crate::fleet::Script> = std::sync::LazyLock::new(|| {
            $crate::fleet::Script::new(concat!(
                include_str!("lua/prelude.lua"),
                include_str!(concat!("lua/", $name, ".lua"))
            ))
        });
        &*SCRIPT
    }};
}
pub(super) use script;

/// Options for running as one of several servers that share state.
#[derive(Debug, Clone)]
pub struct ReplicaOptions {
    /// The `redis://` or `rediss://` URL of the shared state.
    pub state: String,
    /// How long the other servers consider this server alive after its last heartbeat.
    pub lease: Duration,
    /// The URL at which other servers reach this one. Default: the listening address.
    pub advertise: Option<String>,
}

/// This server as a member of a group that shares state. It owns its sessions only while it counts as alive.
pub struct Replica {
    pub(super) id: String,
    pub(super) store: SharedStore,
    /// The URL and secret with which other servers call this server.
    peer: Mutex<Peer>,
    lease: Duration,
    pub(super) beats: Heartbeats,
    /// Whether this server has left the group. Locked during each heartbeat, so that none is sent afterwards.
    has_left: tokio::sync::Mutex<bool>,
}

impl fmt::Debug for Replica {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Replica").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A client's MCP connection, as recorded in the shared state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpConnectionRecord {
    /// The other live server that holds the connection, if any.
    pub elsewhere: Option<Peer>,
    /// The client's `initialize` message.
    pub began: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Info {
    url: String,
    secret: String,
}

impl Replica {
    pub fn new(options: &ReplicaOptions) -> Result<Arc<Self>> {
        let mut bits = [0; 32];
        getrandom::fill(&mut bits)
            .map_err(|error| Error::Unsupported { what: "making a key", reason: error.to_string() })?;
        let store = SharedStore::new(&options.state, ANSWER)?;
        let url = options.advertise.clone().unwrap_or_default();
        let secret = URL_SAFE_NO_PAD.encode(bits);
        Ok(Arc::new(Self {
            id: Uuid::new_v4().to_string(),
            store,
            peer: Mutex::new(Peer { url, secret }),
            lease: options.lease,
            beats: Heartbeats::new(options.lease),
            has_left: tokio::sync::Mutex::default(),
        }))
    }

    /// Returns the id of this server.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns URL and secret of the server with this id; `None` if that server is not alive.
    pub async fn peer(&self, id: &str) -> Result<Option<Peer>> {
        let info: String = self.store.run(script!("peer"), &[id]).await?;
        Ok(read_peer(&info))
    }

    /// Sets the URL at which this server listens. Has no effect if `advertise` was set.
    pub fn set_listening_url(&self, url: &str) {
        let mut peer = self.peer.lock();
        if peer.url.is_empty() {
            url.clone_into(&mut peer.url);
        }
    }

    /// Returns whether `given` is this server's secret. Compares in constant time.
    pub fn secret_matches(&self, given: &[u8]) -> bool {
        use subtle::ConstantTimeEq as _;
        self.peer.lock().secret.as_bytes().ct_eq(given).into()
    }

    /// Starts the heartbeat, which runs while this object exists. It has a separate thread and connection, so
    /// that it also runs on a busy server. It stops if the server's main runtime hangs.
    pub fn start_heartbeat(self: &Arc<Self>) {
        let living = live(Arc::downgrade(self), self.store.apart(), self.lease, Handle::current());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let begun = runtime.and_then(|runtime| {
            let thread = std::thread::Builder::new().name("replica lives".to_owned());
            thread.spawn(move || runtime.block_on(living)).map(drop)
        });
        if let Err(error) = begun {
            tracing::error!(%error, "cannot tell the others that this server lives");
        }
    }

    /// Sends a heartbeat.
    pub async fn send_heartbeat(&self) -> Result<()> {
        self.send_heartbeat_through(&self.store).await
    }

    async fn send_heartbeat_through(&self, store: &SharedStore) -> Result<()> {
        let has_left = self.has_left.lock().await;
        if *has_left {
            return Ok(());
        }
        let info = {
            let peer = self.peer.lock();
            serde_json::json!(Info { url: peer.url.clone(), secret: peer.secret.clone() }).to_string()
        };
        let lease_ms = self.lease.as_millis().to_string();
        // Taken before sending: other servers count the lease from the heartbeat's arrival, which is later.
        let said = now();
        let was_alive: i64 = store.run(script!("beat"), &[&self.id, &info, &lease_ms]).await?;
        self.beats.record_heartbeat(said, was_alive != 0);
        Ok(())
    }

    /// Returns whether the other servers consider this server alive.
    pub fn is_alive(&self) -> bool {
        self.beats.is_alive()
    }

    /// Leaves the group, so that other servers need not wait for the lease to expire.
    pub async fn leave(&self) {
        *self.has_left.lock().await = true;
        self.beats.end();
        let _ = self.store.run::<i64>(script!("leave"), &[&self.id]).await;
    }

    /// Runs a script that works only while this server is alive. Sends a heartbeat first if the lease has
    /// expired. Also returns the period in which the result is valid.
    pub(super) async fn run_if_alive(
        &self,
        script: &Script,
        arguments: &[&str],
    ) -> Result<(Vec<String>, AlivePeriod)> {
        for _ in 0..2 {
            let (answer, life) =
                self.beats.within_period(self.store.run::<Vec<String>>(script, arguments)).await;
            let answer = answer?;
            if answer.first().map(String::as_str) != Some("lapsed") {
                return Ok((answer, life));
            }
            self.send_heartbeat().await?;
        }
        Err(Error::StateUnavailable { reason: "it loses what is written".to_owned() })
    }

    // State outside sessions.

    /// Returns the start of the owner's active cooldown. If none is active, starts one at `since`, if given.
    pub async fn read_or_start_cooldown(
        &self,
        owner: &str,
        since: Option<f64>,
        period: f64,
    ) -> Result<Option<f64>> {
        let since = since.map(|since| since.to_string()).unwrap_or_default();
        let length = Duration::from_secs_f64(period.clamp(0.001, 1e9)).as_millis().to_string();
        let began: Option<String> = self.store.run(script!("pause"), &[owner, &since, &length]).await?;
        Ok(began.and_then(|began| began.parse().ok()))
    }

    /// Reserves the next navigation to an origin, and returns how long to wait for it.
    pub async fn reserve_navigation_slot(&self, origin: &str, distance: Duration) -> Result<Duration> {
        let site = digest(origin);
        let distance = distance.as_millis().to_string();
        let wait: u64 = self.store.run(script!("pace"), &[&site, &distance]).await?;
        Ok(Duration::from_millis(wait))
    }

    /// Looks up a client's connection; `None` if it is unknown. With `began`, takes it over unless another
    /// live server holds it. A non-empty `began` is stored as the `initialize` message.
    pub async fn look_up_or_take_over_connection(
        &self,
        name: &str,
        began: Option<&str>,
    ) -> Result<Option<McpConnectionRecord>> {
        const A_DAY: &str = "86400";
        let holder = if began.is_some() { self.id.as_str() } else { "" };
        let name = digest(name);
        let arguments = [name.as_str(), holder, began.unwrap_or_default(), A_DAY];
        let connection: Vec<String> = self.store.run(script!("connect"), &arguments).await?;
        let [holder, info, began] = &connection[..] else { return Ok(None) };
        let elsewhere = if *holder == self.id { None } else { read_peer(info) };
        Ok(Some(McpConnectionRecord {
            elsewhere,
            began: Some(began.clone()).filter(|began| !began.is_empty()),
        }))
    }

    /// Removes the record of a client's connection.
    pub async fn remove_connection_record(&self, name: &str) {
        let _ = self.store.run::<i64>(script!("disconnect"), &[&digest(name)]).await;
    }
}

async fn live(replica: Weak<Replica>, store: SharedStore, lease: Duration, working: Handle) {
    let mut ticks = interval(lease / 3);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut worked, mut turn) = (Instant::now(), working.spawn(async {}));
    loop {
        ticks.tick().await;
        if turn.is_finished() {
            (worked, turn) = (Instant::now(), working.spawn(async {}));
        }
        let Some(replica) = replica.upgrade() else { return };
        if worked.elapsed() < HANG_LIMIT {
            let _ = replica.send_heartbeat_through(&store).await;
        }
    }
}

pub(super) fn read_peer(info: &str) -> Option<Peer> {
    let Info { url, secret } = serde_json::from_str(info).ok()?;
    Some(Peer { url, secret })
}

/// Returns a hash of a text that must not appear in the shared state.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
