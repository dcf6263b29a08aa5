//! The examples for Rust do what they say.
use std::process::Command;

/// Runs an example that `cargo test` has built, and answers what it printed.
fn run(name: &str) -> String {
    let tests = std::env::current_exe().expect("this test is a program");
    let folder = tests.parent().and_then(std::path::Path::parent).expect("it lies in target/PROFILE/deps");
    let program = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let output =
        Command::new(&program).output().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn each_example_prints_what_it_read() {
    assert_eq!(run("title"), "Lamps\n");
    assert_eq!(run("form"), "Hello, Ada\n");
    assert_eq!(run("intercept"), "12 EUR\n");
    assert_eq!(run("session"), "Ann and Bob\ntrue\n42\n");
    let read = run("parallel");
    assert!((1..=5).all(|number| read.contains(&format!("# Page {number}\n\n{number} lamps"))), "{read}");
    let outlines = run("outline");
    assert!(outlines.contains("status: 0") && outlines.contains("status: 1"), "{outlines}");
}
