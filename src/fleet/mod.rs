//! More than one machine: the [`pool`] of browsers that somebody else runs, and what several servers know together.
//!
//! A [`Replica`] is this server among others that share one Redis or Valkey. It says every second that it lives; as long
//! as it does, the sessions are its own for which it holds a [`Lease`].
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
