use crate::error::{Error, Result};
use std::time::Duration;
pub struct LaunchOptions {}
#[derive(Debug)]
pub struct BrowserProcess {}
impl BrowserProcess {
    pub fn take_pipes(&mut self) -> (tokio::net::unix::pipe::Receiver, tokio::net::unix::pipe::Sender) {
        todo!()
    }
    pub fn headless(&self) -> bool {
        true
    }
    pub async fn terminate(&self, _l: Duration) {}
    pub async fn explain(&self, e: Error) -> Error {
        e
    }
}
pub async fn launch(_o: &LaunchOptions, _w: &(dyn Fn(&str) + Send + Sync)) -> Result<BrowserProcess> {
    todo!()
}
