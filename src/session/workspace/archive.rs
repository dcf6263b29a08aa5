//! Keeps bodies of fetch and XHR responses after the page has navigated: the browser drops them with the
//! document. Limited in number and size; the oldest are dropped first.
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;

use super::Workspace;
use crate::browser::{BrowserContext, NetworkEvent, Page, Request, RequestEntry};

/// The maximum number of bodies for a context. `MOST_BYTES` limits their total size, `LARGEST_BODY` each one.
const MOST_BODIES: usize = 500;
const MOST_BYTES: usize = 20_000_000;
const LARGEST_BODY: usize = 2_000_000;
const BODY_LIMIT: Duration = Duration::from_secs(5);

/// A request with its response body.
#[derive(Debug, Clone)]
pub struct ArchivedResponse {
    page: String,
    /// The request, with its response headers.
    pub entry: RequestEntry,
    /// The body of its response.
    pub body: Arc<[u8]>,
}

/// The archived response bodies of one context.
#[derive(Debug, Default)]
pub struct ResponseArchive {
    kept: Mutex<VecDeque<ArchivedResponse>>,
}

impl ResponseArchive {
    /// Returns a page's archived responses, including those to earlier documents, oldest first.
    pub fn responses_of_page(&self, page: &Page) -> Vec<ArchivedResponse> {
        self.kept.lock().iter().filter(|answered| answered.page == page.id()).cloned().collect()
    }

    /// Returns the response body of the request with this number; `None` if it is not archived.
    pub fn body_of(&self, page: &Page, number: u64) -> Option<Vec<u8>> {
        let kept = self.kept.lock();
        let mut responses_of_page = kept.iter().filter(|answered| answered.page == page.id());
        responses_of_page
            .find(|answered| answered.entry.number == number)
            .map(|answered| answered.body.to_vec())
    }

    fn keep(&self, answered: ArchivedResponse) {
        let mut kept = self.kept.lock();
        kept.push_back(answered);
        let mut bytes: usize = kept.iter().map(|answered| answered.body.len()).sum();
        while kept.len() > MOST_BODIES || bytes > MOST_BYTES {
            let Some(oldest) = kept.pop_front() else { return };
            bytes -= oldest.body.len();
        }
    }
}

/// Fetches a response body before its document is gone; `None` if that fails or the body is too large.
async fn fetched(request: &Request) -> Option<ArchivedResponse> {
    let page = request.page()?;
    let known = || page.with_network(|network| network.get(request.id()).cloned());
    let early = known();
    let body = timeout(BODY_LIMIT, request.response_so_far()?.body()).await.ok()?.ok()?;
    let entry = known().or(early)?;
    (body.len() <= LARGEST_BODY).then(|| ArchivedResponse {
        page: page.id().to_owned(),
        entry,
        body: body.into(),
    })
}

impl Workspace {
    /// Returns the response archive of a context. Recording starts with the first call.
    pub fn response_archive(&self, context: &BrowserContext) -> Arc<ResponseArchive> {
        let mut known = self.inner.archives.lock();
        known.retain(|(context, _)| !context.is_closed());
        if let Some((_, archive)) = known.iter().find(|(known, _)| known == context) {
            return Arc::clone(archive);
        }
        let archive = Arc::<ResponseArchive>::default();
        known.push((context.clone(), Arc::clone(&archive)));
        drop(known);
        let followed = Arc::clone(&archive);
        context.listen_to_network(Arc::new(move |news| {
            let NetworkEvent::RequestFinished(request) = news else { return };
            if matches!(request.resource_type().as_str(), "xhr" | "fetch") {
                let (request, archive) = (request.clone(), Arc::clone(&followed));
                tokio::spawn(async move {
                    if let Some(answered) = fetched(&request).await {
                        archive.keep(answered);
                    }
                });
            }
        }));
        archive
    }
}
