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
pub use lease::{Claim, Found, Lease, Opened, Saved};
pub use node::{Node, Service};
pub use peers::{Answer, Asked, CALL_PATH, Peer, Peers, SECRET};
pub use pool::{Placement, Pool};
pub use replica::{Connected, LEASE, Replica, ReplicaOptions};
pub use store::Store;

use store::Script;
