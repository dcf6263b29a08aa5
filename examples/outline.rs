//! Print a page as text with refs, and act on one of them.
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use patchright_mcp::Result;
use patchright_mcp::browser::input::ClickOptions;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{
    ActionOptions, Browser, ContextOptions, ElementHandle, NavigateOptions, SnapshotOptions,
};

const SHOP: &str = "data:text/html,<h1>Lamps</h1><button onclick=\"count.textContent = 1 + +count.textContent\">\
    Add to cart</button> <output id=count>0</output>";

#[tokio::main]
async fn main() -> Result<()> {
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
    let page = browser.new_context(ContextOptions::default()).await?.new_page().await?;
    page.goto(SHOP, &NavigateOptions::default()).await?;

    let outline = page.outline(&SnapshotOptions::default()).await?;
    println!("{outline}");
    // A line reads: - button "Add to cart" [ref=e3]
    let number = outline.lines().find_map(|line| {
        let (_, reference) = line.split_once("button \"Add to cart\"")?.1.split_once("[ref=")?;
        reference.split(']').next()?.rsplit('e').next()?.parse().ok()
    });
    if let Some(number) = number
        && let Some(button) = ElementHandle::by_ref(page.main_frame(), number).await?
    {
        button.click(&ClickOptions::default(), &ActionOptions::default()).await?;
    }
    println!("{}", page.outline(&SnapshotOptions::default()).await?);
    browser.close().await
}
