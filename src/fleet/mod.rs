//! Several machines: a [`pool`] of remote browsers, and state shared by several servers.
//!
//! A [`Replica`] is this server as a member of a group that shares one Redis or Valkey. It sends a heartbeat
//! every second. Meanwhile, it owns the sessions for which it has a [`Lease`].
mod beat;
mod grid;
mod lease;
mod node;
mod peers;
mod replica;
#[cfg(feature = "fleet")]
mod store;
#[cfg(not(feature = "fleet"))]
#[path = "no_store.rs"]
mod store;
pub mod pool;

pub use grid::GridSession;
pub use lease::{ClaimResult, ClaimedSession, Lease, NewSession, SavedSession};
pub use node::{NodeProtocol, PoolNode};
pub use peers::{PEER_CALL_PATH, PEER_SECRET_HEADER, Peer, PeerCall, PeerCallResult, PeerClient};
pub use pool::{BrowserPool, NodeReservation};
pub use replica::{DEFAULT_LEASE, McpConnectionRecord, Replica, ReplicaOptions};
pub use store::SharedStore;

use store::Script;
