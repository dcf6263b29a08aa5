//! Call stacks of console messages, mapped to source files if there are source maps.
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use regex::Regex;
use tokio::time::timeout;

use super::source_map::{SourceLocation, SourceMap, address, inline, source_mapping_url};
use super::{ConsoleMessage, LIMIT, pulse};
use crate::browser::objects::page::Page;
use crate::cdp::types::page::GetResourceContent;
use crate::cdp::types::runtime::{CallFrame, ConsoleApiCalled, Disable, Enable, ExceptionThrown, StackTrace};
use crate::cdp::{CdpSession, DetectableCommandReason, Event as _};
use crate::error::Result;

/// The time limit for loading a source map.
const MAP_LIMIT: Duration = Duration::from_secs(5);
/// The maximum size of a source map, in bytes.
const LONGEST_MAP: usize = 50_000_000;
/// The maximum number of frames reported per stack.
const MOST_FRAMES: usize = 15;
/// The maximum number of messages per session that get a stack, newest first.
const MOST_STACKS: usize = 200;

/// A frame of a call stack. Line and column are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// The name of the function; empty if it has none.
    pub function: String,
    pub url: String,
    pub line: i64,
    pub column: i64,
    /// The position in the original source file, if the script has a source map.
    pub source: Option<SourceLocation>,
}

/// A stored message with its stack, as the browser reports it after `Runtime.enable`.
enum StackEvent {
    Called(Option<StackTrace>),
    Thrown(Option<StackTrace>, String),
}

impl Page {
    /// Adds call stacks to console messages of this page and its workers. The first call enables
    /// `Runtime`, which pages can detect by observing an error. Earlier messages get only their top frame.
    pub async fn add_stacks(&self, messages: &mut [ConsoleMessage]) -> Result<()> {
        let mut sessions = self.sessions();
        sessions.extend(self.workers().iter().map(|worker| worker.session().clone()));
        let mut maps = Maps { page: self, known: HashMap::new() };
        for session in sessions {
            let own: Vec<usize> =
                (0..messages.len()).filter(|&index| *messages[index].session == *session.id()).collect();
            if own.is_empty() {
                continue;
            }
            let answer = inspect(&session).await.unwrap_or_default();
            // Pair from the newest message on, because the browser may have dropped the oldest ones.
            for (&index, answer) in own.iter().rev().zip(answer.into_iter().rev()).take(MOST_STACKS) {
                let message = &mut messages[index];
                let stack = match answer {
                    StackEvent::Called(stack) if !message.uncaught => stack,
                    StackEvent::Thrown(stack, text) if message.uncaught => {
                        message.text = text;
                        stack
                    }
                    // The two lists differ from here on, so earlier messages cannot be paired either.
                    _ => break,
                };
                message.stack = maps.lines(stack).await;
            }
        }
        Ok(())
    }
}

/// Returns the messages that the browser has stored, oldest first.
async fn inspect(session: &CdpSession) -> Result<Vec<StackEvent>> {
    let mut events = session.events(&[ConsoleApiCalled::METHOD, ExceptionThrown::METHOD]);
    // Enabling again reports stored messages. It stays enabled, or the browser records only top frames.
    session.send(Disable {}).ignore();
    session.send_detectable(Enable {}, DetectableCommandReason::UserAsked).within(LIMIT).await?;
    let mut calls = Vec::new();
    while let Some(event) = events.try_next() {
        if let Some(called) = event.read::<ConsoleApiCalled>() {
            calls.push(StackEvent::Called(called.stack_trace));
        } else if let Some(thrown) = event.read::<ExceptionThrown>() {
            let details = thrown.exception_details;
            let described = details.exception.and_then(|error| error.description).unwrap_or_default();
            let first = described.split("\n    at ").next().unwrap_or_default();
            // If an error was thrown before `Runtime` was enabled, only its text contains the stack.
            let stack = details.stack_trace.filter(|stack| !stack.call_frames.is_empty());
            let stack = stack.unwrap_or_else(|| StackTrace { call_frames: frames_in(&described) });
            calls
                .push(StackEvent::Thrown(Some(stack), format!("{} {first}", details.text).trim().to_owned()));
        }
    }
    Ok(calls)
}

/// Parses the frames in an error's stack text: `    at name (url:line:column)`, or without a name.
fn frames_in(described: &str) -> Vec<CallFrame> {
    static CALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^    at (?:(.*) \()?(.+):(\d+):(\d+)\)?$").expect("a constant"));
    let number = |text: &str| text.parse::<i64>().map_or(0, |number| number - 1);
    let calls = described.lines().filter_map(|line| CALL.captures(line));
    calls
        .map(|call| CallFrame {
            function_name: call.get(1).map_or("", |name| name.as_str()).to_owned(),
            url: call[2].to_owned(),
            line_number: number(&call[3]),
            column_number: number(&call[4]),
        })
        .collect()
}

/// Loads the source maps of scripts, each at most once.
struct Maps<'a> {
    page: &'a Page,
    known: HashMap<String, Option<Arc<SourceMap>>>,
}

impl Maps<'_> {
    async fn lines(&mut self, stack: Option<StackTrace>) -> Vec<StackFrame> {
        let mut lines = Vec::new();
        for frame in stack.into_iter().flat_map(|stack| stack.call_frames).take(MOST_FRAMES) {
            let CallFrame { function_name, url, line_number, column_number } = frame;
            let map = self.map(&url).await;
            let source = map.and_then(|map| map.find(line_number, column_number));
            lines.push(StackFrame {
                function: function_name,
                url,
                line: line_number + 1,
                column: column_number + 1,
                source,
            });
        }
        lines
    }

    async fn map(&mut self, script: &str) -> Option<Arc<SourceMap>> {
        if let Some(known) = self.known.get(script) {
            return known.clone();
        }
        let fetched = timeout(MAP_LIMIT, self.fetch(script)).await.ok().flatten();
        let map = fetched.and_then(|text| SourceMap::read(&text)).map(Arc::new);
        self.known.insert(script.to_owned(), map.clone());
        map
    }

    /// Returns the text of a script's source map; `None` if it has none.
    async fn fetch(&self, script: &str) -> Option<String> {
        if !script.starts_with("http") {
            return None;
        }
        let named = match self.header(script) {
            Some(named) => named,
            None => source_mapping_url(&self.text(script).await?)?.to_owned(),
        };
        match inline(&named) {
            Some(map) => Some(map),
            None => self.load(address(script, &named)?.as_str()).await,
        }
    }

    /// Returns the source map URL in the headers of a script's response.
    fn header(&self, script: &str) -> Option<String> {
        self.page.with_network(|network| {
            let entry = network.entries().filter(|entry| entry.url == script).last()?;
            let headers = &entry.response.as_ref()?.headers;
            headers.get("sourcemap").or_else(|| headers.get("x-sourcemap")).map(str::to_owned)
        })
    }

    /// Returns the text of a script. Loads it again if it is not a document's script, such as a worker's.
    async fn text(&self, script: &str) -> Option<String> {
        for frame in self.page.frames() {
            let get = GetResourceContent { frame_id: frame.id().to_owned(), url: script.to_owned() };
            let Ok(answer) = frame.session().call(get).await else { continue };
            if !answer.base64_encoded && !answer.content.is_empty() {
                return Some(answer.content);
            }
        }
        self.load(script).await
    }

    /// Loads a resource through the browser, so that the page's proxy and network policy apply.
    async fn load(&self, address: &str) -> Option<String> {
        let bytes = self.page.main_frame().load_resource(address, LONGEST_MAP).await?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Page {
    /// Returns the console messages of this page's workers, oldest first for each worker.
    pub async fn worker_console_messages(&self) -> Vec<ConsoleMessage> {
        let mut messages = Vec::new();
        for worker in self.workers() {
            let answer = pulse(worker.session()).await.unwrap_or_default();
            messages.extend(
                answer
                    .into_iter()
                    .map(|message| ConsoleMessage { worker: Some(worker.url().to_owned()), ..message }),
            );
        }
        messages
    }
}
