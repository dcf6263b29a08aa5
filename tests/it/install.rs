//! Downloads of a browser that go wrong. Those that go right are in `tests_py/mcp/test_install.py`.
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use patchright_mcp::browser::install::install;

/// A mirror that begins to send and then says nothing more, for as long as it is asked.
fn silent_mirror() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nPK");
            held.push(stream);
        }
    });
    url
}

#[tokio::test]
async fn a_mirror_that_goes_silent_is_given_up_and_what_killed_downloads_left_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let unfinished = |name: &str| {
        let made = folder.path().join(name);
        fs::create_dir(&made).unwrap();
        fs::write(made.join("chrome.zip"), "PK").unwrap();
        File::create(made.join("lock")).unwrap()
    };
    drop(unfinished(".download-killed"));
    let under_way = unfinished(".download-under-way");
    under_way.lock().unwrap();
    drop(unfinished(".somebody-elses"));

    let limit = Duration::from_millis(100);
    let error = install(Some(&silent_mirror()), Some(folder.path()), limit, &|_| ()).await.unwrap_err();
    assert_eq!(error.code(), "browser_install");
    assert!(error.to_string().contains("the server sent nothing for 100 ms"), "{error}");
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".download-under-way", ".somebody-elses"]);
}
