//! The tool that runs Python programs (`browser_run_python`).
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use super::milliseconds;
use crate::Result;
use crate::browser::BrowserContext;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::program::{ProgramOutput, ProgramRun, PythonNotebook, PythonProgram, notebook};
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};

const USUAL_LIMIT: Duration = Duration::from_secs(30);
/// The maximum number of characters of output in an answer.
const MOST_SHOWN: usize = 20_000;
/// The maximum number of characters of output in a file.
const MOST_WRITTEN: usize = 20_000_000;
/// How long a program may take to end after it was asked to stop.
const LAST_WORDS: Duration = Duration::from_millis(1_500);

/// Run Python with Playwright's async API, for many steps or loops. `page` is the current tab; names persist
/// between calls. Returns only what it prints.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RunPython {
    /// For example `print(await page.locator("li").all_inner_texts())`.
    #[schemars(length(min = 1))]
    pub program: String,
    /// In ms. Default: 30000.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

impl Tool for RunPython {
    const NAME: &'static str = "browser_run_python";
    const TITLE: &'static str = "Run a Python program";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Code;
    const FILE: Option<&'static str> = Some("txt");
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;
    const EXPLAINS_FAILURE: bool = true;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_or_open_page().await?;
        let mut kept = call.kept.notebook.lock().await;
        let notes = match &*kept {
            Some(notes) => notes.clone(),
            None => kept.insert(notebook(call.url_gate())?).clone(),
        };
        call.progress.set_message("running the program");
        let limit = self.timeout.map_or(USUAL_LIMIT, milliseconds);
        let room = if call.has_output_file() { MOST_WRITTEN } else { MOST_SHOWN };
        // Subscribes `browser_route` rules before the program's own routes, so that the rules decide first.
        let rules = call.workspace.rules(page.context());
        let mut work = RunningProgram::begin(&*notes, PythonProgram { text: self.program, page, room })?;
        let printed = timeout(limit, work.running.ended()).await.ok();
        let in_time = printed.is_some();
        let printed = match printed {
            Some(printed) => Some(printed),
            None => work.end().await,
        };
        reply.show_at_least(PageDetail::Page);
        say(printed.as_ref(), &work, call.has_output_file(), reply);
        if printed.is_none() {
            kept.take();
            rules.set_delegates_unmatched(false);
            reply.say(
                "The program cannot be ended; it keeps what programs have named, and the next begins anew.",
            );
        }
        match printed {
            Some(ProgramOutput { failure: None, .. }) if in_time => Ok(()),
            Some(ProgramOutput { failure: Some(message), .. }) if in_time => Err(Error::Program { message }),
            _ => Err(Error::WaitRanOut { what: "the end of the program".to_owned(), waited: limit }),
        }
    }
}

/// A running program, which answers dialogs itself. Dropping it stops the program.
struct RunningProgram {
    running: Box<dyn ProgramRun>,
    context: BrowserContext,
}

impl RunningProgram {
    fn begin(notes: &dyn PythonNotebook, program: PythonProgram) -> Result<Self> {
        let context = program.page.context().clone();
        let running = notes.begin(program)?;
        context.set_has_dialog_listener(true);
        Ok(Self { running, context })
    }

    /// Stops the program and returns its output; `None` if it does not stop.
    async fn end(&mut self) -> Option<ProgramOutput> {
        for wherever in [false, true] {
            self.running.stop(wherever);
            if let Ok(printed) = timeout(LAST_WORDS, self.running.ended()).await {
                return Some(printed);
            }
        }
        None
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.running.stop(true);
        self.context.set_has_dialog_listener(false);
    }
}

fn say(printed: Option<&ProgramOutput>, work: &RunningProgram, is_whole: bool, reply: &mut Reply) {
    let so_far;
    let printed = match printed {
        Some(printed) => printed,
        None => {
            so_far = work.running.printed();
            &so_far
        }
    };
    let text = printed.text.trim_end();
    match (is_whole, text.is_empty()) {
        (true, _) => reply.say(text),
        (false, true) => reply.say("The program printed nothing"),
        (false, false) => reply.say(page_text::output(text)),
    }
    if printed.all > printed.text.chars().count() {
        reply.say(format!("[cut: {} characters were printed; print less, or give filename]", printed.all));
    }
}
