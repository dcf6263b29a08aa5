use patchright_mcp::browser::launch::{LaunchOptions, launch};

#[tokio::test]
async fn a_browser_answers_over_the_pipe_as_it_starts() {
    let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
    let start = std::time::Instant::now();
    let process = launch(&options, &|line| eprintln!("warn: {line}")).await.unwrap();
    eprintln!("{:?} {:?}", start.elapsed(), process.version());
    process.terminate(std::time::Duration::from_secs(5)).await;
    eprintln!("{:?}", start.elapsed());
}
