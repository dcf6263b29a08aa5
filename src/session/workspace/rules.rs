//! Rules for network requests that a client sets for its contexts.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;

use super::Workspace;
use crate::browser::{
    BrowserContext, DomainList, Fulfillment, NetworkEvent, Request, RequestOverrides, Route,
};
use crate::error::Result;

/// The maximum number of rules in a context.
const MOST_RULES: usize = 200;

/// A rule: which requests it matches, and what happens to them.
#[derive(Debug, Clone)]
pub struct RequestRule {
    /// The pattern as it was written, for listings.
    pub pattern: String,
    /// The requests that the rule matches.
    pub filter: RequestFilter,
    /// What the rule does with matching requests.
    pub does: RuleEffect,
    /// How long matching requests are delayed.
    pub delay: Duration,
}

/// The condition by which a rule matches requests.
#[derive(Debug, Clone)]
pub enum RequestFilter {
    /// Requests for which this function returns true, given the rule's pattern and the URL.
    Like(fn(&str, &str) -> bool),
    /// Requests to these domains, except the main documents of tabs, which are opened on purpose.
    Domains(Arc<DomainList>),
}

/// What a rule does with a request.
#[derive(Debug, Clone)]
pub enum RuleEffect {
    /// The request fails.
    Block,
    /// The request gets this response.
    Answer(Fulfillment),
    /// Adds these headers to the request, replacing those of the same names.
    Headers(Vec<(String, String)>),
}

/// The rules of one context. The newest matching rule decides.
#[derive(Debug, Default)]
pub struct RequestRules {
    list: Mutex<Vec<RequestRule>>,
    /// Whether another handler decides about requests that match no rule.
    delegates_unmatched: AtomicBool,
}

impl RequestRules {
    /// Returns the rules, oldest first.
    pub fn list(&self) -> Vec<RequestRule> {
        self.list.lock().clone()
    }

    /// Sets whether another handler decides about requests that match no rule.
    pub fn set_delegates_unmatched(&self, leaves: bool) {
        self.delegates_unmatched.store(leaves, Ordering::Release);
    }

    fn decide(&self, route: &Route) {
        let rule = self.list.lock().iter().rev().find(|rule| rule.means(route.request())).cloned();
        let Some(rule) = rule else {
            if !self.delegates_unmatched.load(Ordering::Acquire) {
                route.continue_unchanged();
            }
            return;
        };
        route.reserve_decision();
        let route = route.clone();
        tokio::spawn(async move {
            sleep(rule.delay).await;
            // An error means that the request has been cancelled in the meantime.
            let _ = rule.apply(&route).await;
        });
    }
}

impl RequestRule {
    fn means(&self, request: &Request) -> bool {
        match &self.filter {
            RequestFilter::Like(like) => like(&self.pattern, request.url()),
            RequestFilter::Domains(domains) => {
                !request.is_main_frame_navigation() && domains.contains_url(request.url())
            }
        }
    }

    async fn apply(&self, route: &Route) -> Result<()> {
        match &self.does {
            RuleEffect::Block => route.abort("blockedbyclient").await,
            RuleEffect::Answer(answer) => route.fulfill(answer).await,
            RuleEffect::Headers(headers) => {
                let replaced = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
                let kept = route.request().headers().iter().filter(|(name, _)| !replaced(name)).cloned();
                let headers = Some(kept.chain(headers.iter().cloned()).collect());
                route.continue_with(&RequestOverrides { headers, ..RequestOverrides::default() }).await
            }
        }
    }
}

impl Workspace {
    /// Returns the rules of a context. The first call subscribes them to its requests.
    pub fn rules(&self, context: &BrowserContext) -> Arc<RequestRules> {
        let mut known = self.inner.rules.lock();
        known.retain(|(context, _)| !context.is_closed());
        if let Some((_, rules)) = known.iter().find(|(known, _)| known == context) {
            return Arc::clone(rules);
        }
        let rules = Arc::<RequestRules>::default();
        known.push((context.clone(), Arc::clone(&rules)));
        drop(known);
        let followed = Arc::clone(&rules);
        context.listen_to_network(Arc::new(move |news| {
            if let NetworkEvent::Route(route) = news {
                followed.decide(route);
            }
        }));
        rules
    }

    /// Adds a rule for future requests. At the limit, drops the oldest rule.
    pub async fn add_rule(&self, context: &BrowserContext, rule: RequestRule) -> Result<()> {
        let rules = self.rules(context);
        {
            let mut rules = rules.list.lock();
            if rules.len() == MOST_RULES {
                rules.remove(0);
            }
            rules.push(rule);
        }
        context.set_interception(true).await
    }

    /// Removes the rules with this pattern; `None` removes all. Returns the number of removed rules.
    pub async fn remove_rules(&self, context: &BrowserContext, pattern: Option<&str>) -> Result<usize> {
        let rules = self.rules(context);
        let (removed, is_empty) = {
            let mut rules = rules.list.lock();
            let before = rules.len();
            rules.retain(|rule| pattern.is_some_and(|pattern| rule.pattern != pattern));
            (before - rules.len(), rules.is_empty())
        };
        if is_empty {
            context.set_interception(false).await?;
        }
        Ok(removed)
    }
}
