//! What a tool is: a struct that is its arguments, and a handful of facts about it.
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use rmcp::model::{Tool as Listing, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::Result;
use crate::error::Error;
use crate::mcp::arguments;
use crate::mcp::call::Call;
pub use crate::mcp::effect::{Effect, Patience};
pub use crate::mcp::family::{TAB, Toolset};
use crate::mcp::reply::Reply;
use crate::messages::{Language, listing as texts};

/// What must be switched on with `--caps` before a tool is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Capability {
    /// Always on.
    #[value(skip)]
    Core,
    /// Acting at coordinates.
    Vision,
    /// Saving pages as PDF.
    Pdf,
    /// Searching in the page; always on.
    Find,
    /// Several actions in one call; always on.
    Steps,
    /// Requests: searched, shown whole, changed on their way, sent without a page.
    Network,
    /// Cookies, storage, permissions, headers, HTTP login.
    Storage,
    /// Another look, place, network or processor.
    Emulation,
    /// Python programs, which can do whatever the server's user can.
    Code,
    /// Assertions, and what was done as a test in Python or TypeScript.
    Testing,
    /// Videos, labelled and compared pictures, whole pages.
    Evidence,
    /// How fast a page is, whom it shuts out, which rules and code it uses.
    Devtools,
    /// Tools that pages offer (`WebMCP`). Pages see that a browser asks for them: they find `document.modelContext`.
    Webmcp,
    /// All of them but code and webmcp, which have a price: `--caps all,code`.
    All,
}

/// The argument that names the session in which a tool works. The dispatcher takes it out, so tools need not name it.
pub const SESSION: &str = "sessionId";

/// The argument that names the file for the answer of a tool that reads. Taken out likewise.
pub const FILENAME: &str = "filename";

/// A tool. The struct is its arguments; its doc comments are the description and the schema that clients see.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const EFFECT: Effect;
    /// Whether it reaches beyond what the server holds, such as the web.
    const OPEN_WORLD: bool = true;
    const CAPABILITY: Capability = Capability::Core;
    const TOOLSET: Toolset = Toolset::Browser;
    /// The ending of the file that the answer can be written to, instead of being shown.
    const FILE: Option<&'static str> = None;
    /// Whether it waits while a person works on the page.
    const WAITS_FOR_PERSON: bool = true;
    /// How it says that it failed.
    const FAIL: fn(&Failed<'_>, &mut Reply) = |failure, reply| reply.fail(failure.error);
    const PATIENCE: Patience = match Self::EFFECT {
        Effect::Reads => Patience::Long,
        Effect::Sets | Effect::Adds | Effect::Acts => Patience::Little,
    };

    /// Does it, and writes what is to be shown into `reply`.
    fn call(self, call: &Call<'_>, reply: &mut Reply) -> impl Future<Output = Result<()>> + Send;
}

/// A call that failed.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'a> {
    /// The name of the tool.
    pub tool: &'static str,
    pub arguments: &'a Map<String, Value>,
    pub error: &'a Error,
    /// In which language the client is spoken to.
    pub language: Language,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// A tool with its type forgotten, so that tools of all kinds fit in one list.
#[derive(Debug)]
pub struct AnyTool {
    pub name: &'static str,
    pub title: &'static str,
    pub effect: Effect,
    pub open_world: bool,
    pub capability: Capability,
    pub toolset: Toolset,
    pub patience: Patience,
    pub file: Option<&'static str>,
    pub waits_for_person: bool,
    fail: fn(&Failed<'_>, &mut Reply),
    generate: fn() -> Value,
    run: for<'a> fn(Map<String, Value>, &'a Call<'a>, &'a mut Reply) -> Running<'a>,
    described: OnceLock<Described>,
}

#[derive(Debug)]
struct Described {
    description: String,
    schema: Arc<Map<String, Value>>,
    /// What of the schema clients are shown.
    listed: Arc<Map<String, Value>>,
}

impl AnyTool {
    /// Forgets the type of `T`.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            effect: T::EFFECT,
            open_world: T::OPEN_WORLD,
            capability: T::CAPABILITY,
            toolset: T::TOOLSET,
            patience: T::PATIENCE,
            file: T::FILE,
            waits_for_person: T::WAITS_FOR_PERSON,
            fail: T::FAIL,
            generate: generate::<T>,
            run: run::<T>,
            described: OnceLock::new(),
        }
    }

    /// The JSON schema of the arguments: one flat object that refuses what it does not name.
    pub fn schema(&self) -> &Arc<Map<String, Value>> {
        &self.described().schema
    }

    /// What the tool does, for a model to read.
    pub fn description(&self) -> &str {
        &self.described().description
    }

    /// What `tools/list` says of this tool.
    pub fn listing(&self, language: Language) -> Listing {
        let title = texts::title(self.name, language).unwrap_or(self.title);
        let description = texts::description(self.name, language).unwrap_or(self.description());
        let mut annotations = ToolAnnotations::with_title(title);
        // What only reads destroys nothing and can be repeated; what does not say that it only reads does more, and is
        // about the world unless it says otherwise.
        annotations = match self.effect {
            Effect::Reads => annotations.read_only(true),
            effect => annotations.destructive(effect == Effect::Acts),
        };
        if self.effect == Effect::Sets {
            annotations = annotations.idempotent(true);
        }
        if !self.open_world {
            annotations = annotations.open_world(false);
        }
        Listing::new(self.name, description.to_owned(), self.schema_in(language)).annotate(annotations)
    }

    /// The schema, with its arguments described in this language where there are words for them.
    fn schema_in(&self, language: Language) -> Arc<Map<String, Value>> {
        if texts::title(self.name, language).is_none() {
            return Arc::clone(&self.described().listed);
        }
        let mut schema = Map::clone(&self.described().listed);
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if let Some(text) = texts::argument(self.name, name, language) {
                property["description"] = text.into();
            }
        }
        Arc::new(schema)
    }

    /// Checks the arguments; one error lists all that is wrong.
    pub fn check(&self, arguments: &mut Map<String, Value>) -> Result<()> {
        let problems = arguments::problems(self.schema(), arguments);
        if problems.is_empty() { Ok(()) } else { Err(Error::InvalidArguments { problems }) }
    }

    /// Runs the tool on arguments that [`Self::check`] found good.
    pub fn run<'a>(
        &self,
        arguments: Map<String, Value>,
        call: &'a Call<'a>,
        reply: &'a mut Reply,
    ) -> Running<'a> {
        (self.run)(arguments, call, reply)
    }

    /// Answers that a call failed, in the words of the tool's family.
    pub fn fail(&self, error: &Error, arguments: &Map<String, Value>, language: Language, reply: &mut Reply) {
        (self.fail)(&Failed { tool: self.name, arguments, error, language }, reply);
    }

    /// Adds the arguments that the dispatcher takes out again.
    fn add_shared(&self, properties: &mut Map<String, Value>) {
        if self.file.is_some() {
            let what = "Write the result to this file.";
            properties.insert(
                FILENAME.to_owned(),
                json!({ "description": what, "type": "string", "minLength": 1 }),
            );
        }
        let family = self.toolset.family();
        if let Some(tab) = family.tab_argument.filter(|_| !family.tabs_of_pages_only || self.has_page()) {
            properties.insert(tab.to_owned(), json!({ "type": "string" }));
        }
        if matches!(self.toolset, Toolset::Browser | Toolset::Patchright) {
            properties.insert(SESSION.to_owned(), json!({ "type": "string" }));
        }
    }

    /// What is not about one page takes a tab as well, from those who name theirs on every call; nobody need know.
    fn has_page(&self) -> bool {
        self.open_world
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| {
            let mut schema = (self.generate)();
            let description =
                schema.get("description").and_then(Value::as_str).map(one_line).unwrap_or_default();
            compact(&mut schema);
            let Value::Object(mut schema) = schema else { unreachable!("a struct has an object schema") };
            schema.shift_remove("description");
            let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
            if let Some(properties) = properties.as_object_mut() {
                self.add_shared(properties);
            }
            let mut listed = Value::Object(schema.clone());
            if !self.has_page() {
                leave_out(&mut listed, TAB);
            }
            leave_out_obvious(&mut listed);
            let Value::Object(listed) = listed else { unreachable!("it was made of an object") };
            Described { description, schema: Arc::new(schema), listed: Arc::new(listed) }
        })
    }
}

fn generate<T: Tool>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn run<'a, T: Tool>(arguments: Map<String, Value>, call: &'a Call<'a>, reply: &'a mut Reply) -> Running<'a> {
    match serde_json::from_value::<T>(Value::Object(arguments)) {
        Ok(tool) => Box::pin(tool.call(call, reply)),
        Err(error) => {
            let problems = vec![error.to_string()];
            Box::pin(std::future::ready(Err(Error::InvalidArguments { problems })))
        }
    }
}

/// Takes out what a model does not need to read; each character here is paid for in every conversation.
fn compact(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    // What is left keeps its order.
    object.retain(|key, value| match key.as_str() {
        "$schema" | "title" | "format" => false,
        "default" => !says_nothing(value),
        _ => true,
    });
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = one_line(text);
    }
    drop_null(object);
    let is_map = object.get("additionalProperties").is_some_and(|rest| rest.is_object() || *rest == true);
    if object.get("type").is_some_and(|kind| kind == "object") && !is_map {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(compact);
    }
    if let Some(items) = object.get_mut("items") {
        compact(items);
        if let Some(items) = items.as_object_mut() {
            items.shift_remove("description");
        }
    }
}

fn leave_out(schema: &mut Value, argument: &str) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove(argument);
    }
}

/// That a text is not to be empty goes without saying; whoever gives one gets an error.
fn leave_out_obvious(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("minLength") == Some(&json!(1)) {
                object.shift_remove("minLength");
            }
            object.values_mut().for_each(leave_out_obvious);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_obvious),
        _ => {}
    }
}

/// An optional argument is one that may be left out. That it may also be null goes without saying.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.shift_remove("anyOf") {
        for choice in choices {
            let Value::Object(choice) = choice else { continue };
            if choice.get("type").is_some_and(|kind| kind == "null") {
                continue;
            }
            for (key, value) in choice {
                object.entry(key).or_insert(value);
            }
        }
    }
}

fn says_nothing(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Doc comments break lines and quote code for people; a model needs neither.
fn one_line(text: &str) -> String {
    text.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tools that this server offers, in an order that never changes.
#[derive(Debug, Clone)]
pub struct Registry {
    enabled: Vec<&'static AnyTool>,
    disabled: Vec<&'static AnyTool>,
}

/// A name that no enabled tool has.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("Unknown tool: {name}{advice}")]
pub struct UnknownTool {
    pub name: String,
    advice: String,
}

impl Registry {
    /// Those of `tools` whose capability and toolset are switched on.
    pub fn new(
        tools: impl IntoIterator<Item = &'static AnyTool>,
        capabilities: &BTreeSet<Capability>,
        toolsets: &BTreeSet<Toolset>,
    ) -> Self {
        let (enabled, disabled) = tools.into_iter().partition(|tool| {
            let capable = tool.capability == Capability::Core || capabilities.contains(&tool.capability);
            capable && toolsets.contains(&tool.toolset)
        });
        Self { enabled, disabled }
    }

    /// Whether tools of this kind are switched on.
    pub fn enables(&self, capability: Capability) -> bool {
        self.enabled.iter().any(|tool| tool.capability == capability)
    }

    /// The enabled tools.
    pub fn tools(&self) -> &[&'static AnyTool] {
        &self.enabled
    }

    /// The enabled tool of this name.
    pub fn find(&self, name: &str) -> Result<&'static AnyTool, UnknownTool> {
        let find = |tools: &[&'static AnyTool]| tools.iter().find(|tool| tool.name == name).copied();
        if let Some(tool) = find(&self.enabled) {
            return Ok(tool);
        }
        let advice = if let Some(tool) = find(&self.disabled) {
            match tool.capability {
                Capability::Core => {
                    format!(" (start the server with --toolsets {} to enable it)", tool.toolset)
                }
                capability => format!(" (start the server with --caps {capability} to enable it)"),
            }
        } else {
            let names = self.enabled.iter().map(|tool| tool.name);
            arguments::nearest(name, names).map(|near| format!(" (did you mean {near}?)")).unwrap_or_default()
        };
        let name = name.chars().take(100).collect();
        Err(UnknownTool { name, advice })
    }
}
