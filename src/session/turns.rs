//! Queues by name: calls that work on the same page take turns, and others run in parallel.
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use tokio::sync::OwnedMutexGuard;

use crate::sync::Mutex;

type Queue = tokio::sync::Mutex<()>;

/// The queues of waiting calls, by name.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    queues: Mutex<HashMap<String, Weak<Queue>>>,
}

impl Turns {
    /// Waits for exclusive access to `name`, which lasts until the guard is dropped.
    pub(crate) async fn take(&self, name: &str) -> OwnedMutexGuard<()> {
        self.queue(name).lock_owned().await
    }

    /// Takes exclusive access to `name`; `None` if another call has it or waits for it.
    pub(crate) fn try_take(&self, name: &str) -> Option<OwnedMutexGuard<()>> {
        self.queue(name).try_lock_owned().ok()
    }

    fn queue(&self, name: &str) -> Arc<Queue> {
        let mut queues = self.queues.lock();
        if let Some(queue) = queues.get(name).and_then(Weak::upgrade) {
            return queue;
        }
        queues.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::<Queue>::default();
        queues.insert(name.to_owned(), Arc::downgrade(&queue));
        queue
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use shuttle::future::{block_on, spawn, yield_now};

    use super::*;
    use crate::sync::in_many_orders;

    #[test]
    fn one_at_a_time_has_its_turn_and_all_have_it_once() {
        in_many_orders(|| {
            block_on(async {
                let turns = Arc::<Turns>::default();
                let at_work = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
                let working = [0, 0, 0, 1, 1].map(|page| {
                    let (turns, at_work) = (turns.clone(), at_work.clone());
                    spawn(async move {
                        let turn = turns.take(["a", "b"][page]).await;
                        assert_eq!(at_work[page].fetch_add(1, Ordering::SeqCst), 0);
                        yield_now().await;
                        at_work[page].fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    })
                });
                for task in working {
                    task.await.unwrap();
                }
                drop(turns.take("c").await);
                assert!(turns.queues.lock().len() <= 1, "what nobody works on is forgotten");
            });
        });
    }

    #[test]
    fn who_gives_up_waiting_holds_nobody_up() {
        in_many_orders(|| {
            block_on(async {
                let turns = Arc::<Turns>::default();
                let working = [false, true, false].map(|gives_up| {
                    let turns = turns.clone();
                    spawn(async move {
                        let soon = tokio::time::Instant::now();
                        tokio::select! {
                            biased;
                            () = crate::sync::sleep_until(soon), if gives_up => {}
                            turn = turns.take("a") => {
                                yield_now().await;
                                drop(turn);
                            }
                        }
                    })
                });
                for task in working {
                    task.await.unwrap();
                }
                drop(turns.take("a").await);
            });
        });
    }
}
