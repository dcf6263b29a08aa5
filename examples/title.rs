//! Open a page and print its title.
//!
//!     cargo run --example title -- https://example.com
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use patchright_mcp::Result;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{Browser, ContextOptions, NavigateOptions};

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "data:text/html,<title>Lamps</title>".to_owned());
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
    let context = browser.new_context(ContextOptions::default()).await?;
    let page = context.new_page().await?;
    page.goto(&url, &NavigateOptions::default()).await?;
    println!("{}", page.title().await);
    browser.close().await
}
