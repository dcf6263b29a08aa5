//! Two sessions that share one browser and nothing else.
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use patchright_mcp::Result;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{NavigateOptions, Page, ScriptWorld};
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions, Workspace};

#[tokio::main]
async fn main() -> Result<()> {
    let launch = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let engine = Engine::new(EngineOptions::new(BrowserSource::Launch(Box::new(launch))));
    let (ann, bob) = (engine.new_workspace(), engine.new_workspace());
    let (first, second) = (open(&ann, "Ann").await?, open(&bob, "Bob").await?);
    println!("{} and {}", first.title().await, second.title().await);
    println!("{}", ann.active_page().is_some_and(|page| page == first));

    let sum = first.main_frame().evaluate("() => 40 + 2", Vec::new(), ScriptWorld::Isolated).await?;
    println!("{sum}");
    engine.close().await;
    Ok(())
}

async fn open(workspace: &Workspace, title: &str) -> Result<Page> {
    let page = workspace.get_or_open_page().await?;
    page.goto(&format!("data:text/html,<title>{title}</title>"), &NavigateOptions::default()).await?;
    Ok(page)
}
