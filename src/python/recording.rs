//! Records a person's actions in a tab as a script.
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::browser::{ActionRecording, Page, RecordingCallbacks};
use crate::error::Result;
use crate::mcp::script::{RecordedScript, ScriptLanguage};

/// A running recording of a tab, which stops when this object is dropped.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct ScriptRecording {
    script: Arc<Mutex<RecordedScript>>,
    language: ScriptLanguage,
    _recording: ActionRecording,
}

impl ScriptRecording {
    pub(super) async fn begin(page: &Page, language: ScriptLanguage) -> Result<Self> {
        let script = Arc::<Mutex<RecordedScript>>::default();
        script.lock().start_with_goto(0, &page.url());
        let received = Arc::clone(&script);
        let recorder = RecordingCallbacks {
            counts: Arc::new(|| true),
            on_recorded: Arc::new(move |recorded| received.lock().add_person_action(recorded.clone())),
        };
        let recording = page.record_actions(recorder).await?;
        Ok(Self { script, language, _recording: recording })
    }
}

#[pymethods]
impl ScriptRecording {
    /// The script recorded so far: a test that repeats the actions.
    #[getter]
    fn written(&self) -> String {
        self.script.lock().to_test(self.language)
    }
}
