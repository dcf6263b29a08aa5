//! What becomes of requests on their way: rules of a client for its contexts.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;

use super::Workspace;
use crate::browser::{BrowserContext, Domains, Fulfillment, NetworkEvent, Overrides, Request, Route};
use crate::error::Result;

/// The most rules that a context has.
const MOST_RULES: usize = 200;

/// What happens to requests of some addresses.
#[derive(Debug, Clone)]
pub struct Rule {
    /// As it was written, to be listed.
    pub pattern: String,
    pub filter: RequestFilter,
    pub does: Does,
    /// How long they are held first.
    pub delay: Duration,
}

/// Which requests a rule means.
#[derive(Debug, Clone)]
pub enum RequestFilter {
    /// Those whose addresses this says to be like the pattern.
    Like(fn(&str, &str) -> bool),
    /// Those to these domains; what a tab itself shows is asked for on purpose.
    Domains(Arc<Domains>),
}

/// What a rule does.
#[derive(Debug, Clone)]
pub enum Does {
    Block,
    Answer(Fulfillment),
    /// These headers are sent besides, or instead of those of the same names.
    Headers(Vec<(String, String)>),
}

/// The rules of one context. The newest that means an address decides.
#[derive(Debug, Default)]
pub struct Rules {
    list: Mutex<Vec<Rule>>,
    /// What no rule means is decided by somebody else.
    leaves_rest: AtomicBool,
}

impl Rules {
    /// The rules, oldest first.
    pub fn list(&self) -> Vec<Rule> {
        self.list.lock().clone()
    }

    /// Whether somebody else decides what no rule means.
    pub fn leave_rest(&self, leaves: bool) {
        self.leaves_rest.store(leaves, Ordering::Release);
    }

    fn decide(&self, route: &Route) {
        let rule = self.list.lock().iter().rev().find(|rule| rule.means(route.request())).cloned();
        let Some(rule) = rule else {
            if !self.leaves_rest.load(Ordering::Acquire) {
                route.let_go();
            }
            return;
        };
        route.claim();
        let route = route.clone();
        tokio::spawn(async move {
            sleep(rule.delay).await;
            // A request that was given up meanwhile needs nothing any more.
            let _ = rule.apply(&route).await;
        });
    }
}

impl Rule {
    fn means(&self, request: &Request) -> bool {
        match &self.filter {
            RequestFilter::Like(like) => like(&self.pattern, request.url()),
            RequestFilter::Domains(domains) => !request.is_tabs_document() && domains.mean(request.url()),
        }
    }

    async fn apply(&self, route: &Route) -> Result<()> {
        match &self.does {
            Does::Block => route.abort("blockedbyclient").await,
            Does::Answer(answer) => route.fulfill(answer).await,
            Does::Headers(headers) => {
                let replaced = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
                let kept = route.request().headers().iter().filter(|(name, _)| !replaced(name)).cloned();
                let headers = Some(kept.chain(headers.iter().cloned()).collect());
                route.resume(&Overrides { headers, ..Overrides::default() }).await
            }
        }
    }
}

impl Workspace {
    /// The rules of a context.
    pub fn rules(&self, context: &BrowserContext) -> Arc<Rules> {
        let mut known = self.inner.rules.lock();
        known.retain(|(context, _)| !context.is_closed());
        if let Some((_, rules)) = known.iter().find(|(known, _)| known == context) {
            return Arc::clone(rules);
        }
        let rules = Arc::<Rules>::default();
        known.push((context.clone(), Arc::clone(&rules)));
        drop(known);
        let followed = Arc::clone(&rules);
        context.follow(Arc::new(move |news| {
            if let NetworkEvent::Route(route) = news {
                followed.decide(route);
            }
        }));
        rules
    }

    /// Adds a rule for requests from now on. The oldest goes where there are too many.
    pub async fn add_rule(&self, context: &BrowserContext, rule: Rule) -> Result<()> {
        let rules = self.rules(context);
        {
            let mut rules = rules.list.lock();
            if rules.len() == MOST_RULES {
                rules.remove(0);
            }
            rules.push(rule);
        }
        context.route(true).await
    }

    /// Takes rules back: those of a pattern, or all. Gives how many.
    pub async fn remove_rules(&self, context: &BrowserContext, pattern: Option<&str>) -> Result<usize> {
        let rules = self.rules(context);
        let (removed, is_empty) = {
            let mut rules = rules.list.lock();
            let before = rules.len();
            rules.retain(|rule| pattern.is_some_and(|pattern| rule.pattern != pattern));
            (before - rules.len(), rules.is_empty())
        };
        if is_empty {
            context.route(false).await?;
        }
        Ok(removed)
    }
}
