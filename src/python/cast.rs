//! Video recordings and screencasts of pages.
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::bridge::{Dispatcher, Operation, operation, runtime};
use super::convert::options;
use super::page::Page;
use crate::browser::locator::duration_from_ms;
use crate::browser::{ActionCaptions, ScreencastOptions, VideoOptions};

/// A running or completed video recording.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Video(Arc<crate::browser::Video>);

#[pymethods]
impl Video {
    /// Starts recording a page to the file `path`. `chosen`: see `VideoOptions`.
    #[new]
    fn new(page: &Page, path: PathBuf, chosen: &Bound<'_, PyAny>) -> PyResult<Self> {
        let _runtime = runtime().enter();
        Ok(Self(Arc::new(page.0.record_video(path, options::<VideoOptions>(chosen)?)?)))
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    /// Stops the recording and waits until the file is written.
    fn stop(&self) -> Operation {
        let video = self.0.clone();
        operation(async move { video.stop().await })
    }

    /// Waits until the file is complete: after the page is closed, or the recording is stopped.
    fn until_ended(&self) -> Operation {
        let video = self.0.clone();
        operation(async move { video.wait_for_end().await })
    }
}

/// Overlays on the screencast frames of a page. The page itself does not see them.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Captions(crate::browser::Page);

#[pymethods]
impl Captions {
    #[new]
    fn new(page: &Page) -> Self {
        Self(page.0.clone())
    }

    /// Shows HTML over the frames and returns the overlay's number. With `duration_ms`, waits that long and
    /// then hides the overlay; otherwise it stays until `remove` is called with its number.
    #[pyo3(signature = (html, duration_ms=None))]
    fn show(&self, html: &str, duration_ms: Option<f64>) -> Operation {
        shown(&self.0, self.0.add_caption(html), duration_ms)
    }

    /// Like `show`, with a title and description in the middle of the blurred page.
    fn show_chapter(&self, title: &str, description: Option<&str>, duration_ms: f64) -> Operation {
        shown(&self.0, self.0.add_chapter(title, description), Some(duration_ms))
    }

    fn remove(&self, number: u64) {
        self.0.remove_caption(number);
    }

    fn set_hidden(&self, hidden: bool) {
        self.0.set_action_captions_hidden(hidden);
    }

    /// Announces each action by an overlay; `None` turns this off. `how`: see `ActionCaptions`.
    fn show_actions(&self, how: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.0.set_action_captions(how.map(options::<ActionCaptions>).transpose()?);
        Ok(())
    }
}

fn shown(page: &crate::browser::Page, number: u64, duration_ms: Option<f64>) -> Operation {
    let page = page.clone();
    operation(async move {
        if let Some(time) = duration_ms.filter(|ms| *ms > 0.0).and_then(duration_from_ms) {
            page.remove_caption_after(number, time).await;
        }
        Ok(number)
    })
}

/// A screencast frame. The browser takes the next frame after this object is dropped.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct CastFrame(crate::browser::ScreencastImage);

#[pymethods]
impl CastFrame {
    /// The frame as a JPEG image.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.data)
    }

    /// When the frame was taken, in milliseconds since 1970.
    #[getter]
    fn timestamp(&self) -> f64 {
        self.0.timestamp_ms
    }

    #[getter]
    fn viewport(&self) -> (f64, f64) {
        self.0.viewport
    }
}

/// A screencast of a page; runs until it is stopped.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Screencast(Mutex<Option<crate::browser::Screencast>>);

#[pymethods]
impl Screencast {
    /// Starts a screencast that sends `screencastframe` events with `key` to `dispatcher`.
    #[new]
    fn new(page: &Page, dispatcher: &Dispatcher, key: usize, chosen: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (queue, options) = (dispatcher.queue(), options::<ScreencastOptions>(chosen)?);
        let _runtime = runtime().enter();
        let watcher = Arc::new(move |frame: &crate::browser::ScreencastImage| {
            queue.emit_with("screencastframe", key, CastFrame(frame.clone()));
        });
        Ok(Self(Mutex::new(Some(page.0.start_screencast(options, watcher)))))
    }

    fn stop(&self) {
        let _runtime = runtime().enter();
        drop(self.0.lock().take());
    }
}
