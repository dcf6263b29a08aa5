//! The tools, one file per category, in the order that clients see them.
use crate::mcp::tool::AnyTool;

pub mod address;
pub mod navigate;
pub mod input;
pub mod inspect;
pub mod screenshot;
pub mod evaluate;
pub mod tabs;
pub mod context;

/// Every tool there is. `--caps` and `--toolsets` choose among them.
pub static ALL: [AnyTool; 13] = [
    AnyTool::of::<navigate::Navigate>(),
    AnyTool::of::<navigate::NavigateBack>(),
    AnyTool::of::<inspect::Snapshot>(),
    AnyTool::of::<screenshot::TakeScreenshot>(),
    AnyTool::of::<input::Click>(),
    AnyTool::of::<input::Type>(),
    AnyTool::of::<evaluate::Evaluate>(),
    AnyTool::of::<tabs::Close>(),
    AnyTool::of::<context::Create>(),
    AnyTool::of::<context::Switch>(),
    AnyTool::of::<context::List>(),
    AnyTool::of::<context::Close>(),
    AnyTool::of::<context::SaveStorage>(),
];
