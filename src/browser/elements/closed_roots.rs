//! Closed shadow roots, which page scripts cannot reach: finds them by CDP for the injected script.
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::time::Instant;

use super::internals::adopt_internals;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld, value_argument};
use crate::cdp::CdpSession;
use crate::cdp::types::dom::{DescribeNode, Node, ResolveNode};
use crate::cdp::types::runtime::Evaluate;
use crate::error::{Error, Result};

/// The maximum nesting depth of closed shadow roots that is searched.
pub(in crate::browser) const DEEPEST_ROOTS: usize = 6;
/// Up to this number, possible hosts are queried one by one. Above it, the whole document is queried at once.
const FEW_SUSPECTS: u32 = 48;
/// How many elements are queried one by one if the document cannot be described.
const MOST_DESCRIBED: usize = 1_000;
/// After a search, a caller that retries waits this many times the search's duration before the next search.
const PAUSE_FACTOR: u32 = 4;

/// Elements that may have a closed shadow root.
#[derive(Debug, Deserialize)]
struct Suspects {
    /// The number of possible hosts that were not queried yet.
    count: u32,
    /// The number of custom elements that may have `ElementInternals`.
    customs: u32,
    /// The highest ref number in the document.
    last: u32,
}

/// Passes the document's closed shadow roots and `ElementInternals` roles to the injected script. Returns
/// whether any of them were new.
pub(in crate::browser) async fn learn_closed_roots(world: &UtilityWorld) -> Result<bool> {
    let mut has_learnt = false;
    for _ in 0..DEEPEST_ROOTS {
        let suspects: Suspects = world.call_with("seekSuspects", Vec::new()).await?;
        world.frame().set_last_ref(suspects.last);
        if suspects.customs > 0 {
            has_learnt |= adopt_internals(world).await.unwrap_or(false);
        }
        if suspects.count == 0 || adopt_closed_roots(world, suspects.count).await? == 0 {
            break;
        }
        has_learnt = true;
    }
    Ok(has_learnt)
}

/// Runs `look`. If the result is nothing but new closed shadow roots are found, runs `look` again. With
/// `waits`, the caller retries, so not every call searches for new roots.
pub(super) async fn look_through<T, Looking: Future<Output = Result<T>>>(
    world: &UtilityWorld,
    waits: bool,
    look: impl Fn() -> Looking,
    is_nothing: impl Fn(&T) -> bool,
) -> Result<T> {
    let seen = look().await?;
    if is_nothing(&seen) && learn_more_closed_roots(world, waits).await? {
        return look().await;
    }
    Ok(seen)
}

/// Calls [`learn_closed_roots`]. With `waits`, the caller retries anyway, so this skips the search after a recent one.
pub(super) async fn learn_more_closed_roots(world: &UtilityWorld, waits: bool) -> Result<bool> {
    let begun = Instant::now();
    if waits && !world.may_search_closed_roots(begun) {
        return Ok(false);
    }
    let has_learnt = Box::pin(learn_closed_roots(world)).await?;
    world.pause_search_for_roots(Instant::now() + begun.elapsed() * PAUSE_FACTOR);
    Ok(has_learnt)
}

/// Passes the closed shadow roots of possible hosts to the injected script. Returns the number of roots.
pub(in crate::browser) async fn adopt_closed_roots(world: &UtilityWorld, suspects: u32) -> Result<usize> {
    let Some(array) = world.call_handle("suspects", Vec::new()).await? else { return Ok(0) };
    let session = world.session();
    let described = if suspects <= FEW_SUSPECTS {
        describe_each(session, &array).await?
    } else {
        match describe_document(world).await {
            Ok(document) => vec![document],
            // A document can be nested too deeply for the browser to serialize, or for us to parse.
            Err(Error::Protocol { .. } | Error::Unreadable { .. }) => describe_each(session, &array).await?,
            Err(error) => return Err(error),
        }
    };
    let mut closed = Vec::new();
    for node in &described {
        collect_closed(node, &mut closed);
    }
    let resolved = closed.iter().map(|id| {
        session.send(ResolveNode {
            backend_node_id: Some(*id),
            execution_context_id: Some(world.context_id()),
            ..ResolveNode::default()
        })
    });
    let resolved: Vec<_> = resolved.collect();
    let mut adopted = 0;
    for root in join_all(resolved).await.into_iter().flatten() {
        let Some(id) = root.object.object_id else { continue };
        let root = RemoteHandle::new(session.clone(), id);
        let arguments = vec![value_argument(&()), root.argument()];
        let _: Option<bool> = world.call_with("adoptClosedRoot", arguments).await?;
        adopted += 1;
    }
    Ok(adopted)
}

/// Describes the first [`MOST_DESCRIBED`] elements of a list, one by one.
async fn describe_each(session: &CdpSession, elements: &RemoteHandle) -> Result<Vec<Node>> {
    let mut hosts = elements.items().await?;
    hosts.truncate(MOST_DESCRIBED);
    let describe = |host: &RemoteHandle| DescribeNode {
        object_id: Some(host.id().to_owned()),
        depth: Some(1),
        pierce: Some(true),
        ..DescribeNode::default()
    };
    let asked: Vec<_> = hosts.iter().map(|host| session.send(describe(host))).collect();
    Ok(join_all(asked).await.into_iter().flatten().map(|described| described.node).collect())
}

async fn describe_document(world: &UtilityWorld) -> Result<Node> {
    let session = world.session();
    let document = Evaluate {
        expression: "document".to_owned(),
        context_id: Some(world.context_id()),
        ..Evaluate::default()
    };
    let id = session.call(document).await?.result.object_id.ok_or(Error::DocumentGone)?;
    let document = RemoteHandle::new(session.clone(), id);
    let describe = DescribeNode {
        object_id: Some(document.id().to_owned()),
        depth: Some(-1),
        pierce: Some(true),
        ..DescribeNode::default()
    };
    Ok(session.call(describe).await?.node)
}

/// Collects the closed shadow roots below `node`, including those within open ones, but not those of other documents.
fn collect_closed(node: &Node, found: &mut Vec<i64>) {
    for root in node.shadow_roots.iter().flatten() {
        if root.shadow_root_type.as_deref() == Some("closed") {
            found.push(root.backend_node_id);
        }
        collect_closed(root, found);
    }
    for child in node.children.iter().flatten() {
        collect_closed(child, found);
    }
}
