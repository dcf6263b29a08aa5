//! Connects asynchronous Rust to Python: one tokio runtime per process, one event queue per [`Dispatcher`].
use std::collections::{HashMap, VecDeque};
use std::io::{PipeReader, PipeWriter, Read as _, Write as _, pipe};
#[cfg(unix)]
use std::os::fd::AsRawFd as _;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::guard;
use crate::browser::locator;
use crate::error::Error;

/// Returns the tokio runtime of the process.
pub(super) fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads can be started"));
    &RUNTIME
}

/// Runs a future to completion on this thread, with the GIL released.
pub(super) fn block_on<F>(py: Python<'_>, future: F) -> PyResult<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    guard::check_process()?;
    Ok(py.detach(|| runtime().block_on(future)))
}

/// Converts a future to an awaitable of the running asyncio loop. Cancelling the awaitable aborts the future.
pub(super) fn awaitable<'py, T>(
    py: Python<'py>,
    future: impl Future<Output = PyResult<T>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    guard::check_process()?;
    let home = py.import("asyncio")?.call_method0("get_running_loop")?;
    let awaited = home.call_method0("create_future")?;
    let (home, waiting) = (home.unbind(), awaited.clone().unbind());
    let task = runtime().spawn(async move {
        let outcome = future.await;
        Python::attach(|py| {
            let outcome = Mutex::new(Some(outcome.and_then(|value| value.into_py_any(py))));
            let hand_over = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| match outcome
                .lock()
                .take()
            {
                Some(outcome) => settle(waiting.bind(arguments.py()), outcome),
                None => Ok(()),
            };
            // Fails if the loop was closed meanwhile; then nothing awaits the result.
            let _ = PyCFunction::new_closure(py, None, None, hand_over)
                .and_then(|hand_over| home.call_method1(py, "call_soon_threadsafe", (hand_over,)));
        });
    });
    let task = task.abort_handle();
    let give_up = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| task.abort();
    awaited.call_method1("add_done_callback", (PyCFunction::new_closure(py, None, None, give_up)?,))?;
    Ok(awaited)
}

/// The result of an operation, as a function that converts it to a Python object with the GIL held.
pub(super) type Reply = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;
type Outcome = Result<Reply, Error>;
type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// An engine operation. It does not run until a [`Dispatcher`] starts it.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Operation {
    work: Mutex<Option<Work>>,
    task: Mutex<Option<AbortHandle>>,
}

#[pymethods]
impl Operation {
    /// Cancels the operation if it was started. Does not wait for the browser.
    fn cancel(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

impl Operation {
    /// Starts the operation and calls `then` with its outcome. Polls it once before returning, so that
    /// operations send their first messages to the browser in the order in which they were started.
    fn begin(&self, py: Python<'_>, then: impl FnOnce(Outcome) + Send + 'static) -> PyResult<()> {
        guard::check_process()?;
        let again = || PyRuntimeError::new_err("an operation can be waited for only once");
        let mut work = self.work.lock().take().ok_or_else(again)?;
        let task = py.detach(|| {
            let _runtime = runtime().enter();
            match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(outcome) => {
                    then(outcome);
                    None
                }
                Poll::Pending => Some(runtime().spawn(async move { then(work.await) })),
            }
        });
        *self.task.lock() = task.map(|task| task.abort_handle());
        Ok(())
    }
}

/// Creates an operation whose result PyO3 converts to Python.
pub(super) fn operation<T>(work: impl Future<Output = Result<T, Error>> + Send + 'static) -> Operation
where
    T: for<'py> IntoPyObject<'py> + Send + 'static,
{
    operation_with(work, |py, result| result.into_py_any(py))
}

/// Creates an operation whose result `convert` turns into a Python object.
pub(super) fn operation_with<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
    convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> Operation {
    let work = async move {
        let result = work.await?;
        Ok(Box::new(move |py: Python<'_>| convert(py, result)) as Reply)
    };
    Operation { work: Mutex::new(Some(Box::pin(work))), task: Mutex::default() }
}

/// Delivers operation results and events to Python, in the order in which they arrive.
///
/// With an event loop, `fileno` becomes readable when a result or event arrives, and `drain` delivers it.
/// Without an event loop, the thread that calls `wait` also delivers events that arrive meanwhile.
#[pyclass(frozen, weakref, module = "patchright_mcp._core")]
pub(super) struct Dispatcher {
    queue: Arc<Queue>,
    /// The Python function called with each event: event name, key of the object that emits it, and payload.
    handler: Py<PyAny>,
    /// The asyncio futures of running operations, by operation number.
    futures: Mutex<HashMap<u64, Py<PyAny>>>,
    reader: Option<Mutex<PipeReader>>,
    next: AtomicU64,
}

pub(super) type Event = Box<dyn FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<()> + Send>;

enum Item {
    Done(u64, Outcome),
    ToPython(Event),
    /// A placeholder for events that are still being prepared. Later items wait until it is released.
    Held(u64),
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<Waiting>,
    arrived: Condvar,
    /// The writing end of the pipe that wakes the event loop; `None` without an event loop.
    wakeup_pipe: Option<PipeWriter>,
    is_signaled: AtomicBool,
    /// Whether delivery was stopped by `Dispatcher.close`.
    closed: AtomicBool,
    /// The event subscriptions of each browser context, by the context's key.
    subscribed: Mutex<HashMap<usize, Arc<Subscriptions>>>,
}

/// Which optional events of a browser context are sent to Python: only those that have listeners.
#[derive(Debug)]
pub(super) struct Subscriptions {
    pub(super) requests: AtomicBool,
    pub(super) sockets: AtomicBool,
    /// Whether dialogs are sent to the script to be answered. True until `Dispatcher.hear` is called.
    pub(super) dialogs: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<Item>,
    /// Results taken from `items` by a thread that waits for a different operation, by operation number.
    finished: HashMap<u64, Outcome>,
    /// Whether `listen` has returned for items that were not drained yet.
    announced: bool,
}

impl Waiting {
    fn next(&mut self) -> Option<Item> {
        if self.has_next() { self.items.pop_front() } else { None }
    }

    fn has_next(&self) -> bool {
        !matches!(self.items.front(), None | Some(Item::Held(_)))
    }
}

impl Queue {
    fn push(&self, item: Item) {
        if self.closed.load(Ordering::Acquire) {
            return;
        }
        self.state.lock().items.push_back(item);
        self.ring();
    }

    fn ring(&self) {
        self.arrived.notify_all();
        if let Some(wakeup_pipe) = &self.wakeup_pipe
            && !self.is_signaled.swap(true, Ordering::AcqRel)
        {
            let _ = (&*wakeup_pipe).write_all(b"!");
        }
    }

    /// Delays later events until [`release`](Self::release) is called with this number.
    pub(super) fn hold(&self, number: u64) {
        self.push(Item::Held(number));
    }

    /// Replaces the placeholder with this number by `events`, and so lets later events through.
    pub(super) fn release(&self, number: u64, events: Vec<Event>) {
        {
            let mut state = self.state.lock();
            let held = |item: &Item| matches!(item, Item::Held(this) if *this == number);
            let Some(place) = state.items.iter().position(held) else { return };
            let after = state.items.split_off(place + 1);
            state.items.pop_back();
            state.items.extend(events.into_iter().map(Item::ToPython));
            state.items.extend(after);
        }
        self.ring();
    }

    /// Returns the subscriptions of the context with this key.
    pub(super) fn subscribed(&self, context: usize) -> Arc<Subscriptions> {
        let nothing_yet = || {
            let (requests, sockets) = (AtomicBool::new(false), AtomicBool::new(false));
            Arc::new(Subscriptions { requests, sockets, dialogs: AtomicBool::new(true) })
        };
        self.subscribed.lock().entry(context).or_insert_with(nothing_yet).clone()
    }

    /// Drops the subscriptions of a closed context.
    pub(super) fn forget(&self, context: usize) {
        self.subscribed.lock().remove(&context);
    }

    /// Queues an event for Python. Never blocks.
    pub(super) fn emit(&self, event: Event) {
        self.push(Item::ToPython(event));
    }

    /// Queues an event for Python: its name, the key of the object that emits it, and the payload.
    pub(super) fn emit_with<T>(&self, name: &'static str, key: usize, payload: T)
    where
        T: for<'py> IntoPyObject<'py> + Send + 'static,
    {
        self.emit(event(name, key, payload));
    }
}

/// Creates an event: its name, the key of the object that emits it, and the payload.
pub(super) fn event<T>(name: &'static str, key: usize, payload: T) -> Event
where
    T: for<'py> IntoPyObject<'py> + Send + 'static,
{
    Box::new(move |_, handler| handler.call1((name, key, payload)).map(drop))
}

/// How often a thread that waits for an operation checks for Python signals such as Ctrl+C.
const INTERRUPT_PAUSE: Duration = Duration::from_millis(30);

#[pymethods]
impl Dispatcher {
    /// `with_wakeup_pipe`: whether to create a pipe for an event loop to watch (`fileno`). Otherwise, use `listen`.
    #[new]
    fn new(handler: Py<PyAny>, with_wakeup_pipe: bool) -> PyResult<Self> {
        let (reader, wakeup_pipe) = if with_wakeup_pipe {
            pipe().map(|(reader, writer)| (Some(reader), Some(writer)))?
        } else {
            (None, None)
        };
        let queue = Arc::new(Queue { wakeup_pipe, ..Queue::default() });
        let reader = reader.map(Mutex::new);
        Ok(Self { queue, handler, futures: Mutex::default(), reader, next: AtomicU64::new(1) })
    }

    /// The file descriptor for an event loop to watch; -1 if there is none.
    fn fileno(&self) -> i32 {
        #[cfg(unix)]
        let number = self.reader.as_ref().map(|reader| reader.lock().as_raw_fd());
        #[cfg(not(unix))]
        let number = None;
        number.unwrap_or(-1)
    }

    /// Blocks until there is something to `drain`, for event loops that cannot watch `fileno`. Returns false
    /// after `close`.
    fn listen(&self, py: Python<'_>) -> bool {
        py.detach(|| {
            let mut state = self.queue.state.lock();
            while !self.queue.closed.load(Ordering::Acquire) {
                if !state.announced && state.has_next() {
                    state.announced = true;
                    return true;
                }
                self.queue.arrived.wait(&mut state);
            }
            false
        })
    }

    /// Starts an operation. A later `drain` sets its result on `future`.
    fn begin(&self, py: Python<'_>, operation: &Operation, future: Py<PyAny>) -> PyResult<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.futures.lock().insert(number, future);
        let queue = self.queue.clone();
        operation.begin(py, move |outcome| queue.push(Item::Done(number, outcome)))
    }

    /// Starts an operation whose result is ignored.
    fn start(&self, py: Python<'_>, operation: &Operation) -> PyResult<()> {
        operation.begin(py, drop)
    }

    /// Sets which events of a browser context are sent to Python: requests, WebSocket frames, dialogs.
    fn hear(&self, context: usize, requests: bool, sockets: bool, dialogs: bool) {
        let subscribed = self.queue.subscribed(context);
        subscribed.requests.store(requests, Ordering::Release);
        subscribed.sockets.store(sockets, Ordering::Release);
        subscribed.dialogs.store(dialogs, Ordering::Release);
    }

    /// Delivers all results and events that have arrived, on this thread.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(reader) = &self.reader {
            let mut byte = [0];
            let _ = reader.lock().read(&mut byte);
            self.queue.is_signaled.store(false, Ordering::Release);
        }
        self.queue.state.lock().announced = false;
        self.queue.arrived.notify_all();
        loop {
            let item = self.queue.state.lock().next();
            match item {
                None | Some(Item::Held(_)) => return Ok(()),
                Some(Item::ToPython(event)) => self.hand_out(py, event)?,
                Some(Item::Done(number, outcome)) => {
                    let future = self.futures.lock().remove(&number);
                    if let Some(future) = future {
                        settle(future.bind(py), convert(py, outcome))?;
                    }
                }
            }
        }
    }

    /// Stops delivery, and fails all operations that are still being awaited.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let waiting = std::mem::take(&mut *self.futures.lock());
        {
            let mut state = self.queue.state.lock();
            self.queue.closed.store(true, Ordering::Release);
            state.items.clear();
        }
        self.queue.arrived.notify_all();
        for future in waiting.into_values() {
            let reason = "Playwright was stopped".to_owned();
            settle(future.bind(py), Err(Error::BrowserGone { reason }.into()))?;
        }
        Ok(())
    }

    /// Runs an operation and blocks until it returns. Meanwhile, delivers events on this thread and raises
    /// interrupts such as Ctrl+C.
    fn wait(&self, py: Python<'_>, operation: &Operation) -> PyResult<Py<PyAny>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let queue = self.queue.clone();
        operation.begin(py, move |outcome| queue.push(Item::Done(number, outcome)))?;
        loop {
            match self.next_item(py, number) {
                Some(Item::Done(_, outcome)) => return convert(py, outcome),
                Some(Item::ToPython(event)) => {
                    self.hand_out(py, event).inspect_err(|_| operation.cancel())?
                }
                None | Some(Item::Held(_)) => py.check_signals().inspect_err(|_| operation.cancel())?,
            }
        }
    }
}

impl Dispatcher {
    pub(super) fn queue(&self) -> Arc<Queue> {
        self.queue.clone()
    }

    /// Waits for the result of operation `number` or for an event; `None` after [`INTERRUPT_PAUSE`].
    fn next_item(&self, py: Python<'_>, number: u64) -> Option<Item> {
        py.detach(|| {
            let mut state = self.queue.state.lock();
            let mut waited = false;
            loop {
                if let Some(outcome) = state.finished.remove(&number) {
                    return Some(Item::Done(number, outcome));
                }
                match state.next() {
                    Some(Item::Done(other, outcome)) if other != number => {
                        state.finished.insert(other, outcome);
                        self.queue.arrived.notify_all();
                    }
                    Some(item) => return Some(item),
                    None if waited => return None,
                    None => {
                        waited = self.queue.arrived.wait_for(&mut state, INTERRUPT_PAUSE).timed_out();
                    }
                }
            }
        })
    }

    /// Calls the event handler. Its exceptions are only reported, so that no unrelated wait fails; an
    /// interrupt (`KeyboardInterrupt`) is raised.
    fn hand_out(&self, py: Python<'_>, event: Event) -> PyResult<()> {
        let handler = self.handler.bind(py);
        match event(py, handler) {
            Err(error) if error.is_instance_of::<PyException>(py) => {
                error.write_unraisable(py, Some(handler));
                Ok(())
            }
            handed => handed,
        }
    }
}

fn convert(py: Python<'_>, outcome: Outcome) -> PyResult<Py<PyAny>> {
    outcome.map_err(PyErr::from).and_then(|reply| reply(py))
}

fn settle(future: &Bound<'_, PyAny>, outcome: PyResult<Py<PyAny>>) -> PyResult<()> {
    if future.call_method0("done")?.is_truthy()? {
        return Ok(()); // The future was cancelled.
    }
    match outcome {
        Ok(result) => future.call_method1("set_result", (result,))?,
        Err(error) => future.call_method1("set_exception", (error,))?,
    };
    Ok(())
}

/// A result or exception that is set once and can be awaited, for `expect_event` and similar methods.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Promise {
    outcome: Arc<Mutex<Option<PyResult<Py<PyAny>>>>>,
    done: watch::Sender<bool>,
}

#[pymethods]
impl Promise {
    #[new]
    fn new() -> Self {
        Self { outcome: Arc::default(), done: watch::Sender::new(false) }
    }

    fn is_done(&self) -> bool {
        *self.done.borrow()
    }

    /// Sets the result. Has no effect if a result or an exception is already set.
    fn resolve(&self, value: Py<PyAny>) {
        self.finish(Ok(value));
    }

    fn reject(&self, error: Bound<'_, PyAny>) {
        self.finish(Err(PyErr::from_value(error)));
    }

    /// Waits for the result, at most `timeout_ms` milliseconds; 0 means no limit.
    fn wait(&self, timeout_ms: f64) -> Operation {
        let (mut done, outcome) = (self.done.subscribe(), self.outcome.clone());
        let limit = locator::timeout_from_ms(timeout_ms);
        let waiting = async move {
            let waited = tokio::time::timeout(limit, done.wait_for(|done| *done)).await;
            let what = || "the event".to_owned();
            waited.map(drop).map_err(|_| Error::WaitRanOut { what: what(), waited: limit })
        };
        operation_with(waiting, move |py, ()| match &*outcome.lock() {
            Some(Ok(value)) => Ok(value.clone_ref(py)),
            Some(Err(error)) => Err(error.clone_ref(py)),
            None => Err(PyRuntimeError::new_err("the event was lost")),
        })
    }
}

impl Promise {
    fn finish(&self, result: PyResult<Py<PyAny>>) {
        let mut outcome = self.outcome.lock();
        if outcome.is_none() {
            *outcome = Some(result);
            self.done.send_replace(true);
        }
    }
}
