//! The tools, one file per category, in the order that clients see them.
use crate::mcp::tool::AnyTool;

pub mod address;
pub mod navigate;
pub mod input;
pub mod inspect;
pub mod screenshot;
pub mod evaluate;
pub mod tabs;
pub mod patchright;
pub mod sessions;

/// Every tool there is. `--caps` and `--toolsets` choose among them.
pub static ALL: [AnyTool; 18] = [
    AnyTool::of::<navigate::Navigate>(),
    AnyTool::of::<navigate::NavigateBack>(),
    AnyTool::of::<inspect::Snapshot>(),
    AnyTool::of::<screenshot::TakeScreenshot>(),
    AnyTool::of::<input::Click>(),
    AnyTool::of::<input::Type>(),
    AnyTool::of::<evaluate::Evaluate>(),
    AnyTool::of::<tabs::Close>(),
    AnyTool::of::<patchright::Fetch>(),
    AnyTool::of::<patchright::Screenshot>(),
    AnyTool::of::<patchright::Click>(),
    AnyTool::of::<patchright::FillForm>(),
    AnyTool::of::<patchright::ExecuteJs>(),
    AnyTool::of::<sessions::CreateSession>(),
    AnyTool::of::<sessions::CloseSession>(),
    AnyTool::of::<sessions::Navigate>(),
    AnyTool::of::<sessions::Click>(),
    AnyTool::of::<sessions::Type>(),
];
