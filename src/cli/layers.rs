//! Merges settings: flags override the environment, which overrides the configuration file.
//!
//! Values from the environment and the file are converted to flags, so clap parses all three in the same way.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use serde_json::{Map, Value};

use super::EarlyExit;
use super::flags::Flags;
use crate::cdp::PROTOCOL_LOG_FOLDER;
use crate::mcp::arguments::closest_name;
use crate::mcp::strict_json;

const PREFIX: &str = "PATCHRIGHT_MCP_";
/// Flags that cannot be set in a configuration file.
const NOT_IN_A_FILE: [&str; 3] = ["config", "help", "version"];

/// The environment variable that selects the browser, a name from the session tools' specification. Other
/// programs use it too, so values outside [`BROWSER_TYPES`] are ignored with a warning.
const BROWSER_TYPE: &str = "BROWSER_TYPE";
const BROWSER_TYPES: [&str; 3] = ["chromium", "firefox", "webkit"];

/// The settings of one source (environment or file): flag names and values.
type Layer = BTreeMap<String, OsString>;

/// Returns the merged settings and the warnings to show to the user.
pub fn read_settings(
    arguments: Vec<OsString>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<(Flags, Vec<String>), EarlyExit> {
    let given = parse(&arguments)?;
    let mut warnings = Vec::new();
    let environment = from_environment(environment, &mut warnings)?;
    let file = match config_file(&given, &environment) {
        Some(path) => from_file(Path::new(&path))?,
        None => Layer::new(),
    };
    let is_given = |name: &str| given.value_source(&id(name)) == Some(ValueSource::CommandLine);
    let mut inherited = file;
    inherited.extend(environment);
    inherited.retain(|name, _| !is_given(name));
    let inherited = inherited.iter().map(|(name, value)| flag(name, value));
    let all = inherited.chain(arguments).collect::<Vec<_>>();
    let flags = Flags::from_arg_matches(&parse(&all)?).map_err(|error| ending(&error))?;
    Ok((flags, warnings))
}

/// Returns the names of all settings, in kebab case as in flags.
pub fn setting_names() -> Vec<String> {
    settings(&Flags::command()).map(|setting| name(setting).to_owned()).collect()
}

/// Returns the environment variable for a setting, such as `PATCHRIGHT_MCP_CAPS` for `caps`.
pub fn environment_variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('-', "_").to_ascii_uppercase())
}

fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|setting| setting.get_long().is_some())
}

fn name(setting: &Arg) -> &str {
    setting.get_long().unwrap_or_default()
}

fn id(name: &str) -> String {
    name.replace('-', "_")
}

fn parse(arguments: &[OsString]) -> Result<ArgMatches, EarlyExit> {
    let program = OsString::from("patchright-mcp");
    let matches = Flags::command().try_get_matches_from([&program].into_iter().chain(arguments));
    matches.map_err(|error| ending(&error))
}

/// Converts a clap error. Errors become one line, since MCP clients may show only one line of the log.
pub(super) fn ending(error: &clap::Error) -> EarlyExit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => EarlyExit::Answer(error.render().to_string()),
        _ => EarlyExit::Mistake(one_line(error)),
    }
}

pub(super) fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = lines.collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

fn from_environment(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    warnings: &mut Vec<String>,
) -> Result<Layer, EarlyExit> {
    let names = setting_names();
    let mut layer = Layer::new();
    let mut kind = None;
    for (key, value) in environment {
        if key == BROWSER_TYPE && !value.is_empty() {
            // The variable may be meant for another program, so an unknown value is no error.
            match BROWSER_TYPES.iter().any(|known| value == *known) {
                true => kind = Some(value),
                false => warnings
                    .push(format!("{BROWSER_TYPE} is none of {}: it is ignored", BROWSER_TYPES.join(", "))),
            }
            continue;
        }
        let Some(key) = key.to_str().filter(|key| key.starts_with(PREFIX)) else { continue };
        match names.iter().find(|name| environment_variable(name) == key) {
            // Compose files pass an unset variable as an empty string.
            Some(_) if value.is_empty() => {}
            Some(name) => insert(&mut layer, name, &value, key)?,
            None if key == PROTOCOL_LOG_FOLDER => {}
            None => warnings.push(format!("{key} is set, but there is no such setting")),
        }
    }
    if let Some(kind) = kind {
        layer.entry("browser".to_owned()).or_insert(kind);
    }
    Ok(layer)
}

fn config_file(given: &ArgMatches, environment: &Layer) -> Option<OsString> {
    let argument = given.get_one::<std::path::PathBuf>("config").map(|path| path.clone().into_os_string());
    argument.or_else(|| environment.get("config").cloned())
}

fn from_file(path: &Path) -> Result<Layer, EarlyExit> {
    let shown = path.display();
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| EarlyExit::Mistake(format!("{shown}: {error}")))?;
    let object =
        read_object(path, &text).map_err(|reason| EarlyExit::Mistake(format!("{shown}: {reason}")))?;
    let command = Flags::command();
    let known =
        settings(&command).filter(|setting| !NOT_IN_A_FILE.contains(&name(setting))).collect::<Vec<_>>();
    let mut layer = Layer::new();
    for (key, value) in &object {
        let spelled = kebab(key);
        let Some(setting) = known.iter().find(|setting| name(setting) == spelled) else {
            let near = closest_name(&spelled, known.iter().map(|setting| name(setting)));
            let advice = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            return Err(EarlyExit::Mistake(format!("{shown}: there is no setting {key:?}{advice}")));
        };
        let value = written(value, takes_a_list(setting));
        let value = value.map_err(|reason| EarlyExit::Mistake(format!("{shown}: {key}: {reason}")))?;
        if let Some(value) = value {
            insert(&mut layer, &spelled, OsStr::new(&value), &format!("{shown}: {key}"))?;
        }
    }
    Ok(layer)
}

fn read_object(path: &Path, text: &str) -> Result<Map<String, Value>, String> {
    // Some editors write a byte order mark at the start.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let is_json = extension.as_deref() == Some("json") || text.trim_start().starts_with('{');
    if is_json && extension.as_deref() != Some("toml") {
        let read = strict_json::read(text.as_bytes()).and_then(serde_json::from_value);
        return read.map_err(|error| error.to_string());
    }
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        let line = line.map(|line| format!(" at line {line}")).unwrap_or_default();
        format!("{}{line}", error.message().replace('\n', " "))
    })
}

/// Returns a JSON value as it would be written in a flag; `None` for `null` and for an empty list.
fn written(value: &Value, list: bool) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(_) | Value::Number(_) => Ok(Some(value.to_string())),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Array(items) if list => {
            let items = items.iter().map(|item| written(item, false));
            let items = items.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            Ok(Some(items.collect::<Vec<_>>().join(",")).filter(|list| !list.is_empty()))
        }
        Value::Array(_) => Err("a list is not expected here"),
        Value::Object(_) => Err("a table is not expected here"),
    }
}

fn takes_a_list(setting: &Arg) -> bool {
    matches!(setting.get_action(), ArgAction::Append)
}

/// Adds a setting after validating its value. `found` names the source in error messages.
fn insert(layer: &mut Layer, name: &str, value: &OsStr, found: &str) -> Result<(), EarlyExit> {
    if let Err(EarlyExit::Mistake(reason)) = parse(&[flag(name, value)]) {
        return Err(EarlyExit::Mistake(format!("{found}: {reason}")));
    }
    if layer.insert(name.to_owned(), value.to_owned()).is_some() {
        return Err(EarlyExit::Mistake(format!("{found}: this is set twice")));
    }
    Ok(())
}

fn flag(name: &str, value: &OsStr) -> OsString {
    let mut flag = OsString::from(format!("--{name}="));
    flag.push(value);
    flag
}

/// Converts `timeoutAction` to `timeout-action`.
pub(super) fn kebab(key: &str) -> String {
    let mut kebab = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}
