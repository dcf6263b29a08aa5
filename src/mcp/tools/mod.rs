//! The MCP tools, with one module for each category.
use std::time::Duration;

use crate::mcp::tool::AnyTool;

pub mod navigate;
pub mod history;
pub mod input;
pub mod pointer;
pub mod form;
pub mod keys;
pub mod scroll;
mod readback;
pub mod files;
pub mod inspect;
pub mod read;
pub mod screenshot;
pub mod console;
pub mod network;
pub mod request;
pub mod storage;
pub mod emulate;
pub mod evaluate;
pub mod dialog;
pub mod person;
pub mod wait;
pub mod tabs;
pub mod window;
pub mod install;
pub mod context;
pub mod vision;
pub mod pdf;
pub mod find;
pub mod extract;
pub mod crawl;
pub mod steps;
pub mod run;
pub mod program;
pub mod testing;
pub mod evidence;
pub mod devtools;
pub mod webmcp;
pub mod patchright;
pub mod sessions;
pub mod claude;

/// Converts milliseconds to a duration of at most a day. `NaN` and negative numbers become zero.
pub(in crate::mcp) fn milliseconds(number: f64) -> Duration {
    const DAY_MS: f64 = 86_400_000.0;
    Duration::from_secs_f64(number.clamp(0.0, DAY_MS).max(0.0) / 1000.0)
}

/// All tools except those of [`claude`], in the order of the tool list. `--caps` and `--toolsets` enable some of them.
pub static ALL_TOOLS: [AnyTool; 66] = [
    AnyTool::of::<navigate::Navigate>(),
    AnyTool::of::<navigate::NavigateBack>(),
    AnyTool::of::<history::History>(),
    AnyTool::of::<inspect::Snapshot>(),
    AnyTool::of::<read::ReadPage>(),
    AnyTool::of::<screenshot::TakeScreenshot>(),
    AnyTool::of::<console::ConsoleMessages>(),
    AnyTool::of::<network::NetworkRequests>(),
    AnyTool::of::<input::Click>(),
    AnyTool::of::<input::Type>(),
    AnyTool::of::<form::FillForm>(),
    AnyTool::of::<form::SelectOption>(),
    AnyTool::of::<keys::PressKey>(),
    AnyTool::of::<pointer::Hover>(),
    AnyTool::of::<pointer::Drag>(),
    AnyTool::of::<scroll::Scroll>(),
    AnyTool::of::<pointer::ScrollIntoView>(),
    AnyTool::of::<files::FileUpload>(),
    AnyTool::of::<evaluate::Evaluate>(),
    AnyTool::of::<wait::WaitFor>(),
    AnyTool::of::<dialog::HandleDialog>(),
    AnyTool::of::<person::AskPerson>(),
    AnyTool::of::<tabs::Tabs>(),
    AnyTool::of::<tabs::ClosePage>(),
    AnyTool::of::<window::Resize>(),
    AnyTool::of::<install::Install>(),
    AnyTool::of::<context::CreateContext>(),
    AnyTool::of::<context::SwitchContext>(),
    AnyTool::of::<context::ListContexts>(),
    AnyTool::of::<context::CloseContext>(),
    AnyTool::of::<context::SaveStorage>(),
    AnyTool::of::<vision::MouseClick>(),
    AnyTool::of::<vision::MouseMove>(),
    AnyTool::of::<vision::MouseDrag>(),
    AnyTool::of::<pdf::PdfSave>(),
    AnyTool::of::<request::SearchRequests>(),
    AnyTool::of::<request::ShowRequest>(),
    AnyTool::of::<request::RouteRequests>(),
    AnyTool::of::<request::SendRequest>(),
    AnyTool::of::<storage::Cookies>(),
    AnyTool::of::<storage::Storage>(),
    AnyTool::of::<storage::Access>(),
    AnyTool::of::<emulate::Emulate>(),
    AnyTool::of::<find::Find>(),
    AnyTool::of::<extract::Extract>(),
    AnyTool::of::<crawl::Crawl>(),
    AnyTool::of::<steps::Steps>(),
    AnyTool::of::<program::RunProgram>(),
    AnyTool::of::<run::RunPython>(),
    AnyTool::of::<testing::Expect>(),
    AnyTool::of::<testing::ExportScript>(),
    AnyTool::of::<evidence::TakeAnnotatedScreenshot>(),
    AnyTool::of::<evidence::RecordPage>(),
    AnyTool::of::<devtools::Inspect>(),
    AnyTool::of::<webmcp::PageTool>(),
    AnyTool::of::<patchright::Fetch>(),
    AnyTool::of::<patchright::Screenshot>(),
    AnyTool::of::<patchright::Click>(),
    AnyTool::of::<patchright::FillForm>(),
    AnyTool::of::<patchright::ExecuteJs>(),
    AnyTool::of::<sessions::CreateSession>(),
    AnyTool::of::<sessions::CloseSession>(),
    AnyTool::of::<sessions::ListSessions>(),
    AnyTool::of::<sessions::Navigate>(),
    AnyTool::of::<sessions::Click>(),
    AnyTool::of::<sessions::Type>(),
];
