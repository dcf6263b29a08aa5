//! The connection to Redis or Valkey: runs Lua scripts atomically, each with a time limit.
use std::fmt;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::error::{Error, Result};

pub(super) use redis::Script;

/// The prefix of all keys. The braces make a Redis cluster keep them in one slot.
const PREFIX: &str = "{patchright}:";

/// The shared store. Connects on first use, and reconnects after a lost connection.
pub struct SharedStore {
    client: Client,
    limit: Duration,
    connection: Mutex<Option<MultiplexedConnection>>,
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the URL, which can contain a password.
        formatter.debug_struct("SharedStore").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl SharedStore {
    /// Creates a store for a `redis://` or `rediss://` URL without connecting. Commands fail after `limit`.
    pub fn new(url: &str, limit: Duration) -> Result<Self> {
        // Replaces the library's error, which could contain a password.
        let wrong = || Error::InvalidArguments {
            problems: vec![
                "expected a redis://[user:password@]host[:port][/number] or rediss:// address".to_owned(),
            ],
        };
        let scheme = url.split("://").next().unwrap_or_default();
        let is_known = matches!(scheme, "redis" | "rediss" | "valkey" | "valkeys");
        // Valkey uses the Redis protocol, but also a `valkey://` scheme.
        let url = url.replacen("valkey", "redis", usize::from(scheme.starts_with("valkey")));
        let client = Client::open(url.as_str()).map_err(|_| wrong())?;
        if is_known { Ok(Self { client, limit, connection: Mutex::default() }) } else { Err(wrong()) }
    }

    /// Returns a store for the same URL with a separate connection.
    pub(super) fn apart(&self) -> Self {
        Self { client: self.client.clone(), limit: self.limit, connection: Mutex::default() }
    }

    /// Runs a script and returns its result.
    ///
    /// # Errors
    /// `state_unavailable` if the store is unreachable, refuses the script or does not answer in time.
    pub async fn run<T: FromRedisValue>(&self, script: &Script, arguments: &[&str]) -> Result<T> {
        let unavailable = |reason: &str| Error::StateUnavailable { reason: reason.to_owned() };
        let mut invocation = script.prepare_invoke();
        invocation.key(PREFIX);
        for argument in arguments {
            invocation.arg(*argument);
        }
        let asking = async {
            let mut connection = self.connected().await?;
            invocation.invoke_async(&mut connection).await
        };
        match timeout(self.limit, asking).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                tracing::warn!(kind = ?error.kind(), "the shared state did not take a command");
                if error.is_io_error() || error.is_connection_dropped() || error.is_timeout() {
                    self.forget().await;
                    return Err(unavailable("it cannot be reached"));
                }
                Err(unavailable("it refused a command"))
            }
            Err(_) => {
                self.forget().await;
                Err(unavailable("it gave no answer in time"))
            }
        }
    }

    async fn connected(&self) -> redis::RedisResult<MultiplexedConnection> {
        let mut held = self.connection.lock().await;
        if let Some(connection) = &*held {
            return Ok(connection.clone());
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.limit))
            .set_response_timeout(Some(self.limit));
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(held.insert(connection).clone())
    }

    /// Drops the connection. The next command reconnects.
    async fn forget(&self) {
        self.connection.lock().await.take();
    }
}
