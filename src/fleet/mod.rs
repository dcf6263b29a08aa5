//! Several machines: a [`pool`] of browsers that others run, and the state that several servers share.
//!
//! A [`Replica`] is this server among others that share one Redis or Valkey. It sends a heartbeat every second.
//! While it does, it owns the sessions for which it holds a [`Lease`].
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
pub use node::{Node, NodeService};
pub use peers::{CALL_PATH, Peer, PeerCall, PeerCallResult, PeerClient, SECRET_HEADER};
pub use pool::{BrowserPool, Placement};
pub use replica::{ConnectionRecord, DEFAULT_LEASE, Replica, ReplicaOptions};
pub use store::SharedStore;

use store::Script;
