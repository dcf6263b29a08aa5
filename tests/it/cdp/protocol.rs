//! Every name and type that we use is one that the browser on this machine knows.
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;

use patchright_mcp::cdp::Connection;
use patchright_mcp::cdp::transport::WebSocket;
use patchright_mcp::cdp::types::{
    ProtocolDefinition, ProtocolDefinitionKind, ProtocolField, browser, catalogue, runtime, target,
};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use url::Url;

/// A browser that nobody has attached to yet.
pub(crate) struct Chromium {
    process: Child,
    /// Such as `ws://127.0.0.1:40000/devtools/browser/…`.
    pub(crate) endpoint: String,
    _profile: tempfile::TempDir,
}

fn executable() -> PathBuf {
    let known = ["/usr/lib/chromium/chromium", "/opt/google/chrome/chrome"];
    std::env::var_os("CHROMIUM")
        .map(PathBuf::from)
        .or_else(|| known.into_iter().map(PathBuf::from).find(|path| path.exists()))
        .expect("Chromium is installed, or CHROMIUM names it")
}

impl Chromium {
    pub(crate) async fn launch() -> Self {
        let profile = tempfile::tempdir().expect("a temporary directory");
        let mut process = Command::new(executable())
            .args(["--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--no-startup-window"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let endpoint = loop {
            let line = lines.next_line().await.expect("it can be read").expect("it starts");
            if let Some(endpoint) = line.strip_prefix("DevTools listening on ") {
                break endpoint.to_owned();
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { process, endpoint, _profile: profile }
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::start(WebSocket::connect(&self.endpoint, &[]).await.expect("it listens"))
    }

    async fn close(mut self, connection: &Connection) {
        // It may go before it has answered.
        let _ = connection.root().call(browser::Close {}).await;
        connection.wait_for_end().await;
        self.process.wait().await.expect("it ends");
    }
}

/// What the browser says of itself.
struct Protocol {
    domains: HashMap<String, Value>,
}

impl Protocol {
    async fn of(chromium: &Chromium) -> Self {
        let mut address = Url::parse(&chromium.endpoint).expect("it is an address");
        address.set_scheme("http").expect("the scheme is known");
        address.set_path("/json/protocol");
        let text = reqwest::get(address).await.expect("it answers");
        let protocol: Value = serde_json::from_str(&text.text().await.expect("text")).expect("JSON");
        let domains = protocol["domains"].as_array().expect("domains").iter();
        let named = |domain: &Value| domain["domain"].as_str().expect("a name").to_owned();
        Self { domains: domains.map(|domain| (named(domain), domain.clone())).collect() }
    }

    /// The command, event or type `Domain.name`.
    fn find(&self, list: &str, name: &str) -> Option<&Value> {
        let (domain, name) = name.split_once('.')?;
        let key = if list == "types" { "id" } else { "name" };
        self.domains.get(domain)?[list].as_array()?.iter().find(|entry| entry[key] == name)
    }
}

/// Compares our types with the browser's, and gathers what differs.
struct Check<'a> {
    protocol: &'a Protocol,
    /// Ours, by file and Rust name.
    objects: HashMap<(&'static str, &'static str), ProtocolDefinition>,
    problems: Vec<String>,
    /// How many fields were compared.
    compared: usize,
}

impl Check<'_> {
    fn entry(&mut self, file: &'static str, entry: &ProtocolDefinition) {
        let domain = entry.name.split('.').next().unwrap_or_default();
        match entry.kind {
            ProtocolDefinitionKind::Object => {}
            ProtocolDefinitionKind::Event => match self.protocol.find("events", entry.name) {
                None => self.problems.push(format!("{}: no such event", entry.name)),
                Some(event) => self.fields(file, domain, entry.name, entry.fields, &event["parameters"]),
            },
            ProtocolDefinitionKind::Command { reply } => match self.protocol.find("commands", entry.name) {
                None => self.problems.push(format!("{}: no such command", entry.name)),
                Some(command) => {
                    self.fields(file, domain, entry.name, entry.fields, &command["parameters"]);
                    self.required(entry, &command["parameters"]);
                    if let Some(reply) = self.objects.get(&(file, reply)).copied() {
                        let name = format!("{} reply", entry.name);
                        self.fields(file, domain, &name, reply.fields, &command["returns"]);
                    } else if reply != "Empty" {
                        self.problems.push(format!("{}: {reply} is not in its file", entry.name));
                    }
                }
            },
        }
    }

    /// What the browser insists on is among the fields.
    fn required(&mut self, entry: &ProtocolDefinition, parameters: &Value) {
        for parameter in parameters.as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let optional = parameter["optional"].as_bool().unwrap_or(false);
            if !optional && !entry.fields.iter().any(|field| field.wire_name() == name) {
                self.problems.push(format!("{}: {name} is required", entry.name));
            }
        }
    }

    fn fields(
        &mut self,
        file: &'static str,
        domain: &str,
        within: &str,
        fields: &[ProtocolField],
        known: &Value,
    ) {
        for field in fields {
            let name = field.wire_name();
            let path = format!("{within}.{name}");
            match known.as_array().into_iter().flatten().find(|known| known["name"] == *name) {
                None => self.problems.push(format!("{path}: no such field")),
                Some(known) => self.kind(file, domain, &path, &field.kind.replace([' ', '\n'], ""), known),
            }
        }
    }

    fn kind(&mut self, file: &'static str, domain: &str, path: &str, ours: &str, theirs: &Value) {
        self.compared += 1;
        let inner = |wrapper: &str| ours.strip_prefix(wrapper).and_then(|rest| rest.strip_suffix('>'));
        if let Some(ours) = inner("Option<").or_else(|| inner("Box<")) {
            return self.kind(file, domain, path, ours, theirs);
        }
        if let Some(reference) = theirs["$ref"].as_str() {
            let name =
                if reference.contains('.') { reference.to_owned() } else { format!("{domain}.{reference}") };
            let Some(theirs) = self.protocol.find("types", &name).cloned() else {
                return self.problems.push(format!("{path}: {name} is unknown"));
            };
            let domain = name.split('.').next().unwrap_or_default();
            return self.kind(file, domain, path, ours, &theirs);
        }
        let theirs_is = theirs["type"].as_str().unwrap_or_default();
        if let Some(ours) = inner("Vec<") {
            match theirs_is {
                "array" => self.kind(file, domain, &format!("{path}[]"), ours, &theirs["items"]),
                _ => self.problems.push(format!("{path}: {theirs_is}, not an array")),
            }
            return;
        }
        let fits = match ours {
            "String" | "&'staticstr" => ["string", "binary"].contains(&theirs_is),
            "bool" => theirs_is == "boolean",
            "i64" | "u32" | "usize" => theirs_is == "integer",
            "f64" => ["number", "integer"].contains(&theirs_is),
            "Headers" | "HeaderList" => theirs_is == "object",
            "Value" => ["object", "any", "array"].contains(&theirs_is),
            _ => {
                let (file, name) = match ours.strip_prefix("super::").and_then(|path| path.split_once("::")) {
                    Some((file, name)) => (file, name),
                    None => (file, ours),
                };
                let found = self.objects.iter().find(|((at, object), _)| *at == file && *object == name);
                let Some((&(file, _), &object)) = found else {
                    return self.problems.push(format!("{path}: {ours} is not in the catalogue"));
                };
                // A type that holds itself is compared once.
                if theirs_is == "object" && path.matches(&format!("<{name}>")).count() == 0 {
                    let path = format!("{path}<{name}>");
                    self.fields(file, domain, &path, object.fields, &theirs["properties"]);
                }
                theirs_is == "object"
            }
        };
        if !fits {
            self.problems.push(format!("{path}: {theirs_is} there, {ours} here"));
        }
    }
}

#[tokio::test]
async fn the_browser_knows_every_name_and_type_that_we_use() {
    let chromium = Chromium::launch().await;
    let protocol = Protocol::of(&chromium).await;
    let objects = catalogue()
        .flat_map(|(file, entries)| entries.iter().map(move |entry| ((file, entry.name), *entry)))
        .filter(|(_, entry)| entry.kind == ProtocolDefinitionKind::Object)
        .collect();
    let mut check = Check { protocol: &protocol, objects, problems: Vec::new(), compared: 0 };
    for (file, entries) in catalogue() {
        for entry in entries {
            check.entry(file, entry);
        }
    }
    assert!(check.compared > 400, "only {} fields were compared", check.compared);
    assert!(check.problems.is_empty(), "{}", check.problems.join("\n"));
    let connection = chromium.connect().await;
    chromium.close(&connection).await;
}

#[tokio::test]
async fn a_real_browser_answers_over_its_websocket() {
    let chromium = Chromium::launch().await;
    let connection = chromium.connect().await;
    let root = connection.root();
    let version = root.call(browser::GetVersion {}).await.expect("it answers");
    assert!(version.product.contains("Chrome"), "{}", version.product);

    let url = "about:blank".to_owned();
    let created = root.call(target::CreateTarget { url, ..Default::default() }).await.expect("a tab");
    let attach = target::AttachToTarget { target_id: created.target_id.clone(), flatten: true };
    let session = connection.session(&root.call(attach).await.expect("attached").session_id);
    let expression = r#""half a pair: \ud83d, a pair: \ud83d\ude00""#.to_owned();
    let evaluate = runtime::Evaluate { expression, return_by_value: Some(true), ..Default::default() };
    let value = session.call(evaluate).await.expect("it evaluates").result.value;
    assert_eq!(value, Some("half a pair: \u{fffd}, a pair: 😀".into()));

    let expression = "new Promise(() => {})".to_owned();
    let pending =
        session.send(runtime::Evaluate { expression, await_promise: Some(true), ..Default::default() });
    root.call(target::CloseTarget { target_id: created.target_id }).await.expect("closed");
    assert_eq!(pending.await.expect_err("the page is gone").code(), "page_closed");
    chromium.close(&connection).await;
}
