//! Defines tools: a struct with the arguments, and properties that the dispatcher applies.
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use clap::ValueEnum as _;
use rmcp::model::{Tool as Listing, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::Result;
use crate::error::Error;
use crate::mcp::arguments;
use crate::mcp::call::Call;
pub use crate::mcp::effect::{StallPolicy, ToolEffect};
pub use crate::mcp::family::{BROWSER, FailedCall, TAB_ARGUMENT, TABLESS_TRAITS, Toolset, ToolsetTraits};
use crate::mcp::grant::OwnerPermissions;
use crate::mcp::reply::Reply;
use crate::messages::{Language, listing as texts};

/// Groups of optional tools that `--caps` enables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Capability {
    /// Always on.
    #[value(skip)]
    Core,
    /// Mouse actions at coordinates.
    Vision,
    /// Saving pages as PDF.
    Pdf,
    /// Searching in the page; always on.
    Find,
    /// Several actions in one call; always on.
    Steps,
    /// Typed rows by a schema or from tables, over many pages and long lists.
    Extract,
    /// Network requests: search, inspect, intercept, send.
    Network,
    /// Cookies, storage, permissions, headers, HTTP login.
    Storage,
    /// Emulation of device, location, network and CPU.
    Emulation,
    /// Python programs with all rights of the server's user.
    Code,
    /// Assertions, and recorded actions as a test in Python or TypeScript.
    Testing,
    /// Videos, labelled and compared screenshots, saved pages.
    Evidence,
    /// Web vitals, accessibility audit, CSS rules, code coverage.
    Devtools,
    /// Tools that pages offer (`WebMCP`). Pages can notice it: they see `document.modelContext`.
    Webmcp,
    /// All except code and webmcp, which have drawbacks: `--caps all,code`.
    All,
}

impl Capability {
    /// Replaces [`Capability::All`] by the capabilities that it enables.
    pub fn expand(named: impl IntoIterator<Item = Self>) -> BTreeSet<Self> {
        const HAVE_A_PRICE: [Capability; 3] = [Capability::All, Capability::Code, Capability::Webmcp];
        let mut capabilities: BTreeSet<_> = named.into_iter().collect();
        if capabilities.remove(&Self::All) {
            let all = Self::value_variants().iter().filter(|name| !HAVE_A_PRICE.contains(name));
            capabilities.extend(all);
        }
        capabilities
    }
}

/// The argument that selects a session. The dispatcher removes it before the tool runs.
pub const SESSION_ARGUMENT: &str = "sessionId";

/// The tools of [`Toolset::Code`].
const PROGRAMS: [&str; 2] = ["browser_run", "browser_handle_dialog"];

/// The argument that names a file for the answer. The dispatcher removes it before the tool runs.
pub const FILENAME_ARGUMENT: &str = "filename";

/// The argument with the expected outcome of an action. The dispatcher removes it before the tool runs.
pub const EXPECT_ARGUMENT: &str = "expect";

/// Tools that accept [`EXPECT_ARGUMENT`] but do not list it: each character of the tool list costs tokens.
const SELDOM_EXPECTED: [&str; 9] = [
    "browser_navigate_back",
    "browser_history",
    "browser_scroll",
    "browser_evaluate",
    "browser_ask_person",
    "browser_tabs",
    "browser_close",
    "browser_steps",
    "browser_run",
];

/// A tool. The struct's fields are the arguments; its doc comments become the description and the schema.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const EFFECT: ToolEffect;
    /// Whether the tool interacts with the outside world, such as the web: MCP's `openWorldHint`.
    const OPEN_WORLD: bool = true;
    const CAPABILITY: Capability = Capability::Core;
    const FAMILY: &'static ToolsetTraits = BROWSER;
    /// The extension of the file to which the answer can be written; `None` if it cannot.
    const FILE: Option<&'static str> = None;
    /// Whether a call waits while a person controls the page.
    const WAITS_FOR_PERSON: bool = true;
    /// Whether errors of the tool contain the relevant part of the page, so that the page is not shown again.
    const EXPLAINS_FAILURE: bool = false;
    const STALL_POLICY: StallPolicy = match Self::EFFECT {
        ToolEffect::Reads => StallPolicy::GiveUpIfSilent,
        ToolEffect::Sets | ToolEffect::Adds | ToolEffect::Acts => StallPolicy::GiveUpSoon,
    };

    /// Runs the tool, and writes its answer to `reply`.
    fn call(self, call: &Call<'_>, reply: &mut Reply) -> impl Future<Output = Result<()>> + Send;
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// A type-erased tool, for lists of tools.
#[derive(Debug)]
pub struct AnyTool {
    pub name: &'static str,
    pub title: &'static str,
    pub effect: ToolEffect,
    pub open_world: bool,
    pub capability: Capability,
    pub family: &'static ToolsetTraits,
    pub stall_policy: StallPolicy,
    pub file: Option<&'static str>,
    pub waits_for_person: bool,
    pub explains_failure: bool,
    generate: fn() -> Value,
    run: for<'a> fn(Map<String, Value>, &'a Call<'a>, &'a mut Reply) -> Running<'a>,
    described: OnceLock<Described>,
}

#[derive(Debug)]
struct Described {
    description: String,
    schema: Arc<Map<String, Value>>,
    /// The part of the schema that clients see in the tool list.
    listed: Arc<Map<String, Value>>,
}

impl AnyTool {
    /// Creates the type-erased form of the tool `T`.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            effect: T::EFFECT,
            open_world: T::OPEN_WORLD,
            capability: T::CAPABILITY,
            family: T::FAMILY,
            stall_policy: T::STALL_POLICY,
            file: T::FILE,
            waits_for_person: T::WAITS_FOR_PERSON,
            explains_failure: T::EXPLAINS_FAILURE,
            generate: generate::<T>,
            run: run::<T>,
            described: OnceLock::new(),
        }
    }

    /// Returns the JSON schema of the arguments: a flat object without additional properties.
    pub fn schema(&self) -> &Arc<Map<String, Value>> {
        &self.described().schema
    }

    /// Returns the description for models.
    pub fn description(&self) -> &str {
        &self.described().description
    }

    /// Returns the tool's entry in `tools/list`.
    pub fn to_mcp_tool(&self, language: Language) -> Listing {
        let title = texts::tool_title(self.name, language).unwrap_or(self.title);
        let description = texts::tool_description(self.name, language).unwrap_or(self.description());
        let mut annotations = ToolAnnotations::with_title(title);
        // Only hints that differ from MCP's defaults: not read-only, destructive, not idempotent, open world.
        annotations = match self.effect {
            ToolEffect::Reads => annotations.read_only(true),
            // Destructive by default.
            ToolEffect::Acts => annotations,
            ToolEffect::Sets | ToolEffect::Adds => annotations.destructive(false),
        };
        if self.effect == ToolEffect::Sets {
            annotations = annotations.idempotent(true);
        }
        if !self.open_world {
            annotations = annotations.open_world(false);
        }
        Listing::new(self.name, description.to_owned(), self.schema_in(language)).annotate(annotations)
    }

    /// Returns the listed schema with descriptions in this language, where they exist.
    fn schema_in(&self, language: Language) -> Arc<Map<String, Value>> {
        if texts::tool_title(self.name, language).is_none() {
            return Arc::clone(&self.described().listed);
        }
        let mut schema = Map::clone(&self.described().listed);
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if let Some(text) = texts::argument_description(self.name, name, language) {
                property["description"] = text.into();
            }
        }
        Arc::new(schema)
    }

    /// Checks the arguments and corrects alternative spellings. One error lists all problems.
    pub fn check(&self, arguments: &mut Map<String, Value>) -> Result<()> {
        let problems = arguments::check_arguments(self.schema(), arguments);
        if problems.is_empty() { Ok(()) } else { Err(Error::InvalidArguments { problems }) }
    }

    /// Runs the tool with arguments that passed [`check`](Self::check).
    pub fn run<'a>(
        &self,
        arguments: Map<String, Value>,
        call: &'a Call<'a>,
        reply: &'a mut Reply,
    ) -> Running<'a> {
        (self.run)(arguments, call, reply)
    }

    /// Writes an error answer in the style of the toolset.
    pub fn write_error(
        &self,
        error: &Error,
        arguments: &Map<String, Value>,
        language: Language,
        reply: &mut Reply,
    ) {
        (self.family.fail)(&FailedCall { tool: self.name, arguments, error, language }, reply);
    }

    /// Adds the arguments that the dispatcher removes before the tool runs, such as `filename`.
    fn add_shared(&self, properties: &mut Map<String, Value>) {
        if self.file.is_some() {
            let what = "Save the result here.";
            properties.insert(
                FILENAME_ARGUMENT.to_owned(),
                json!({ "description": what, "type": "string", "minLength": 1 }),
            );
        }
        let family = self.family;
        if family.has_steps && self.has_page() && self.effect == ToolEffect::Acts {
            let what = "What must result: a text, a selector, a URL (* matches anything), or nothing.";
            properties.insert(
                EXPECT_ARGUMENT.to_owned(),
                json!({ "description": what, "type": "string", "minLength": 1 }),
            );
        }
        if let Some(tab) = family.tab_argument.filter(|_| !family.tabs_of_pages_only || self.has_page()) {
            properties.insert(tab.to_owned(), json!({ "type": "string" }));
        }
        if family.lists_session {
            properties.insert(SESSION_ARGUMENT.to_owned(), json!({ "type": "string" }));
        }
    }

    /// Whether the tool works on a page, and so lists the tab argument. Others accept it, but do not list it.
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
                leave_out(&mut listed, TAB_ARGUMENT);
            }
            leave_out_obvious(&mut listed);
            if SELDOM_EXPECTED.contains(&self.name) {
                leave_out(&mut listed, EXPECT_ARGUMENT);
            } else if let Some(Value::Object(expect)) = listed["properties"].get_mut(EXPECT_ARGUMENT) {
                // The MCP instructions describe `expect` once for all tools.
                expect.shift_remove("description");
            }
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

/// Removes from a schema what models do not need, since each character costs tokens.
fn compact(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    // `retain` preserves the order of keys.
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

/// Removes obvious constraints, such as non-empty strings: a call that violates them gets an error anyway.
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

/// Removes `null` from the types of optional arguments.
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

/// Joins the lines of a doc comment and removes backticks, which models do not need.
fn one_line(text: &str) -> String {
    text.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tools of this server, enabled and disabled, in a fixed order.
#[derive(Debug, Clone)]
pub struct Registry {
    enabled: Vec<&'static AnyTool>,
    disabled: Vec<&'static AnyTool>,
}

/// The error for a name that no enabled tool has, with advice.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("Unknown tool: {name}{advice}")]
pub struct UnknownTool {
    pub name: String,
    advice: String,
}

impl Registry {
    /// Creates a registry that enables those of `tools` whose capability and toolset are enabled.
    pub fn new(
        tools: impl IntoIterator<Item = &'static AnyTool>,
        capabilities: &BTreeSet<Capability>,
        toolsets: &BTreeSet<Toolset>,
    ) -> Self {
        let (enabled, disabled) = tools.into_iter().partition(|tool| {
            let capable = tool.capability == Capability::Core || capabilities.contains(&tool.capability);
            let runs_programs = PROGRAMS.contains(&tool.name) && toolsets.contains(&Toolset::Code);
            capable && (runs_programs || toolsets.contains(&tool.family.toolset))
        });
        Self { enabled, disabled }
    }

    /// Whether a tool of this capability is enabled.
    pub fn enables(&self, capability: Capability) -> bool {
        self.enabled.iter().any(|tool| tool.capability == capability)
    }

    /// Returns the enabled tools.
    pub fn tools(&self) -> &[&'static AnyTool] {
        &self.enabled
    }

    /// Returns the enabled tool with this name, if the grant permits it.
    pub fn find_permitted(
        &self,
        grant: &OwnerPermissions,
        name: &str,
    ) -> Result<&'static AnyTool, UnknownTool> {
        let tool = self.find(name)?;
        if grant.permits(tool.name) {
            return Ok(tool);
        }
        Err(UnknownTool { name: tool.name.to_owned(), advice: " (this key may not use it)".to_owned() })
    }

    /// Returns the enabled tool with this name.
    pub fn find(&self, name: &str) -> Result<&'static AnyTool, UnknownTool> {
        let find = |tools: &[&'static AnyTool]| tools.iter().find(|tool| tool.name == name).copied();
        if let Some(tool) = find(&self.enabled) {
            return Ok(tool);
        }
        let advice = if let Some(tool) = find(&self.disabled) {
            match tool.capability {
                Capability::Core => {
                    format!(" (start the server with --toolsets {} to enable it)", tool.family.toolset)
                }
                capability => format!(" (start the server with --caps {capability} to enable it)"),
            }
        } else {
            let names = self.enabled.iter().map(|tool| tool.name);
            match &arguments::similar_names(name, names)[..] {
                [] => String::new(),
                [near] => format!(" (did you mean {near}?)"),
                similar => format!(" (similar: {})", similar.join(", ")),
            }
        };
        let name = name.chars().take(100).collect();
        Err(UnknownTool { name, advice })
    }
}
