//! Many servers and sessions, without browsers: who has which session, and what that costs Redis.
use std::collections::HashMap;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use patchright_mcp::fleet::pool::PoolCandidate;
use patchright_mcp::fleet::{ClaimResult, Lease, Replica, ReplicaOptions, SavedSession};

const LIFETIME: Duration = Duration::from_secs(300);
const LEASE: Duration = Duration::from_millis(1500);

/// A `redis-server` of the test's own.
struct Redis {
    process: Child,
    port: u16,
}

impl Redis {
    async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        let process = command.stdout(Stdio::null()).spawn().expect("redis-server is installed");
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Self { process, port }
    }

    /// A figure that it tells of itself.
    fn figure(&self, name: &str) -> u64 {
        let text = Command::new("redis-cli").args(["-p", &self.port.to_string(), "info"]).output().unwrap();
        let text = String::from_utf8(text.stdout).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.unwrap().trim().parse().unwrap()
    }

    fn replica(&self) -> Arc<Replica> {
        let options = ReplicaOptions {
            state: format!("redis://127.0.0.1:{}", self.port),
            lease: LEASE,
            advertise: Some("http://127.0.0.1:1".to_owned()),
        };
        Replica::new(&options).unwrap()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server that does nothing but hold sessions.
struct Server {
    replica: Arc<Replica>,
    held: HashMap<String, Lease>,
}

fn offers(count: usize) -> Vec<PoolCandidate> {
    let offer = |number| PoolCandidate { node: format!("node-{number}"), capacity: 1000, load: 0 };
    (0..count).map(offer).collect()
}

/// How long the middle one, and the slowest of a hundred, took.
fn summary(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    format!("p50 {:.2?}, p99 {:.2?}", times[times.len() / 2], times[times.len() * 99 / 100])
}

/// Ten servers and as many sessions as asked for: each is opened by one, asked for by others, and taken over when a
/// third of the servers are gone. Larger runs: `FLEET_SESSIONS=10000 cargo test --test it fleet -- --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_have_one_server_each_and_outlive_it() {
    let count: usize = std::env::var("FLEET_SESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let redis = Redis::start().await;
    let mut servers: Vec<_> =
        (0..10).map(|_| Server { replica: redis.replica(), held: HashMap::new() }).collect();
    join_all(servers.iter().map(|server| server.replica.send_heartbeat())).await;
    for server in &servers {
        server.replica.start_heartbeat();
    }
    let (offers, memory) = (offers(20), redis.figure("used_memory"));

    // Opened: each by the server that was asked, in the browser that bears least.
    let begun = Instant::now();
    let opened = stream::iter(0..count).map(|number| {
        let (replica, offers) = (Arc::clone(&servers[number % 10].replica), &offers);
        async move {
            let asked = Instant::now();
            let id = format!("session-{number}");
            let opened = replica.create_session(&id, "", LIFETIME, 1_000_000, offers).await.unwrap().unwrap();
            let contexts = format!("[{{\"name\":\"default\",\"number\":0,\"id\":\"{number:032}\"}}]");
            let saved = SavedSession { node: opened.node.clone(), contexts, cookies: String::new() };
            assert!(opened.lease.save(&saved).await.unwrap());
            (number % 10, id, opened, asked.elapsed())
        }
    });
    let opened: Vec<_> = opened.buffer_unordered(32).collect().await;
    eprintln!(
        "{count} opened in {:.2?}: {}",
        begun.elapsed(),
        summary(opened.iter().map(|one| one.3).collect())
    );
    eprintln!("Redis: {} bytes a session", (redis.figure("used_memory") - memory) / count as u64);
    let mut loads = HashMap::<_, usize>::new();
    let mut tokens = HashMap::new();
    for (server, id, opened, _) in opened {
        *loads.entry(opened.node).or_default() += 1;
        tokens.insert(id.clone(), opened.lease.token);
        servers[server].held.insert(id, opened.lease);
    }
    let (least, most) = (loads.values().min().unwrap(), loads.values().max().unwrap());
    assert!(loads.len() == 20.min(count) && most - least <= 1, "{loads:?}");

    // Asked for elsewhere: the one that has it is named.
    let elsewhere = stream::iter(0..count).map(|number| {
        let replica = Arc::clone(&servers[(number + 1) % 10].replica);
        async move {
            let asked = Instant::now();
            let found = replica.claim(&format!("session-{number}"), "").await.unwrap();
            assert!(matches!(found, ClaimResult::Elsewhere(..)), "{found:?}");
            asked.elapsed()
        }
    });
    let took: Vec<_> = elsewhere.buffer_unordered(32).collect().await;
    eprintln!("asked for elsewhere: {}", summary(took));

    // Nothing happens: what it costs that the servers live.
    let (before, begun) = (redis.figure("total_commands_processed"), Instant::now());
    tokio::time::sleep(LEASE).await;
    let commands = redis.figure("total_commands_processed") - before;
    eprintln!(
        "at rest: {:.0} commands a second",
        f64::from(u32::try_from(commands).unwrap_or(u32::MAX)) / begun.elapsed().as_secs_f64()
    );

    // Three are gone. All that they had is taken over, and only that.
    let gone: Vec<_> = servers.drain(..3).collect();
    let orphans: Vec<_> = gone.iter().flat_map(|server| server.held.keys().cloned()).collect();
    drop(gone);
    let died = Instant::now();
    let adopted = stream::iter(orphans.iter().enumerate()).map(|(number, id)| {
        let replica = Arc::clone(&servers[number % servers.len()].replica);
        async move {
            loop {
                match replica.claim(id, "").await.unwrap() {
                    ClaimResult::Here(claim) => return (id.clone(), *claim, died.elapsed()),
                    ClaimResult::Elsewhere(..) => tokio::time::sleep(Duration::from_millis(20)).await,
                    other => panic!("{other:?}"),
                }
            }
        }
    });
    let adopted: Vec<_> = adopted.buffer_unordered(64).collect().await;
    eprintln!("{} taken over: {}", adopted.len(), summary(adopted.iter().map(|one| one.2).collect()));
    for (id, claim, _) in &adopted {
        assert!(claim.lease.token > tokens[id], "a later owner has a larger token");
        assert_eq!(claim.before, tokens[id]);
        assert!(claim.saved.contexts.contains("default"));
        assert_eq!(claim.adoptions, 1);
    }
    for server in &servers {
        assert!(server.held.values().all(Lease::is_valid), "those that live keep theirs");
    }
    eprintln!("Redis: {} KB in all", redis.figure("used_memory") / 1024);
}

#[tokio::test]
async fn a_later_owner_has_a_larger_token_also_where_the_state_was_lost() {
    let redis = Redis::start().await;
    let (one, other) = (redis.replica(), redis.replica());
    for replica in [&one, &other] {
        replica.send_heartbeat().await.unwrap();
    }
    let opened = one.create_session("it", "me", LIFETIME, 10, &[]).await.unwrap().unwrap();
    assert!(matches!(other.claim("it", "somebody else").await.unwrap(), ClaimResult::NotFound));
    assert!(matches!(other.claim("it", "me").await.unwrap(), ClaimResult::Elsewhere(..)));
    let flush = Command::new("redis-cli").args(["-p", &redis.port.to_string(), "flushall"]).output().unwrap();
    assert!(flush.status.success());
    assert!(matches!(other.claim("it", "me").await.unwrap(), ClaimResult::NotFound));
    // It was taken for dead meanwhile, for all that it knows.
    one.send_heartbeat().await.unwrap();
    assert!(!opened.lease.is_valid());
    let again =
        one.restore_lost_session("it", "me", LIFETIME, &SavedSession::default()).await.unwrap().unwrap();
    assert!(again.is_valid());
    assert!(again.token > opened.lease.token);
    assert!(!opened.lease.save(&SavedSession::default()).await.unwrap(), "the token of before opens nothing");
    again.release().await;
    let ClaimResult::Here(claim) = other.claim("it", "me").await.unwrap() else { panic!("it was released") };
    assert!(claim.lease.token > again.token);
    assert!(!again.save(&SavedSession::default()).await.unwrap());
    assert!(
        one.create_session("more", "me", LIFETIME, 1, &[]).await.unwrap().is_none(),
        "the limit is that of all servers"
    );
}

#[tokio::test]
async fn a_server_that_has_left_does_not_come_back() {
    let redis = Redis::start().await;
    let (one, other) = (redis.replica(), redis.replica());
    for replica in [&one, &other] {
        replica.send_heartbeat().await.unwrap();
    }
    one.create_session("it", "me", LIFETIME, 10, &[]).await.unwrap().unwrap();
    assert!(other.peer(one.id()).await.unwrap().is_some());
    let (saying, ()) = tokio::join!(one.send_heartbeat(), one.leave());
    saying.unwrap();
    // What was about to be said by its rhythm is said no more.
    one.send_heartbeat().await.unwrap();
    assert!(!one.is_alive());
    assert!(other.peer(one.id()).await.unwrap().is_none());
    assert!(
        matches!(other.claim("it", "me").await.unwrap(), ClaimResult::Here(_)),
        "nobody waits for its lease"
    );
}
