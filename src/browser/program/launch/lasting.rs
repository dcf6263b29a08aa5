//! A permanent thread. A child with a parent-death signal is killed when the thread that started it ends.
use std::sync::{LazyLock, mpsc};

use parking_lot::Mutex;

type Work = Box<dyn FnOnce() + Send>;

static THREAD: LazyLock<Mutex<mpsc::Sender<Work>>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel::<Work>();
    let begun = std::thread::Builder::new().name("starts browsers".to_owned()).spawn(move || {
        for work in receiver {
            work();
        }
    });
    if let Err(error) = begun {
        tracing::debug!(%error, "there is no thread to start browsers from");
    }
    Mutex::new(sender)
});

/// Runs a function on the permanent thread and returns its result. `None` if the thread could not be started.
pub(super) fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    let work = Box::new(move || drop(sender.send(work())));
    THREAD.lock().send(work).ok()?;
    receiver.recv().ok()
}
