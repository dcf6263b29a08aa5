//! Tools that pages offer to agents (`WebMCP`).
use pyo3::prelude::*;
use serde_json::json;

use super::bridge::{Operation, operation};
use super::convert::{Plain, to_json};
use super::frame::Frame;
use crate::browser::{WebMcpTool, locator};
use crate::error::{Error, Result};

/// Returns the tools that a frame's document offers, or an error if `WebMCP` is not enabled.
fn offered(frame: &crate::browser::Frame) -> Result<Vec<WebMcpTool>> {
    let page = frame.page()?;
    if !page.context().options().collects_page_tools {
        let reason = "it must be on from the start: launch with args=[\"--enable-features=WebMCPTesting\"]";
        return Err(Error::Unsupported { what: "WebMCP", reason: reason.to_owned() });
    }
    Ok(page.webmcp_tools().into_iter().filter(|tool| tool.belongs_to(frame)).collect())
}

/// Returns the name, description, input schema and annotations of each tool that a frame's document offers.
#[pyfunction]
pub(super) fn offered_tools(frame: &Frame) -> Operation {
    let frame = frame.0.clone();
    operation(async move {
        let to_json = |tool: WebMcpTool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.schema,
                "annotations": { "readOnly": tool.read_only },
            })
        };
        Ok(Plain(offered(&frame)?.into_iter().map(to_json).collect()))
    })
}

/// Calls a tool that a frame's document offers, and returns the tool's result.
#[pyfunction]
pub(super) fn call_offered(
    frame: &Frame,
    name: String,
    input: &Bound<'_, PyAny>,
    timeout_ms: f64,
) -> PyResult<Operation> {
    let (frame, input, limit) = (frame.0.clone(), to_json(input)?, locator::timeout_from_ms(timeout_ms));
    Ok(operation(async move {
        let tool = offered(&frame)?.into_iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| Error::InvalidArguments {
            problems: vec![format!("the page offers no tool {name:?}")],
        })?;
        let answer = frame.page()?.invoke_webmcp_tool(&tool, input, limit).await?;
        Ok(Plain(answer.unwrap_or_default()))
    }))
}
