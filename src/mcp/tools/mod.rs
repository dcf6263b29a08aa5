//! The tools, one file per category, in the order that clients see them.
use std::time::Duration;

use crate::mcp::tool::AnyTool;

pub mod address;
pub mod navigate;
pub mod input;
pub mod pointer;
pub mod form;
mod readback;
pub mod files;
pub mod inspect;
pub mod screenshot;
pub mod console;
pub mod network;
pub mod evaluate;
pub mod dialog;
pub mod wait;
pub mod tabs;
pub mod window;
pub mod install;
pub mod context;
pub mod vision;
pub mod pdf;
pub mod find;
pub mod steps;
pub mod patchright;
pub mod sessions;

/// A number of milliseconds that a caller gave, of at most a day: `NaN` and what is below zero are none.
fn milliseconds(number: f64) -> Duration {
    const DAY_MS: f64 = 86_400_000.0;
    Duration::from_secs_f64(number.clamp(0.0, DAY_MS).max(0.0) / 1000.0)
}

/// Every tool there is. `--caps` and `--toolsets` choose among them.
pub static ALL: [AnyTool; 43] = [
    AnyTool::of::<navigate::Navigate>(),
    AnyTool::of::<navigate::NavigateBack>(),
    AnyTool::of::<inspect::Snapshot>(),
    AnyTool::of::<screenshot::TakeScreenshot>(),
    AnyTool::of::<console::ConsoleMessages>(),
    AnyTool::of::<network::NetworkRequests>(),
    AnyTool::of::<input::Click>(),
    AnyTool::of::<input::Type>(),
    AnyTool::of::<form::FillForm>(),
    AnyTool::of::<form::SelectOption>(),
    AnyTool::of::<form::PressKey>(),
    AnyTool::of::<pointer::Hover>(),
    AnyTool::of::<pointer::Drag>(),
    AnyTool::of::<pointer::ScrollIntoView>(),
    AnyTool::of::<files::FileUpload>(),
    AnyTool::of::<evaluate::Evaluate>(),
    AnyTool::of::<wait::WaitFor>(),
    AnyTool::of::<dialog::HandleDialog>(),
    AnyTool::of::<tabs::Tabs>(),
    AnyTool::of::<tabs::Close>(),
    AnyTool::of::<window::Resize>(),
    AnyTool::of::<install::Install>(),
    AnyTool::of::<context::Create>(),
    AnyTool::of::<context::Switch>(),
    AnyTool::of::<context::List>(),
    AnyTool::of::<context::Close>(),
    AnyTool::of::<context::SaveStorage>(),
    AnyTool::of::<vision::MouseClick>(),
    AnyTool::of::<vision::MouseMove>(),
    AnyTool::of::<vision::MouseDrag>(),
    AnyTool::of::<pdf::PdfSave>(),
    AnyTool::of::<find::Find>(),
    AnyTool::of::<steps::Steps>(),
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
