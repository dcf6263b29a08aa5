//! The tool that runs several tools in one call (`browser_steps`).
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Result;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::describe;
use crate::mcp::expected;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{AnyTool, SESSION_ARGUMENT, StallPolicy, TAB_ARGUMENT, Tool, ToolEffect};

/// A tool and its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Step {
    /// For example `browser_click`.
    #[schemars(length(min = 1))]
    pub tool: String,
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub arguments: Map<String, Value>,
}

/// Run the next few actions in one call, such as click, type, press Enter. Stops at the first failure.
///
/// Reports each step, then all changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Steps {
    #[schemars(length(min = 1, max = 25))]
    pub steps: Vec<Step>,
}

impl Tool for Steps {
    const NAME: &'static str = "browser_steps";
    const TITLE: &'static str = "Do several things";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(mut self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let tools = self.check(call)?;
        let count = tools.len();
        for (number, (tool, step)) in (1..).zip(tools.into_iter().zip(self.steps)) {
            let mut step_reply = Reply::default();
            let before = call.current_page().ok().map(|page| (page.main_frame().loader_id(), page));
            let outcome = expected::run_with_expectation(call, tool, step.arguments, &mut step_reply).await;
            if let Err(error) = outcome {
                reply.say_with_tool_names(format!(
                    "Step {number} of {count} ({}) failed; the rest was not done.",
                    step.tool
                ));
                // Shows what the steps before the failed one have changed.
                reply.show_at_least(PageDetail::Changes);
                return Err(error);
            }
            if let Some((document, page)) = before.filter(|_| step_reply.is_silent())
                && page.main_frame().loader_id() != document
            {
                step_reply.say(describe::opened(&page));
            }
            reply.merge_step(number, &step.tool, step_reply);
        }
        Ok(())
    }
}

impl Steps {
    /// Finds the tools of all steps and checks their arguments before the first step runs.
    fn check(&mut self, call: &Call<'_>) -> Result<Vec<&'static AnyTool>> {
        let mut tools = Vec::new();
        let mut problems = Vec::new();
        for (index, step) in self.steps.iter_mut().enumerate() {
            let tool = match call.tool(&step.tool) {
                Ok(tool) => tool,
                Err(unknown) => {
                    problems.push(format!("`steps[{index}].tool`: {unknown}"));
                    continue;
                }
            };
            if tool.family.has_steps && tool.name != Self::NAME {
                tools.push(tool);
            } else {
                problems.push(format!("`steps[{index}].tool` must be another browser_ tool"));
            }
            let shared: Vec<_> = [SESSION_ARGUMENT, TAB_ARGUMENT]
                .into_iter()
                .filter(|name| step.arguments.contains_key(*name))
                .collect();
            for name in &shared {
                let problem = format!(
                    "`steps[{index}].arguments.{name}` must be next to `steps`: it applies to all of them"
                );
                problems.push(problem);
            }
            if !shared.is_empty() {
                continue;
            }
            if let Err(Error::InvalidArguments { problems: wrong }) = tool.check(&mut step.arguments) {
                problems.extend(wrong.into_iter().map(|problem| format!("steps[{index}]: {problem}")));
            }
        }
        if problems.is_empty() { Ok(tools) } else { Err(Error::InvalidArguments { problems }) }
    }
}
