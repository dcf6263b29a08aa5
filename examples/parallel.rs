//! Read many pages at the same time, each in a tab of one context.
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use futures_util::future::try_join_all;
use patchright_mcp::Result;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{Browser, ContentFormat, ContextOptions, NavigateOptions};

#[tokio::main]
async fn main() -> Result<()> {
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
    let context = browser.new_context(ContextOptions::default()).await?;
    let texts = (1..=5).map(|number| {
        let context = context.clone();
        async move {
            let page = context.new_page().await?;
            let url = format!("data:text/html,<h1>Page {number}</h1><p>{number} lamps</p>");
            page.goto(&url, &NavigateOptions::default()).await?;
            let text = page.content(ContentFormat::Markdown).await?;
            page.close().await?;
            Ok::<_, patchright_mcp::Error>(text)
        }
    });
    for text in try_join_all(texts).await? {
        println!("{}", text.trim());
    }
    browser.close().await
}
