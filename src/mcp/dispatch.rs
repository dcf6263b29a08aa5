//! Runs tools: the wire and the Python face both come through here.
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::error::Error;
use crate::mcp::engine::{Engine, Workspace};
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Registry, UnknownTool};

/// The tools and what they work on; one for the whole process.
#[derive(Debug)]
pub struct Dispatcher {
    pub registry: Registry,
    pub engine: Engine,
}

/// One client of the server.
#[derive(Debug)]
pub struct Client {
    pub workspace: Workspace,
}

/// One call of a tool, as the tool sees it.
#[derive(Debug)]
pub struct Call<'a> {
    pub workspace: &'a Workspace,
    pub progress: &'a Progress,
}

impl Dispatcher {
    pub fn new(registry: Registry, engine: Engine) -> Self {
        Self { registry, engine }
    }

    /// A client with contexts and tabs of its own.
    pub fn client(&self) -> Client {
        Client { workspace: self.engine.workspace() }
    }

    /// Runs a tool to its end, or until it is cancelled. A failure of the tool is a reply like any other.
    pub async fn call(
        &self,
        client: &Client,
        name: &str,
        mut arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        let tool = self.registry.find(name)?;
        let mut reply = Reply::default();
        let call = Call { workspace: &client.workspace, progress };
        let outcome = match tool.check(&mut arguments) {
            Ok(()) => tokio::select! {
                biased;
                () = cancelled.cancelled() => Err(Error::Cancelled),
                outcome = unless_it_panics(tool.run(arguments, &call, &mut reply)) => outcome,
            },
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            tracing::debug!(tool = name, code = error.code(), "tool failed");
            reply.fail(&error);
        }
        Ok(reply)
    }
}

/// A panic in a tool is a mistake of ours. It ends this call with an answer, and no other.
async fn unless_it_panics(tool: impl Future<Output = Result<()>>) -> Result<()> {
    let mut tool = pin!(tool);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| tool.as_mut().poll(context)));
        polled.unwrap_or(Poll::Ready(Err(Error::Broken)))
    })
    .await
}
