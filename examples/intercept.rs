//! Answer a request in the place of the server, and let the others go.
#![allow(clippy::print_stdout, reason = "an example is a program that answers a person")]
use std::sync::Arc;

use patchright_mcp::Result;
use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::browser::{
    Browser, ContextOptions, Fulfillment, InterceptedUrls, NavigateOptions, NetworkEvent, RequestOverrides,
};

#[tokio::main]
async fn main() -> Result<()> {
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
    let context = browser.new_context(ContextOptions::default()).await?;
    context.listen_to_network(Arc::new(|event: &NetworkEvent| {
        let NetworkEvent::Route(route) = event else { return };
        let route = route.clone();
        // Listeners must not wait: decisions are made in a task of their own.
        tokio::spawn(async move {
            let decided = if route.request().url().ends_with("/price") {
                let body = b"<title>12 EUR</title>".to_vec();
                let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
                route.fulfill(&Fulfillment { status: 200, headers, body }).await
            } else {
                route.continue_with(&RequestOverrides::default()).await
            };
            if let Err(error) = decided {
                eprintln!("{error}");
            }
        });
    }));
    context.set_interception(InterceptedUrls::All).await?;

    let page = context.new_page().await?;
    page.goto("http://shop.example/price", &NavigateOptions::default()).await?;
    println!("{}", page.title().await);
    browser.close().await
}
