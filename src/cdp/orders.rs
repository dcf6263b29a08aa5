//! Concurrency tests of the connection under many task schedules: whatever ends first (command, session or
//! connection), every pending command gets exactly one answer, and nothing leaks.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::future::{block_on, spawn, yield_now};
use tokio::sync::mpsc;

use super::connection::Connection;
use super::events::{Observer, RawEvent};
use super::transport::{Transport, TransportReader, TransportWriter};
use super::types::target::GetTargets;
use crate::error::{Error, Result};
use crate::sync::in_many_orders;

struct Wire {
    incoming: mpsc::UnboundedReceiver<Vec<u8>>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
}

/// A simulated browser: the other end of the connection.
struct Peer {
    says: mpsc::UnboundedSender<Vec<u8>>,
    hears: mpsc::UnboundedReceiver<Vec<u8>>,
}

impl Transport for Wire {
    type TransportReader = mpsc::UnboundedReceiver<Vec<u8>>;
    type TransportWriter = mpsc::UnboundedSender<Vec<u8>>;

    fn split(self) -> (Self::TransportReader, Self::TransportWriter) {
        (self.incoming, self.outgoing)
    }
}

impl TransportReader for mpsc::UnboundedReceiver<Vec<u8>> {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.recv().await)
    }
}

impl TransportWriter for mpsc::UnboundedSender<Vec<u8>> {
    async fn send(&mut self, messages: &[Vec<u8>]) -> io::Result<()> {
        for message in messages {
            // Lets the scheduler run another task between two messages.
            yield_now().await;
            mpsc::UnboundedSender::send(self, message.clone()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }
}

impl Peer {
    fn say(&self, message: &str) {
        let _ = self.says.send(message.as_bytes().to_vec());
    }

    /// Receives and answers this many commands.
    async fn answer(&mut self, times: usize) {
        for _ in 0..times {
            let Some(message) = self.hears.recv().await else { return };
            let asked: serde_json::Value = serde_json::from_slice(&message).unwrap();
            self.say(&format!(r#"{{"id":{},"result":{{"targetInfos":[]}}}}"#, asked["id"]));
        }
    }
}

fn connected() -> (Connection, Peer) {
    let (says, incoming) = mpsc::unbounded_channel();
    let (outgoing, hears) = mpsc::unbounded_channel();
    (Connection::start(Wire { incoming, outgoing }), Peer { says, hears })
}

const ATTACHED: &str = r#"{"method":"Target.attachedToTarget","params":{"sessionId":"S"}}"#;
const DETACHED: &str = r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}"#;
const CRASHED: &str = r#"{"method":"Inspector.targetCrashed","params":{},"sessionId":"S"}"#;
const PING: &str = r#"{"method":"Page.windowOpen","params":{},"sessionId":"S"}"#;

/// Returns a connection to which the session `S` is attached.
async fn attached() -> (Connection, Peer) {
    let (connection, peer) = connected();
    peer.say(ATTACHED);
    while connection.session("S").is_closed() {
        yield_now().await;
    }
    (connection, peer)
}

/// An observer that counts events and calls of `ended`.
#[derive(Default)]
struct Ends {
    events: AtomicUsize,
    ended: AtomicUsize,
}

impl Observer for Ends {
    fn on_event(&self, _: RawEvent) {
        self.events.fetch_add(1, Ordering::SeqCst);
    }

    fn ended(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn every_command_is_answered_whoever_ends_its_session_or_the_connection() {
    in_many_orders(|| {
        block_on(async {
            let (connection, mut peer) = attached().await;
            let session = connection.session("S");
            let asking = [connection.root(), session.clone(), session].map(|session| {
                spawn(async move {
                    let answers = [session.send(GetTargets::default()), session.send(GetTargets::default())];
                    for answer in answers {
                        let answer: Result<_> = answer.await;
                        assert!(!matches!(answer, Err(Error::NoAnswer { .. })), "{answer:?}");
                    }
                })
            });
            let closing = connection.clone();
            let closer = spawn(async move { closing.close("a test ends it") });
            let browser = spawn(async move {
                peer.answer(2).await;
                peer.say(CRASHED);
                peer.say(DETACHED);
                peer.answer(1).await;
            });
            for task in asking.into_iter().chain([closer, browser]) {
                task.await.unwrap();
            }
            assert_eq!(connection.pending(), 0);
            assert!(connection.close_reason().is_some() && connection.session("S").is_closed());
        });
    });
}

#[test]
fn a_session_that_ends_alone_takes_only_its_own_commands_along() {
    in_many_orders(|| {
        block_on(async {
            let (connection, mut peer) = attached().await;
            let (root, session) = (connection.root(), connection.session("S"));
            let of_session = spawn(async move {
                let answer = session.call(GetTargets::default()).await;
                assert!(matches!(answer, Err(Error::PageClosed)), "{answer:?}");
            });
            let of_browser = spawn(async move { root.call(GetTargets::default()).await.map(drop) });
            // Like a real browser, this one no longer answers commands of a session that has ended.
            let browser = spawn(async move {
                peer.say(DETACHED);
                while let Some(message) = peer.hears.recv().await {
                    let asked: serde_json::Value = serde_json::from_slice(&message).unwrap();
                    if asked["sessionId"].is_null() {
                        peer.say(&format!(r#"{{"id":{},"result":{{"targetInfos":[]}}}}"#, asked["id"]));
                    }
                }
            });
            of_session.await.unwrap();
            assert!(of_browser.await.unwrap().is_ok());
            assert_eq!(connection.pending(), 0);
            drop(connection);
            browser.await.unwrap();
        });
    });
}

#[test]
fn a_deadline_that_comes_with_the_answer_leaves_nothing() {
    in_many_orders(|| {
        block_on(async {
            let (connection, mut peer) = connected();
            let asking = [0, 1].map(|_| {
                let root = connection.root();
                spawn(async move {
                    let limit = Duration::from_secs(1);
                    let answer = root.call_within(GetTargets::default(), limit).await;
                    assert!(matches!(answer, Ok(_) | Err(Error::NoAnswer { .. })), "{answer:?}");
                })
            });
            let browser = spawn(async move {
                peer.answer(2).await;
                peer
            });
            for task in asking {
                task.await.unwrap();
            }
            assert_eq!(connection.pending(), 0);
            drop(browser.await.unwrap());
            connection.wait_for_end().await;
        });
    });
}

#[test]
fn an_observer_gets_the_end_once_and_nothing_after_it() {
    in_many_orders(|| {
        block_on(async {
            let (connection, peer) = attached().await;
            let session = connection.session("S");
            let (early, late) = (Arc::<Ends>::default(), Arc::<Ends>::default());
            session.observe(&["Page.windowOpen"], early.clone());
            let mut events = session.events(&["Page.windowOpen"]);
            let (joining, observer) = (session.clone(), late.clone());
            let joins = spawn(async move { joining.observe(&["Page.windowOpen"], observer) });
            let listens = spawn(async move {
                let mut late = session.events(&["Page.windowOpen"]);
                while late.next().await.is_some() {}
            });
            peer.say(PING);
            peer.say(DETACHED);
            peer.say(PING);
            let mut received = 0;
            while events.next().await.is_some() {
                received += 1;
            }
            joins.await.unwrap();
            listens.await.unwrap();
            drop(peer);
            connection.wait_for_end().await;
            assert_eq!((received, early.events.load(Ordering::SeqCst)), (1, 1));
            for observer in [early, late] {
                assert_eq!(observer.ended.load(Ordering::SeqCst), 1);
            }
        });
    });
}

#[test]
fn a_connection_that_nobody_uses_any_more_hangs_up() {
    in_many_orders(|| {
        block_on(async {
            let (connection, mut peer) = attached().await;
            let users = [connection.root(), connection.session("S")].map(|session| {
                spawn(async move {
                    session.send(GetTargets::default()).ignore();
                })
            });
            drop(connection);
            for user in users {
                user.await.unwrap();
            }
            while peer.hears.recv().await.is_some() {}
        });
    });
}
