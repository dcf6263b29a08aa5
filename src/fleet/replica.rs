//! This server among others.
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

use super::beat::{Beats, Life};
use super::peers::Peer;
use super::store::{Script, Store};
use crate::error::{Error, Result};
use crate::sync::now;

/// How long a server is taken to live that has said nothing.
pub const LEASE: Duration = Duration::from_secs(3);
/// How long a server's other work may stand still before it says no more that it lives.
const STANDSTILL: Duration = Duration::from_secs(30);
/// How long the shared state may take to answer.
const ANSWER: Duration = Duration::from_secs(2);

/// A script with what all of them begin with.
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

/// How to be one of several.
#[derive(Debug, Clone)]
pub struct ReplicaOptions {
    /// A `redis://` or `rediss://` address.
    pub state: String,
    /// How long others take this server to live after it was last heard of.
    pub lease: Duration,
    /// Where others reach it; without that, where it listens.
    pub advertise: Option<String>,
}

/// This server among others that share one state. Its sessions are its own only while it is known to live.
pub struct Replica {
    pub(super) id: String,
    pub(super) store: Store,
    /// What others need to call it.
    peer: Mutex<Peer>,
    lease: Duration,
    pub(super) beats: Beats,
    /// Whether it has left. Held while it is said that it lives, so that nothing is said after that it leaves.
    has_left: tokio::sync::Mutex<bool>,
}

impl fmt::Debug for Replica {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Replica").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What the shared state says of a connection of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// Who has it, if that server lives and is not this one.
    pub elsewhere: Option<Peer>,
    /// What the client said when it began.
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
        let store = Store::new(&options.state, ANSWER)?;
        let url = options.advertise.clone().unwrap_or_default();
        let secret = URL_SAFE_NO_PAD.encode(bits);
        Ok(Arc::new(Self {
            id: Uuid::new_v4().to_string(),
            store,
            peer: Mutex::new(Peer { url, secret }),
            lease: options.lease,
            beats: Beats::new(options.lease),
            has_left: tokio::sync::Mutex::default(),
        }))
    }

    /// What it goes by among the others.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The server that goes by this id, if it lives.
    pub async fn peer(&self, id: &str) -> Result<Option<Peer>> {
        let info: String = self.store.run(script!("peer"), &[id]).await?;
        Ok(read_peer(&info))
    }

    /// Tells where it listens, unless somebody has said where it is to be reached.
    pub fn listens_at(&self, url: &str) {
        let mut peer = self.peer.lock();
        if peer.url.is_empty() {
            url.clone_into(&mut peer.url);
        }
    }

    /// Whether this is what others call it with.
    pub fn is_secret(&self, given: &[u8]) -> bool {
        use subtle::ConstantTimeEq as _;
        self.peer.lock().secret.as_bytes().ct_eq(given).into()
    }

    /// Says that it lives, from now on, for as long as somebody holds it: by a thread and a connection of its own, so that a
    /// server which has much to do is not taken for dead. One whose work stands still says nothing.
    pub fn live(self: &Arc<Self>) {
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

    /// Says that it lives.
    pub async fn say_alive(&self) -> Result<()> {
        self.say_alive_by(&self.store).await
    }

    async fn say_alive_by(&self, store: &Store) -> Result<()> {
        let has_left = self.has_left.lock().await;
        if *has_left {
            return Ok(());
        }
        let info = {
            let peer = self.peer.lock();
            serde_json::json!(Info { url: peer.url.clone(), secret: peer.secret.clone() }).to_string()
        };
        let lease_ms = self.lease.as_millis().to_string();
        // The others count from when they hear it, which is later.
        let said = now();
        let lived: i64 = store.run(script!("beat"), &[&self.id, &info, &lease_ms]).await?;
        self.beats.lived(said, lived != 0);
        Ok(())
    }

    /// Whether nobody takes it for dead.
    pub fn lives(&self) -> bool {
        self.beats.lives()
    }

    /// Others need not wait until they take it for dead.
    pub async fn leave(&self) {
        *self.has_left.lock().await = true;
        self.beats.end();
        let _ = self.store.run::<i64>(script!("leave"), &[&self.id]).await;
    }

    /// Runs a script that needs this server to live; it is said once more if it had lapsed. Gives the life that what it is
    /// given belongs to.
    pub(super) async fn run_alive(&self, script: &Script, arguments: &[&str]) -> Result<(Vec<String>, Life)> {
        for _ in 0..2 {
            let (answer, life) = self.beats.during(self.store.run::<Vec<String>>(script, arguments)).await;
            let answer = answer?;
            if answer.first().map(String::as_str) != Some("lapsed") {
                return Ok((answer, life));
            }
            self.say_alive().await?;
        }
        Err(Error::StateUnavailable { reason: "it loses what is written".to_owned() })
    }

    // What belongs to no session.

    /// When the pause of an owner began that goes on, if one does. With `since`, one begins now unless one goes on.
    pub async fn pause(&self, owner: &str, since: Option<f64>, period: f64) -> Result<Option<f64>> {
        let since = since.map(|since| since.to_string()).unwrap_or_default();
        let length = Duration::from_secs_f64(period.clamp(0.001, 1e9)).as_millis().to_string();
        let began: Option<String> = self.store.run(script!("pause"), &[owner, &since, &length]).await?;
        Ok(began.and_then(|began| began.parse().ok()))
    }

    /// How long to wait until it is polite to go to an origin.
    pub async fn pace(&self, origin: &str, distance: Duration) -> Result<Duration> {
        let site = digest(origin);
        let distance = distance.as_millis().to_string();
        let wait: u64 = self.store.run(script!("pace"), &[&site, &distance]).await?;
        Ok(Duration::from_millis(wait))
    }

    /// Whose a client's connection is. With `began`, it is this server's from now on unless another has it
    /// that lives; empty where nothing is to be remembered of how it began.
    pub async fn connection(&self, name: &str, began: Option<&str>) -> Result<Option<Connected>> {
        const A_DAY: &str = "86400";
        let holder = if began.is_some() { self.id.as_str() } else { "" };
        let name = digest(name);
        let arguments = [name.as_str(), holder, began.unwrap_or_default(), A_DAY];
        let connection: Vec<String> = self.store.run(script!("connect"), &arguments).await?;
        let [holder, info, began] = &connection[..] else { return Ok(None) };
        let elsewhere = if *holder == self.id { None } else { read_peer(info) };
        Ok(Some(Connected { elsewhere, began: Some(began.clone()).filter(|began| !began.is_empty()) }))
    }

    /// Forgets a client's connection.
    pub async fn disconnect(&self, name: &str) {
        let _ = self.store.run::<i64>(script!("disconnect"), &[&digest(name)]).await;
    }
}

async fn live(replica: Weak<Replica>, store: Store, lease: Duration, working: Handle) {
    let mut ticks = interval(lease / 3);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut worked, mut turn) = (Instant::now(), working.spawn(async {}));
    loop {
        ticks.tick().await;
        if turn.is_finished() {
            (worked, turn) = (Instant::now(), working.spawn(async {}));
        }
        let Some(replica) = replica.upgrade() else { return };
        if worked.elapsed() < STANDSTILL {
            let _ = replica.say_alive_by(&store).await;
        }
    }
}

pub(super) fn read_peer(info: &str) -> Option<Peer> {
    let Info { url, secret } = serde_json::from_str(info).ok()?;
    Some(Peer { url, secret })
}

/// What stands for a text that others need not read.
fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
