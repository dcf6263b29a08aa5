//! Fill a form by its labels, send it, and read the answer.
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use std::time::Duration;

use patchright_mcp::Result;
use patchright_mcp::browser::input::ClickOptions;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::locator::WaitForState;
use patchright_mcp::browser::{ActionOptions, Browser, ContextOptions, NavigateOptions};

const FORM: &str = "data:text/html,\
    <form onsubmit=\"event.preventDefault(); answer.textContent = 'Hello, ' + person.value\">\
    <label>Name <input id=person></label> <button>Send</button></form><p id=answer></p>";
const LIMIT: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<()> {
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
    let page = browser.new_context(ContextOptions::default()).await?.new_page().await?;
    page.goto(FORM, &NavigateOptions::default()).await?;

    let frame = page.main_frame();
    // A locator finds its element anew for each action, and waits until it is there.
    let name = frame.by_label("Name")?;
    name.with_element(
        LIMIT,
        |field, left| async move { field.fill("Ada", &ActionOptions::within(left)).await },
    )
    .await?;
    let send = frame.locator("role=button[name=\"Send\"]", true)?;
    let click = |button: patchright_mcp::browser::ElementHandle, left| async move {
        button.click(&ClickOptions::default(), &ActionOptions::within(left)).await
    };
    send.with_element(LIMIT, click).await?;

    let answer = frame.locator("text=Hello", true)?.wait_for(WaitForState::Visible, LIMIT).await?;
    if let Some(answer) = answer {
        println!("{}", answer.inner_text().await?);
    }
    browser.close().await
}
