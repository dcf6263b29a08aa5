//! Offers MCP tools as verbs of the command line: their schemas become flags, and their descriptions become help.
use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::layers::{kebab, one_line};
use crate::error::Error;
use crate::mcp::arguments;
use crate::mcp::tool::{AnyTool, Capability, SESSION_ARGUMENT, TAB_ARGUMENT};
use crate::mcp::tools;
use crate::messages::{Language, listing as texts};

/// Tools whose verb has a different name: tool and verb. Other verbs are the tool's name without `browser_`.
const SHORT: [(&str, &str); 14] = [
    ("browser_navigate", "open"),
    ("browser_navigate_back", "back"),
    ("browser_take_screenshot", "screenshot"),
    ("browser_console_messages", "console"),
    ("browser_network_requests", "network"),
    ("browser_fill_form", "fill"),
    ("browser_select_option", "select"),
    ("browser_press_key", "press"),
    ("browser_scroll_into_view", "scroll-to"),
    ("browser_file_upload", "upload"),
    ("browser_evaluate", "eval"),
    ("browser_wait_for", "wait"),
    ("browser_handle_dialog", "dialog"),
    ("browser_close", "close-page"),
];

/// Alternative names of verbs: alias and verb.
const ALIASES: [(&str, &str); 6] = [
    ("goto", "open"),
    ("navigate", "open"),
    ("evaluate", "eval"),
    ("fill-form", "fill"),
    ("press-key", "press"),
    ("tab", "tabs"),
];

/// Optional tool arguments that verbs accept without a flag, in order, before the required ones.
const OPTIONAL_POSITIONALS: [(&str, &[&str]); 15] = [
    ("browser_wait_for", &["text"]),
    ("browser_find", &["text"]),
    ("browser_press_key", &["keys"]),
    ("browser_extract", &["each"]),
    ("browser_hover", &["ref"]),
    ("browser_read", &["ref"]),
    ("browser_scroll", &["direction"]),
    ("browser_snapshot", &["ref"]),
    ("browser_type", &["ref", "text"]),
    ("browser_evaluate", &["function", "ref"]),
    ("browser_tabs", &["action", "index"]),
    ("browser_take_screenshot", &["filename"]),
    ("browser_pdf_save", &["filename"]),
    ("browser_file_upload", &["paths"]),
    ("browser_handle_dialog", &["accept", "promptText"]),
];

/// The tools of the most common verbs: `help` describes these, and only lists the names of the others.
const COMMON_TOOLS: [&str; 23] = [
    "browser_navigate",
    "browser_navigate_back",
    "browser_snapshot",
    "browser_find",
    "browser_read",
    "browser_click",
    "browser_type",
    "browser_fill_form",
    "browser_select_option",
    "browser_press_key",
    "browser_hover",
    "browser_drag",
    "browser_scroll",
    "browser_file_upload",
    "browser_steps",
    "browser_evaluate",
    "browser_wait_for",
    "browser_handle_dialog",
    "browser_tabs",
    "browser_take_screenshot",
    "browser_console_messages",
    "browser_network_requests",
    "browser_ask_person",
];

/// Help texts that replace the descriptions in the tools' schemas: tool, argument, text.
const HELP_OVERRIDES: [(&str, &str, &str); 9] = [
    (
        "browser_fill_form",
        FIELDS,
        "Ref or selector and value of each field. Value: text; true or false for a checkbox or radio; option label or value; \
         file path",
    ),
    (
        "browser_steps",
        STEPS,
        "Up to 25 commands as typed here, without patchright-mcp; or one per line on standard input",
    ),
    ("browser_press_key", "keys", "Keys to press in order, for example Enter, a, Control+a, Shift+ArrowLeft"),
    ("browser_press_key", "times", "Repetitions"),
    ("browser_find", "around", "Context lines around each match. Default: 0"),
    ("browser_click", "doubleClick", "Double-click"),
    ("browser_click", "tap", "Tap with a finger"),
    ("browser_drag", "startPosition", "Point in the element: 10,20 (px from the top left) or 90%,50%"),
    ("browser_drag", "endPosition", "Point in the end element, likewise"),
];
const TAB_HERE: &str = "Tab to work in, as listed by tabs";

/// Tool arguments without a flag: only models give element descriptions, and `-s` sets the session.
const HIDDEN_ARGUMENTS: [&str; 4] = ["element", "startElement", "endElement", SESSION_ARGUMENT];

/// Arguments that are file paths, resolved against the user's working directory.
const FILES: [&str; 4] = ["paths", "filename", "folder", "storageState"];

const FIELDS: &str = "fields";
const STEPS: &str = "steps";

/// A tool as a command-line verb.
#[derive(Debug, Clone, Copy)]
pub struct Verb {
    pub tool: &'static AnyTool,
}

/// Returns all verbs. Excludes session tools, which `-s NAME` replaces.
pub fn all() -> impl Iterator<Item = Verb> {
    tools::ALL_TOOLS.iter().filter(|tool| tool.family.has_commands).map(|tool| Verb { tool })
}

/// Returns the verb with this name, alias or tool name; `None` if there is none.
pub fn find(name: &str) -> Option<Verb> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| *name);
    all().find(|verb| verb.name() == name || verb.tool.name == name)
}

/// Returns the name most similar to a misspelt `name`, among verbs and `others`; `None` if none is similar.
pub fn closest_name(name: &str, others: &[&str]) -> Option<String> {
    let names: Vec<_> = all().map(Verb::name).collect();
    arguments::closest_name(name, names.iter().map(String::as_str).chain(others.iter().copied()))
        .map(str::to_owned)
}

/// Replaces the tool names in a text by the names of their verbs, and `allRefs` by its option.
pub fn replace_tool_names(text: &str) -> String {
    let text = &text.replace("allRefs", "--all-refs");
    if !text.contains("browser_") {
        return text.to_owned();
    }
    let mut verbs: Vec<_> = all().collect();
    // Longest first: `browser_navigate_back` contains `browser_navigate`.
    verbs.sort_by_key(|verb| std::cmp::Reverse(verb.tool.name.len()));
    verbs.iter().fold(text.to_owned(), |text, verb| text.replace(verb.tool.name, &verb.name()))
}

impl Verb {
    /// Returns the verb's name, such as `click` for `browser_click`.
    pub fn name(self) -> String {
        let short = SHORT.iter().find(|(tool, _)| *tool == self.tool.name);
        short.map_or_else(
            || self.tool.name.trim_start_matches("browser_").replace('_', "-"),
            |(_, short)| (*short).to_owned(),
        )
    }

    /// Returns the first sentence of the description, without the period.
    pub fn summary(self) -> String {
        let text = self.description();
        replace_tool_names(text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.'))
    }

    /// Returns the summary up to the first semicolon or colon.
    pub fn short_summary(self) -> String {
        let summary = self.summary();
        summary.split([';', ':']).next().unwrap_or_default().to_owned()
    }

    /// Returns whether this is one of the most common verbs.
    pub fn is_common(self) -> bool {
        COMMON_TOOLS.contains(&self.tool.name)
    }

    /// Returns whether the verb works only if the server was started with `--caps code`.
    pub fn needs_code_capability(self) -> bool {
        self.tool.capability == Capability::Code
    }

    fn description(self) -> &'static str {
        texts::tool_description(self.tool.name, Language::En).unwrap_or(self.tool.description())
    }

    /// Returns the usage line, such as `type [REF] TEXT`.
    pub fn usage(self) -> String {
        let required = self.required();
        let words = self.positional().into_iter().map(|name| {
            let upper = kebab(name).to_ascii_uppercase();
            match (name, self.kind(name)) {
                (FIELDS, _) => "REF VALUE [REF VALUE]…".to_owned(),
                (STEPS, _) => "'VERB …' ['VERB …']…".to_owned(),
                (name, "array") if required.contains(&name) => format!("{upper}…"),
                (_, "array") => format!("[{upper}]…"),
                (name, "boolean") if required.contains(&name) => "accept|dismiss".to_owned(),
                (name, _) if required.contains(&name) => upper,
                _ => format!("[{upper}]"),
            }
        });
        [self.name()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Returns the verb's command-line definition.
    pub fn command(self) -> Command {
        let positional = self.positional();
        let mut command = Command::new(self.name())
            .about(replace_tool_names(self.description()))
            .override_usage(format!("patchright-mcp {} [options]", self.usage()))
            .disable_version_flag(true);
        for (index, name) in positional.iter().enumerate() {
            let last = index + 1 == positional.len();
            let several = last && self.kind(name) == "array";
            let arg = self.described(name).index(index + 1).value_name(kebab(name).to_ascii_uppercase());
            // A list rejects leading hyphens, since it would otherwise take the flags that follow as values.
            command = command.arg(match several {
                true => arg.num_args(0..).allow_negative_numbers(true),
                false => arg.allow_hyphen_values(true),
            });
        }
        for name in self.properties().keys().filter(|name| !positional.contains(&name.as_str())) {
            if HIDDEN_ARGUMENTS.contains(&name.as_str()) {
                continue;
            }
            command = command.arg(self.option(name));
        }
        command
    }

    /// Returns the flag for an argument, such as `--full-page` or `--button right`.
    fn option(self, name: &str) -> Arg {
        let arg = self.described(name).long(kebab(name));
        let upper = kebab(name).to_ascii_uppercase();
        match self.kind(name) {
            "boolean" => arg.action(ArgAction::SetTrue),
            "array" => arg.action(ArgAction::Append).value_delimiter(',').value_name(upper),
            "object" => arg.value_name("JSON"),
            _ => arg.value_name(upper).allow_hyphen_values(true),
        }
    }

    fn described(self, name: &str) -> Arg {
        let schema = &self.properties()[name];
        let arg = Arg::new(name.to_owned());
        let own =
            HELP_OVERRIDES.iter().find(|(tool, argument, _)| *tool == self.tool.name && *argument == name);
        let own = own.map(|(.., text)| *text).or(if name == TAB_ARGUMENT { Some(TAB_HERE) } else { None });
        let english = texts::argument_description(self.tool.name, name, Language::En);
        let description = own.or(english).or_else(|| schema.get("description").and_then(Value::as_str));
        let arg = match description {
            Some(text) => arg.help(replace_tool_names(text.trim_end_matches('.'))),
            None => arg,
        };
        let choices = schema.get("enum").or_else(|| schema.pointer("/items/enum")).and_then(Value::as_array);
        match choices {
            Some(choices) => {
                let values = choices.iter().filter_map(Value::as_str).map(str::to_owned);
                arg.value_parser(PossibleValuesParser::new(values.collect::<Vec<_>>())).ignore_case(true)
            }
            None => arg,
        }
    }

    /// Replaces argument names in a text by `TEXT` (positional) or `--text-gone` (flags).
    pub fn replace_argument_names(self, text: &str) -> String {
        let positional = self.positional();
        let named = |text: String, name: &String| {
            let kebab = kebab(name);
            let here = match positional.contains(&name.as_str()) {
                true => kebab.to_ascii_uppercase(),
                false => format!("--{kebab}"),
            };
            text.replace(&format!("`{name}`"), &here)
        };
        let text = self.properties().keys().fold(replace_tool_names(text), named);
        text.replace(" (or `target`)", "")
    }

    /// Converts parsed command-line arguments to the tool's arguments, or returns a message for each problem.
    pub fn arguments(
        self,
        matches: &ArgMatches,
        here: &UserWorkingDir,
    ) -> Result<Map<String, Value>, Vec<String>> {
        let positional = self.positional();
        let mut given = Vec::new();
        for name in &positional {
            given.extend(matches.get_many::<String>(name).into_iter().flatten().cloned());
        }
        let mut arguments = self.assigned(&positional, given, here)?;
        for name in self.properties().keys().filter(|name| !positional.contains(&name.as_str())) {
            if HIDDEN_ARGUMENTS.contains(&name.as_str()) {
                continue;
            }
            if self.kind(name) == "boolean" {
                if matches.get_flag(name) {
                    arguments.insert(name.clone(), Value::Bool(true));
                }
                continue;
            }
            let values: Vec<_> = matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
            if !values.is_empty() {
                arguments.insert(name.clone(), self.value(name, values, here));
            }
        }
        let mut checked = arguments.clone();
        match self.tool.check(&mut checked) {
            Err(Error::InvalidArguments { problems }) => Err(problems),
            _ => Ok(arguments),
        }
    }

    /// Assigns positional values to arguments in order. Skips optional arguments if there are too few values.
    fn assigned(
        self,
        positional: &[&str],
        given: Vec<String>,
        here: &UserWorkingDir,
    ) -> Result<Map<String, Value>, Vec<String>> {
        let required = self.required();
        let mut arguments = Map::new();
        let mut given = given.into_iter().peekable();
        for (index, name) in positional.iter().enumerate() {
            let needed = positional[index..].iter().filter(|name| required.contains(name)).count();
            if given.len() == 0 || (!required.contains(name) && given.len() <= needed) {
                continue;
            }
            let value = match *name {
                FIELDS => fields(&mut given)?,
                STEPS => steps(&mut given, here)?,
                name if self.kind(name) == "array" => self.value(name, given.by_ref().collect(), here),
                name => self.value(name, given.next().into_iter().collect(), here),
            };
            arguments.insert((*name).to_owned(), value);
        }
        match given.next() {
            Some(extra) => Err(vec![format!("unexpected argument {extra:?}: {}", self.usage())]),
            None => Ok(arguments),
        }
    }

    fn value(self, name: &str, given: Vec<String>, here: &UserWorkingDir) -> Value {
        let given: Vec<_> = match FILES.contains(&name) {
            true => given.iter().map(|path| here.absolute(path)).collect(),
            false => given,
        };
        if self.kind(name) == "array" {
            return given.into();
        }
        let text = given.into_iter().next_back().unwrap_or_default();
        match self.kind(name) {
            "integer" | "number" | "object" => serde_json::from_str(&text).unwrap_or_else(|_| text.into()),
            "boolean" => match text.to_ascii_lowercase().as_str() {
                "accept" | "yes" | "true" | "ok" => true.into(),
                "dismiss" | "no" | "false" | "cancel" => false.into(),
                _ => text.into(),
            },
            _ => text.into(),
        }
    }

    /// Returns the names of the positional arguments, in order.
    fn positional(self) -> Vec<&'static str> {
        let properties = self.properties();
        let unnamed =
            OPTIONAL_POSITIONALS.iter().find(|(tool, _)| *tool == self.tool.name).map(|(_, names)| *names);
        let mut names: Vec<_> = unnamed
            .unwrap_or_default()
            .iter()
            .copied()
            .filter(|name| properties.contains_key(*name))
            .collect();
        let rest = properties.keys().map(String::as_str).filter(|name| self.required().contains(name));
        let rest: Vec<_> = rest.filter(|name| !names.contains(name)).collect();
        names.extend(rest);
        names
    }

    fn properties(self) -> &'static Map<String, Value> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.tool.schema().get("properties").and_then(Value::as_object).unwrap_or(&NONE)
    }

    fn required(self) -> Vec<&'static str> {
        let required = self.tool.schema().get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn kind(self, name: &str) -> &'static str {
        let properties: &'static Map<String, Value> = self.properties();
        properties.get(name).and_then(|schema| schema.get("type")).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The working directory of the command line, against which paths are resolved.
#[derive(Debug, Clone)]
pub struct UserWorkingDir(pub std::path::PathBuf);

impl UserWorkingDir {
    /// Returns the absolute path of a file, with `..` resolved.
    fn absolute(&self, path: &str) -> String {
        use std::path::Component;

        let mut whole = std::path::PathBuf::new();
        for part in self.0.join(path).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::CurDir => {}
                part => whole.push(part),
            }
        }
        whole.display().to_string()
    }
}

/// Parses pairs of a ref or selector and a value, such as `e5 Ada e7 true`.
fn fields(given: &mut impl Iterator<Item = String>) -> Result<Value, Vec<String>> {
    let given: Vec<_> = given.collect();
    if given.len() % 2 == 1 {
        return Err(vec![format!("the field {:?} has no value: fill REF VALUE [REF VALUE]…", given.last())]);
    }
    let pairs =
        given.chunks_exact(2).map(|pair| json!({ "name": pair[0], "ref": pair[0], "value": pair[1] }));
    Ok(pairs.collect())
}

/// Parses steps: each line is a verb as typed in a shell. Quoted text may span lines.
fn steps(given: &mut impl Iterator<Item = String>, here: &UserWorkingDir) -> Result<Value, Vec<String>> {
    let mut steps = Vec::new();
    for text in given {
        let mut begun = String::new();
        for line in text.lines() {
            if begun.is_empty() && (line.trim().is_empty() || line.trim_start().starts_with('#')) {
                continue;
            }
            begun += line;
            match words(&begun) {
                Some(words) => steps.push(step(&std::mem::take(&mut begun), &words, here)?),
                None => begun.push('\n'),
            }
        }
        if let Some(line) = begun.lines().next() {
            return Err(vec![format!("step `{line}`: a quotation does not end")]);
        }
    }
    Ok(steps.into())
}

/// Splits a line into words as a shell does, including `$'…'`; `None` for an unterminated quote.
fn words(line: &str) -> Option<Vec<String>> {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    let mut quote = None;
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('$', None) if characters.next_if_eq(&'\'').is_some() => {
                plain += &shlex::try_quote(&escaped(&mut characters)?).ok()?;
                continue;
            }
            ('\\', None | Some('"')) => {
                plain.push(character);
                plain.extend(characters.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(character),
            (end, Some(begun)) if end == begun => quote = None,
            _ => {}
        }
        plain.push(character);
    }
    shlex::split(&plain)
}

/// Parses the rest of a `$'…'` string, with its escape sequences; `None` if the closing quote is missing.
fn escaped(characters: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            '\'' => return Some(text),
            '\\' => match characters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                sign @ ('\\' | '\'' | '"') => text.push(sign),
                other => text.extend(['\\', other]),
            },
            other => text.push(other),
        }
    }
}

fn step(line: &str, words: &[String], here: &UserWorkingDir) -> Result<Value, Vec<String>> {
    let mistake = |reason: &str| vec![format!("step `{line}`: {reason}")];
    let (name, rest) = words.split_first().ok_or_else(|| mistake("it is empty"))?;
    let verb = find(name).ok_or_else(|| {
        let near = closest_name(name, &[]).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        mistake(&format!("there is no such command{near}"))
    })?;
    let words = [OsString::from(name)].into_iter().chain(rest.iter().map(OsString::from));
    let matches = verb.command().try_get_matches_from(words);
    let matches = matches.map_err(|error| {
        let is_open = rest.iter().any(|word| matches!(&**word, ">>" | ">" | "|" | "=" | "*"));
        let quotes = if is_open { "; a selector with spaces stands in quotes" } else { "" };
        mistake(&format!("{}{quotes}", one_line(&error)))
    })?;
    let arguments = verb
        .arguments(&matches, here)
        .map_err(|problems| mistake(&verb.replace_argument_names(&problems.join("; "))))?;
    Ok(json!({ "tool": verb.tool.name, "arguments": arguments }))
}
