//! Tools that inspect, search and change requests, and that send requests without a page.
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::milliseconds;
use super::network::line;
use crate::Result;
use crate::browser::{
    ApiBody, ApiContext, ApiOptions, ApiRequest, ApiResponse, DomainList, Fulfillment, RequestEntry,
};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::condition::matches_url;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, Tool, ToolEffect};
use crate::session::{ArchivedResponse, RequestFilter, RequestRule, RuleEffect};

/// The default number of characters of a body in an answer.
const USUAL_CHARS: usize = 10_000;
/// The maximum number of requests whose responses are searched for a text. The newest ones are searched.
const MOST_SEARCHED: usize = 300;
/// The maximum size of a response to `browser_request`, in bytes.
const LARGEST_BODY: usize = 16 << 20;
/// The default number of requests to list.
const USUAL_LINES: usize = 50;
/// The maximum size of a file with a domain list, in bytes.
const LONGEST_LIST: u64 = 20_000_000;

/// Search the tab's requests, including earlier pages', by URL, method, status, kind, or text in fetch and XHR
/// responses.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchRequests {
    /// Part of the URL; * matches anything.
    pub url: Option<String>,
    pub method: Option<String>,
    #[schemars(range(min = 100, max = 599))]
    pub status: Option<i64>,
    /// For example xhr, fetch, document, image.
    pub kind: Option<String>,
    /// Text in the response body.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Show at most this many, the newest. Default: 50.
    #[schemars(range(min = 1, max = 1000))]
    pub last: Option<usize>,
}

impl Tool for SearchRequests {
    const NAME: &'static str = "browser_network_search";
    const TITLE: &'static str = "Search network requests";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Network;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.current_page()?;
        let mut found: Vec<RequestEntry> = page
            .with_network(|network| network.entries().filter(|entry| self.means(entry)).cloned().collect());
        let here: HashSet<u64> = found.iter().map(|entry| entry.number).collect();
        if let Some(text) = &self.text {
            call.progress.set_message("searching the answers");
            let begin = found.len().saturating_sub(MOST_SEARCHED);
            found = page.filter_by_response_text(found.split_off(begin), text).await;
        }
        // The archive has responses of earlier documents, and responses that the browser has dropped since.
        let numbers: HashSet<u64> = found.iter().map(|entry| entry.number).collect();
        let archive = call.workspace.response_archive(page.context()).responses_of_page(&page);
        let says = |kept: &ArchivedResponse| self.text.as_ref().is_none_or(|text| contains(&kept.body, text));
        let fresh = |kept: &ArchivedResponse| !numbers.contains(&kept.entry.number);
        let earlier = archive.into_iter().filter(|kept| fresh(kept) && self.means(&kept.entry) && says(kept));
        let (dropped, left): (Vec<_>, Vec<_>) =
            earlier.map(|kept| kept.entry).partition(|entry| here.contains(&entry.number));
        found = left.into_iter().chain(dropped).chain(found).collect();
        let all = found.len();
        let shown = if call.has_output_file() { all } else { self.last.unwrap_or(USUAL_LINES).min(all) };
        let lines: Vec<Value> = found[all - shown..].iter().map(line).collect();
        let requests = if all == 1 { "request" } else { "requests" };
        reply.say(format!("{all} {requests}, {shown} shown:\n\n{}", page_text::json(&lines)));
        Ok(())
    }
}

impl SearchRequests {
    fn means(&self, entry: &RequestEntry) -> bool {
        let status = entry.response.as_ref().map(|response| response.status);
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(found))
        };
        let is_data =
            self.text.is_none() || ["XHR", "Fetch"].contains(&entry.kind.as_str()) || self.kind.is_some();
        self.url.as_ref().is_none_or(|part| matches_url(part, &entry.url))
            && is(&self.method, &entry.method)
            && is(&self.kind, &entry.kind)
            && (self.status.is_none() || self.status == status)
            && is_data
    }
}

/// Whether a body contains a text, ignoring case.
fn contains(body: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(body).to_lowercase().contains(&text.to_lowercase())
}

/// Default: headers. sent: request body. body: response body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RequestPart {
    #[default]
    Headers,
    Sent,
    Body,
}

/// Show one request in full: headers, sent data, or response body.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShowRequest {
    /// Request id from `browser_network_requests` or `browser_network_search`.
    pub id: u64,
    #[serde(default)]
    pub part: RequestPart,
    /// Return this part of a JSON body: `items[0].name`, `items[*].id`.
    pub path: Option<String>,
    /// Start at this character.
    pub offset: Option<usize>,
    /// Default: 10000.
    #[schemars(range(min = 1))]
    pub max_chars: Option<usize>,
}

impl Tool for ShowRequest {
    const NAME: &'static str = "browser_network_request";
    const TITLE: &'static str = "Show a network request";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Network;
    const FILE: Option<&'static str> = Some("txt");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.current_page()?;
        let archive = call.workspace.response_archive(page.context()).responses_of_page(&page);
        let kept = archive.into_iter().find(|kept| kept.entry.number == self.id);
        let known = page.request_entry(self.id).or_else(|| kept.as_ref().map(|kept| kept.entry.clone()));
        let entry = known.ok_or_else(|| Error::InvalidArguments {
            problems: vec![format!(
                "there is no request {}; list them with browser_network_requests",
                self.id
            )],
        })?;
        // `path` selects a part of a body, so it implies `body` instead of the default, headers.
        let part = if self.path.is_some() && self.part == RequestPart::Headers {
            RequestPart::Body
        } else {
            self.part
        };
        let body = match part {
            RequestPart::Headers => {
                reply.say(page_text::json(&headers(&entry)));
                return Ok(());
            }
            RequestPart::Sent => page.sent_body(&entry).await?.unwrap_or_default(),
            RequestPart::Body => match (page.response_body(&entry).await, kept) {
                (Err(_), Some(kept)) => kept.body.to_vec(),
                (body, _) => body?,
            },
        };
        let text = match (&self.path, String::from_utf8(body)) {
            (Some(path), Ok(text)) => picked(&text, path)?,
            (None, Ok(text)) => text,
            (_, Err(bytes)) => {
                let length = bytes.as_bytes().len();
                reply.say(format!("The body is {length} bytes of no text."));
                return Ok(());
            }
        };
        self.report(&call.services.secrets().redact(&text), call, reply);
        Ok(())
    }
}

impl ShowRequest {
    fn report(&self, text: &str, call: &Call<'_>, reply: &mut Reply) {
        let (begin, all) = (self.offset.unwrap_or_default(), text.chars().count());
        if call.has_output_file() {
            return reply.say(text);
        }
        if all == 0 {
            return reply.say("The body is empty.");
        }
        let end = all.min(begin.saturating_add(self.max_chars.unwrap_or(USUAL_CHARS)));
        let shown: String = text.chars().skip(begin).take(end.saturating_sub(begin)).collect();
        reply.say(page_text::fenced(&shown, "body"));
        if end < all {
            reply.say(format!("These are characters {begin} to {end} of {all}; go on with offset {end}."));
        }
    }
}

fn headers(entry: &RequestEntry) -> Value {
    let written = |headers: &[(String, String)]| {
        headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect::<Map<_, _>>()
    };
    let mut json = line(entry);
    json["requestHeaders"] = written(&entry.sent_headers).into();
    json["cookies"] = "those that the browser added are not among the headers".into();
    json["sends"] = entry.sent_body.as_ref().map_or(0, Vec::len).into();
    if let Some(response) = &entry.response {
        json["responseHeaders"] = written(&response.headers).into();
        json["mimeType"] = response.mime_type.clone().into();
    }
    json
}

/// Returns the part of a JSON text at a path of names, indices and `*`, such as `items[*].id`.
fn picked(text: &str, path: &str) -> Result<String> {
    let wrong = |problem: String| Error::InvalidArguments { problems: vec![problem] };
    let value: Value =
        serde_json::from_str(text).map_err(|error| wrong(format!("the body is not JSON: {error}")))?;
    let steps: Vec<&str> =
        path.split(['.', '[', ']']).filter(|step| !step.is_empty() && *step != "$").collect();
    let found =
        pick(&value, &steps).ok_or_else(|| wrong(format!("`path` leads nowhere; {}", names_in(&value))))?;
    Ok(serde_json::to_string_pretty(&found).unwrap_or_default())
}

fn pick(value: &Value, steps: &[&str]) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    match (value, *step) {
        (Value::Array(items), "*") => Some(items.iter().filter_map(|item| pick(item, rest)).collect()),
        (Value::Object(entries), "*") => Some(entries.values().filter_map(|item| pick(item, rest)).collect()),
        (Value::Array(items), place) => pick(items.get(place.parse::<usize>().ok()?)?, rest),
        (Value::Object(entries), name) => pick(entries.get(name)?, rest),
        _ => None,
    }
}

fn names_in(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let names: Vec<_> = entries.keys().take(20).map(|name| page_text::line_or_json(name)).collect();
            format!("at its top are {}", names.join(", "))
        }
        Value::Array(items) => format!("it is a list of {}", items.len()),
        _ => "it is one value".to_owned(),
    }
}

/// answer: with status, headers and body. headers: set request headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleAction {
    Block,
    Answer,
    Headers,
    List,
    Clear,
}

/// Block requests, answer them, or change their headers, in all tabs of the context; list or clear such rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteRequests {
    pub action: RuleAction,
    /// Part of the URL; * matches anything. For clear: the rule to remove. Default: all.
    #[schemars(length(min = 1))]
    pub url: Option<String>,
    /// Response status. Default: 200.
    #[schemars(range(min = 200, max = 599))]
    pub status: Option<u32>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    /// Delay in ms before the answer.
    #[schemars(range(min = 0, max = 60_000))]
    pub delay: Option<f64>,
    /// Block list instead of url: `ads`, or a hosts or Adblock file.
    #[schemars(length(min = 1))]
    pub list: Option<String>,
}

impl Tool for RouteRequests {
    const NAME: &'static str = "browser_route";
    const TITLE: &'static str = "Change requests on their way";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Network;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let workspace = call.workspace;
        // Rules belong to the context: they outlive its tabs, and can be set before the first tab opens.
        let context = match call.named_tab() {
            Some(_) => call.current_page()?.context().clone(),
            None => workspace.get_or_create_active_context().await?,
        };
        match self.action {
            RuleAction::List => {
                let rules = workspace.rules(&context).list();
                let lines: Vec<_> = rules.iter().map(rule_json).collect();
                reply.say(page_text::json(&lines));
            }
            RuleAction::Clear => {
                let pattern = self.list.as_deref().or(self.url.as_deref());
                let removed = workspace.remove_rules(&context, pattern).await?;
                reply.say(format!("Removed {removed} rules"));
            }
            RuleAction::Block if self.list.is_some() => {
                let (rule, numbers) = self.rule_of_list(call).await?;
                workspace.add_rule(&context, rule).await?;
                reply.say(numbers);
            }
            _ => {
                let rule = self.rule()?;
                let numbers = describe_rule(&rule);
                workspace.add_rule(&context, rule).await?;
                reply.say(numbers);
            }
        }
        Ok(())
    }
}

impl RouteRequests {
    /// Returns a rule for the domains of a list, and a description of the rule.
    async fn rule_of_list(self, call: &Call<'_>) -> Result<(RequestRule, String)> {
        let wrong = |problem: &str| Error::InvalidArguments { problems: vec![problem.to_owned()] };
        if self.url.is_some() {
            return Err(wrong("`url` and `list` both say which requests are meant; give one"));
        }
        let pattern = self.list.unwrap_or_default();
        let domains = match pattern.as_str() {
            "ads" => DomainList::ad_domains(),
            file => DomainList::parse(&call.roots().await.read(file, LONGEST_LIST)?),
        };
        if domains.is_empty() {
            return Err(wrong("`list` names no domain: one is wanted on each line, as in a hosts file"));
        }
        let left_out = match domains.left_out {
            0 => String::new(),
            1 => "; 1 line means more than a domain, and nothing here".to_owned(),
            lines => format!("; {lines} lines mean more than a domain, and nothing here"),
        };
        let text = format!("From now on, requests to {} domains are blocked{left_out}", domains.len());
        let delay = self.delay.map_or(Duration::ZERO, milliseconds);
        Ok((
            RequestRule {
                pattern,
                filter: RequestFilter::Domains(domains.into()),
                does: RuleEffect::Block,
                delay,
            },
            text,
        ))
    }

    fn rule(self) -> Result<RequestRule> {
        let wrong = |problem: &str| Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        let Some(pattern) = self.url else { return wrong("`url` is needed to say which requests are meant") };
        if self.list.is_some() {
            return wrong("`list` goes with the actions block and clear only");
        }
        if self.action != RuleAction::Answer && (self.body.is_some() || self.status.is_some()) {
            return wrong("`body` and `status` go with the action answer only");
        }
        let headers: Vec<_> = self.headers.into_iter().collect();
        if let Some((name, _)) = headers.iter().find(|(name, value)| !is_header(name, value)) {
            return Err(Error::InvalidArguments {
                problems: vec![format!("{name:?} is not a valid header")],
            });
        }
        let does = match self.action {
            RuleAction::Block => RuleEffect::Block,
            RuleAction::Answer => {
                RuleEffect::Answer(answer(self.status, headers, self.body.unwrap_or_default()))
            }
            _ if headers.is_empty() => return wrong("`headers` are needed"),
            _ => RuleEffect::Headers(headers),
        };
        let delay = self.delay.map_or(Duration::ZERO, milliseconds);
        Ok(RequestRule { pattern, filter: RequestFilter::Like(matches_url), does, delay })
    }
}

/// Whether the name and the value of a header are valid.
pub(super) fn is_header(name: &str, value: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token) && !value.contains(['\r', '\n', '\0'])
}

fn answer(status: Option<u32>, mut headers: Vec<(String, String)>, body: String) -> Fulfillment {
    let has = |headers: &[(String, String)], name: &str| {
        headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    };
    if !has(&headers, "content-type") {
        let is_json = serde_json::from_str::<Value>(&body).is_ok_and(|value| !value.is_string());
        let kind = match body.trim_start() {
            text if text.starts_with('<') => "text/html; charset=utf-8",
            _ if is_json => "application/json",
            _ => "text/plain; charset=utf-8",
        };
        headers.push(("Content-Type".to_owned(), kind.to_owned()));
    }
    if !has(&headers, "access-control-allow-origin") {
        headers.push(("Access-Control-Allow-Origin".to_owned(), "*".to_owned()));
    }
    Fulfillment { status: status.unwrap_or(200), headers, body: body.into_bytes() }
}

/// Describes a new rule in one sentence.
fn describe_rule(rule: &RequestRule) -> String {
    let does = match &rule.does {
        RuleEffect::Block => "are blocked".to_owned(),
        RuleEffect::Answer(answer) => {
            format!("are answered {} with {} bytes", answer.status, answer.body.len())
        }
        RuleEffect::Headers(headers) => {
            let names: Vec<_> = headers.iter().map(|(name, _)| page_text::line_or_json(name)).collect();
            format!("are sent with {}", names.join(", "))
        }
    };
    let delay = match rule.delay {
        Duration::ZERO => String::new(),
        delay => format!(" after {} ms", delay.as_millis()),
    };
    format!(
        "From now on, requests of addresses like {} {does}{delay}",
        page_text::line_or_json(&rule.pattern)
    )
}

fn rule_json(rule: &RequestRule) -> Value {
    let mut json = match &rule.filter {
        RequestFilter::Like(_) => json!({ "url": rule.pattern }),
        RequestFilter::Domains(domains) => json!({ "list": rule.pattern, "domains": domains.len() }),
    };
    match &rule.does {
        RuleEffect::Block => json["action"] = "block".into(),
        RuleEffect::Answer(answer) => {
            json["action"] = "answer".into();
            json["status"] = answer.status.into();
            json["bytes"] = answer.body.len().into();
        }
        RuleEffect::Headers(headers) => {
            json["action"] = "headers".into();
            json["headers"] = headers.iter().map(|(name, _)| name.clone()).collect();
        }
    }
    if !rule.delay.is_zero() {
        json["delay"] = u64::try_from(rule.delay.as_millis()).unwrap_or(u64::MAX).into();
    }
    json
}

/// Send an HTTP request without a page, with the context's cookies and proxy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendRequest {
    #[schemars(length(min = 1))]
    pub url: String,
    /// Default: GET.
    pub method: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    /// In ms.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
    /// Default: 10000.
    #[schemars(range(min = 1))]
    pub max_chars: Option<usize>,
}

impl Tool for SendRequest {
    const NAME: &'static str = "browser_request";
    const TITLE: &'static str = "Send a request";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Network;
    const FILE: Option<&'static str> = Some("txt");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let url = call.parse_url(&self.url)?;
        if !matches!(url.scheme(), "http" | "https") {
            let reason = "only http and https URLs are supported".to_owned();
            return Err(Error::UrlRefused { reason });
        }
        let context = call.acquire_or_open_page().await?.context().clone();
        call.services.pacing.wait_to_navigate(&context, &url).await?;
        call.progress.set_message("waiting for the answer");
        let asked = url.clone();
        let request = ApiRequest {
            url: url.into(),
            method: self.method.unwrap_or_else(|| "GET".to_owned()).to_ascii_uppercase(),
            headers: self.headers.into_iter().collect(),
            body: self.body.map(|body| ApiBody::Bytes(body.into_bytes())),
            limit: Some(self.timeout.map_or(call.settings.timeouts.navigation, milliseconds)),
            ..ApiRequest::default()
        };
        let options = ApiOptions { largest_body: LARGEST_BODY, ..ApiOptions::default() };
        let answer = ApiContext::with_cookies_of(&context, options).fetch(&request).await?;
        reply.say(head_of(&answer, &asked));
        if request.method == "HEAD" {
            reply.say(page_text::fenced(&list_headers(&answer.headers), "headers"));
            return Ok(());
        }
        if call.has_output_file() {
            reply.set_file_content(answer.body);
            return Ok(());
        }
        let Some(text) = text_of(&answer.body) else {
            reply.say("The body is not text; give filename to have it as it is.");
            return Ok(());
        };
        let text = call.services.secrets().redact(text);
        let most = self.max_chars.unwrap_or(USUAL_CHARS);
        let shown: String = text.chars().take(most).collect();
        if !shown.is_empty() {
            reply.say(page_text::fenced(&shown, "body"));
        }
        if text.chars().count() > most {
            reply.say("The rest is left out; give maxChars, or filename for all of it.");
        }
        Ok(())
    }
}

/// Formats the status of a response, and its URL if the request was redirected.
fn head_of(answer: &ApiResponse, asked: &Url) -> String {
    let elsewhere = Url::parse(&answer.url).is_ok_and(|mut url| {
        let mut asked = asked.clone();
        asked.set_fragment(None);
        url.set_fragment(None);
        url != asked
    });
    let place = if elsewhere { format!(" by {}", page_text::inline_url(&answer.url)) } else { String::new() };
    let kind = answer.header("content-type");
    let kind = kind.map(|kind| format!(", {}", page_text::line_or_json(kind))).unwrap_or_default();
    format!("Answered {}{place} ({} bytes{kind})", answer.status, answer.body.len())
}

fn list_headers(headers: &[(String, String)]) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
}

/// Returns a body as text; `None` unless it is valid UTF-8 without null characters.
fn text_of(body: &[u8]) -> Option<&str> {
    std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_json_are_picked_by_paths() {
        let text = r#"{"items": [{"id": 1, "a.b": 5}, {"id": 2}], "next": null}"#;
        for (path, expected) in [
            ("items[0].id", "1"),
            ("items.1.id", "2"),
            ("$.items[*].id", "[\n  1,\n  2\n]"),
            ("next", "null"),
        ] {
            assert_eq!(picked(text, path).unwrap(), expected, "{path}");
        }
        assert!(picked(text, "items[5]").unwrap_err().to_string().contains("items, next"));
        assert!(picked("<p>", "a").is_err());
    }
}
