//! Tracks until when the other servers consider this server alive, and detects interruptions.
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::sync::{now, sleep_until};

/// Until when the other servers consider this server alive. Without interruption, it keeps its sessions.
#[derive(Debug)]
pub(super) struct Heartbeats {
    lease: Duration,
    now: watch::Sender<Beat>,
}

#[derive(Debug, Clone, Copy)]
struct Beat {
    /// Incremented each time the other servers may have considered this server dead.
    generation: u64,
    /// Other servers consider this server alive until this time; `None` before the start and after the end.
    deadline: Option<Instant>,
}

/// A period during which this server was alive without interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AlivePeriod(u64);

impl Heartbeats {
    pub(super) fn new(lease: Duration) -> Self {
        Self { lease, now: watch::Sender::new(Beat { generation: 0, deadline: None }) }
    }

    /// Runs a request and also returns the period in which it started. If the period has ended when the reply
    /// arrives, other servers may already own the session.
    pub(super) async fn within_period<T>(&self, asking: impl Future<Output = T>) -> (T, AlivePeriod) {
        let life = self.life();
        (asking.await, life)
    }

    fn life(&self) -> AlivePeriod {
        AlivePeriod(self.now.borrow().generation)
    }

    /// Records a heartbeat sent at `said`. `unbroken`: whether the lease had not expired before it.
    pub(super) fn record_heartbeat(&self, said: Instant, unbroken: bool) {
        self.now.send_modify(|beat| {
            if !unbroken {
                beat.generation += 1;
            }
            // Leaves a margin of 10 %, since the clocks of two machines do not run at exactly the same speed.
            beat.deadline = Some(said + self.lease * 9 / 10);
        });
    }

    /// Marks this server as stopped, without waiting for its lease to expire.
    pub(super) fn end(&self) {
        self.now.send_modify(|beat| beat.deadline = None);
    }

    /// Returns whether the other servers consider this server alive.
    pub(super) fn is_alive(&self) -> bool {
        self.now.borrow().deadline.is_some_and(|deadline| now() < deadline)
    }

    /// Returns until when this server owns what it claimed in the period; `None` if the period has ended.
    pub(super) fn held_until(&self, life: AlivePeriod) -> Option<Instant> {
        let beat = *self.now.borrow();
        let deadline = beat.deadline.filter(|deadline| now() < *deadline);
        deadline.filter(|_| beat.generation == life.0)
    }

    /// Completes when the alive period of this server may have ended, because its heartbeat was not renewed in time.
    pub(super) async fn lost(&self, life: AlivePeriod) {
        let mut beats = self.now.subscribe();
        loop {
            beats.mark_unchanged();
            let Some(deadline) = self.held_until(life) else { return };
            tokio::select! {
                () = sleep_until(deadline) => {}
                changed = beats.changed() => if changed.is_err() { return },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shuttle::future::{JoinHandle, block_on, spawn, yield_now};

    use super::*;
    use crate::sync::{Mutex, advance, in_many_orders};

    const LEASE: Duration = Duration::from_secs(3600);

    /// The simulated shared state: until when each server is alive, and which of them owns the session.
    #[derive(Default)]
    struct Shared {
        lives_until: [Option<Instant>; 2],
        holder: Option<usize>,
    }

    impl Shared {
        fn is_alive(&self, server: usize) -> bool {
            self.lives_until[server].is_some_and(|end| now() < end)
        }

        /// Simulates `beat.lua`. Returns whether the server was still alive.
        fn beat(&mut self, server: usize) -> bool {
            let was_alive = self.is_alive(server);
            self.lives_until[server] = Some(now() + LEASE);
            was_alive
        }

        /// Simulates `claim.lua`. Returns whether the server owns the session.
        fn claim(&mut self, server: usize) -> bool {
            let taken = self.holder.is_some_and(|holder| holder != server && self.is_alive(holder));
            if self.is_alive(server) && !taken {
                self.holder = Some(server);
            }
            self.holder == Some(server)
        }
    }

    async fn send_heartbeat(server: usize, beats: &Heartbeats, shared: &Mutex<Shared>) {
        let said = now();
        let was_alive = shared.lock().beat(server);
        // Lets the scheduler run other tasks here, which delays the reply.
        yield_now().await;
        beats.record_heartbeat(said, was_alive);
    }

    /// Simulates a server that sends heartbeats, and concurrently claims the session and works in it.
    fn server(number: usize, shared: &Arc<Mutex<Shared>>) -> [JoinHandle<()>; 2] {
        let beats = Arc::new(Heartbeats::new(LEASE));
        let (alive, received) = (beats.clone(), shared.clone());
        let shared = shared.clone();
        let living = spawn(async move {
            for _ in 0..3 {
                send_heartbeat(number, &alive, &received).await;
                yield_now().await;
            }
        });
        let working = spawn(async move {
            for _ in 0..3 {
                let claiming = async {
                    let mine = shared.lock().claim(number);
                    yield_now().await;
                    mine
                };
                let (mine, life) = beats.within_period(claiming).await;
                // The lock prevents changes between the two checks.
                let shared = shared.lock();
                if mine && beats.held_until(life).is_some() {
                    assert_eq!(shared.holder, Some(number), "two servers have the session");
                }
            }
        });
        [living, working]
    }

    #[test]
    fn a_session_is_held_by_one_server_whatever_is_late() {
        in_many_orders(|| {
            block_on(async {
                let shared = Arc::default();
                let servers = [server(0, &shared), server(1, &shared)];
                let clock = spawn(async {
                    for _ in 0..2 {
                        yield_now().await;
                        advance(LEASE + Duration::from_secs(1));
                    }
                });
                for task in servers.into_iter().flatten().chain([clock]) {
                    task.await.unwrap();
                }
            });
        });
    }

    #[test]
    fn a_waiter_learns_of_the_end_of_a_life() {
        in_many_orders(|| {
            block_on(async {
                let beats = Arc::new(Heartbeats::new(LEASE));
                beats.record_heartbeat(now(), true);
                let life = beats.life();
                let waiting = [0, 1].map(|_| {
                    let beats = beats.clone();
                    spawn(async move {
                        beats.lost(life).await;
                        assert!(beats.held_until(life).is_none());
                    })
                });
                beats.record_heartbeat(now(), true);
                yield_now().await;
                beats.record_heartbeat(now(), false);
                for task in waiting {
                    task.await.unwrap();
                }
                assert!(beats.is_alive());
            });
        });
    }
}
