//! Adds or removes one server in a client's configuration; the rest of the file stays unchanged.
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::{Map, Value};

/// The format of a configuration file, with the key of the object that lists the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    /// JSON with comments; the servers are members of the top-level object with this name.
    Json(&'static str),
    /// TOML; the servers are entries of the table with this name.
    Toml(&'static str),
    /// YAML; the servers are entries of the top-level mapping with this name.
    Yaml(&'static str),
}

impl Format {
    /// Returns the key of the object, table or mapping that lists the servers.
    pub(super) fn servers(self) -> &'static str {
        match self {
            Self::Json(servers) | Self::Toml(servers) | Self::Yaml(servers) => servers,
        }
    }
}

/// Returns the file's text with `server` added or replaced, or removed if `None`. Returns an error message if
/// the file cannot be edited.
pub(super) fn edited(
    format: Format,
    text: &str,
    name: &str,
    server: Option<&Map<String, Value>>,
) -> Result<String, String> {
    match format {
        Format::Json(servers) => json(text, servers, name, server),
        Format::Toml(servers) => toml(text, servers, name, server),
        Format::Yaml(servers) => yaml(text, servers, name, server),
    }
}

/// Returns the entry of the server with this name (`Null` for YAML); `None` if there is no entry.
pub(super) fn present(format: Format, text: &str, name: &str) -> Option<Value> {
    let at = |whole: &Value, servers: &str| whole.get(servers)?.get(name).cloned();
    match format {
        Format::Json(servers) | Format::Toml(servers) => at(&value(format, text)?, servers),
        Format::Yaml(servers) => block(text, servers, name).map(|_| Value::Null),
    }
}

/// Returns the parsed content without an empty list of servers, so that files with and without one are equal.
pub(super) fn value(format: Format, text: &str) -> Option<Value> {
    let (mut whole, servers) = match format {
        Format::Json(servers) => {
            let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
            (root.to_serde_value().unwrap_or_else(|| Map::new().into()), servers)
        }
        Format::Toml(servers) => (toml::from_str(text).ok()?, servers),
        Format::Yaml(servers) => {
            let lines: Vec<_> = text.lines().collect();
            let is_empty = |at: usize| {
                let next = lines.get(at + 1).copied().unwrap_or_default();
                lines[at].trim_end() == format!("{servers}:") && !next.starts_with(' ')
            };
            let kept: Vec<_> = (0..lines.len()).filter(|at| !is_empty(*at)).map(|at| lines[at]).collect();
            return Some(kept.join("\n").trim().into());
        }
    };
    let empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    if let Some(object) = whole.as_object_mut()
        && object.get(servers).is_some_and(empty)
    {
        object.shift_remove(servers);
    }
    Some(whole)
}

fn json(
    text: &str,
    servers: &str,
    name: &str,
    server: Option<&Map<String, Value>>,
) -> Result<String, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let object = root.object_value_or_create().ok_or("it is not an object")?;
    let shown = object.object_value_or_create(servers).ok_or(format!("its {servers:?} is not an object"))?;
    match (shown.get(name), server) {
        (Some(property), Some(server)) => property.set_value(input(&Value::Object(server.clone()))),
        (None, Some(server)) => drop(shown.append(name, input(&Value::Object(server.clone())))),
        (Some(property), None) => property.remove(),
        (None, None) => return Ok(text.to_owned()),
    }
    let text = root.to_string();
    Ok(if text.ends_with('\n') { text } else { format!("{text}\n") })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(boolean) => CstInputValue::Bool(*boolean),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(object) => {
            CstInputValue::Object(object.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

fn toml(
    text: &str,
    servers: &str,
    name: &str,
    server: Option<&Map<String, Value>>,
) -> Result<String, String> {
    use toml_edit::{DocumentMut, Item, Table};

    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let servers_table = document.entry(servers).or_insert(Item::Table(implicit));
    let servers_table = servers_table.as_table_like_mut().ok_or(format!("its {servers:?} is not a table"))?;
    match server {
        Some(server) => {
            let mut table = Table::new();
            for (key, value) in server {
                table.insert(key, Item::Value(toml_value(value)));
            }
            servers_table.insert(name, Item::Table(table));
        }
        None => drop(servers_table.remove(name)),
    }
    Ok(document.to_string())
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(content) => (*content).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(toml_value).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key, toml_value(value)));
            toml_edit::Value::InlineTable(members.collect())
        }
        Value::Null => String::new().into(),
    }
}

/// Edits a YAML mapping in block style, indented by two spaces. Returns an error for a mapping on one line.
fn yaml(
    text: &str,
    servers: &str,
    name: &str,
    server: Option<&Map<String, Value>>,
) -> Result<String, String> {
    let written = server.map(|server| {
        // JSON is valid YAML, so each value can be written as JSON.
        let lines = server.iter().map(|(key, value)| format!("    {key}: {value}\n"));
        format!("  {name}:\n{}", lines.collect::<String>())
    });
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    if let Some(found) = block(text, servers, name) {
        lines.splice(found, written);
        return Ok(lines.concat());
    }
    let Some(written) = written else { return Ok(text.to_owned()) };
    let head = format!("{servers}:");
    match text.lines().position(|line| line.starts_with(&head)) {
        None => lines.push(format!("{head}\n{written}")),
        Some(at) => {
            let rest = text.lines().nth(at).unwrap_or_default()[head.len()..].trim();
            if !matches!(rest, "" | "{}") && !rest.starts_with('#') {
                return Err(format!("its {servers:?} is written on one line; write it in lines first"));
            }
            lines[at] = format!("{head}\n{written}");
        }
    }
    Ok(lines.concat())
}

/// Returns the range of lines that the entry `name` of a mapping occupies.
fn block(text: &str, mapping: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let lines: Vec<_> = text.lines().collect();
    let start = lines.iter().position(|line| line.starts_with(&format!("{mapping}:")))?;
    let inside = |line: &&str| line.starts_with(' ') || line.trim().is_empty();
    let end = start + 1 + lines[start + 1..].iter().take_while(|line| inside(line)).count();
    let head = format!("  {name}:");
    let first = start + 1 + lines[start + 1..end].iter().position(|line| line.trim_end() == head)?;
    let deeper = |line: &&&str| line.starts_with("   ");
    Some(first..first + 1 + lines[first + 1..end].iter().take_while(|line| deeper(line)).count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const FORMATS: [Format; 3] =
        [Format::Json("mcpServers"), Format::Toml("mcp_servers"), Format::Yaml("extensions")];

    fn server() -> Map<String, Value> {
        let server = json!({ "command": "/a b/patchright-mcp", "args": ["--headless"], "enabled": true });
        server.as_object().unwrap().clone()
    }

    #[test]
    fn what_was_there_stays_with_its_comments() {
        for (format, text, expected) in [
            (
                FORMATS[0],
                "{\n  // Mine.\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // Theirs.\n  },\n  \"theme\": 1\n}\n",
                ["// Mine.", "// Theirs.", "\"other\": { \"command\": \"x\" }"],
            ),
            (
                FORMATS[1],
                "# Mine.\nmodel = 'o'\n\n[mcp_servers.other] # Theirs.\ncommand = 'x'\n",
                ["# Mine.", "# Theirs.", "command = 'x'"],
            ),
            (
                FORMATS[2],
                "# Mine.\nextensions:\n  other: # Theirs.\n    cmd: x\nGOOSE_MODEL: y\n",
                ["# Mine.", "# Theirs.", "    cmd: x"],
            ),
        ] {
            let more = edited(format, text, "browser", Some(&server())).unwrap();
            assert!(present(format, &more, "browser").is_some(), "{more}");
            for part in expected {
                assert!(more.contains(part), "{part} is missing from\n{more}");
            }
            let again = edited(format, &more, "browser", Some(&server())).unwrap();
            assert_eq!(again, more, "twice is once");
            let less = edited(format, &more, "browser", None).unwrap();
            assert_eq!(value(format, &less), value(format, text), "{less}");
        }
    }

    #[test]
    fn a_file_is_begun_where_there_is_none() {
        for format in FORMATS {
            let text = edited(format, "", "browser", Some(&server())).unwrap();
            let less = edited(format, &text, "browser", None).unwrap();
            assert_eq!(value(format, &less), value(format, ""), "{less:?} says no more than nothing");
            assert!(present(format, &text, "browser").is_some(), "{text}");
            assert!(text.lines().count() > 2, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_understood_is_left_alone() {
        for (format, text) in [
            (FORMATS[0], "{ \"mcpServers\": "),
            (FORMATS[0], "{ \"mcpServers\": [] }"),
            (FORMATS[0], "[]"),
            (FORMATS[1], "mcp_servers = 3"),
            (FORMATS[1], "[mcp_servers"),
            (FORMATS[2], "extensions: { a: {} }"),
        ] {
            assert!(edited(format, text, "browser", Some(&server())).is_err(), "{text}");
        }
    }

    proptest! {
        /// Adding and removing our server leaves all others unchanged.
        #[test]
        fn other_servers_are_never_touched(names in prop::collection::btree_set("[a-z]{1,8}", 0..5)) {
            let names: Vec<_> = names.into_iter().filter(|name| name != "browser").collect();
            let others: Map<String, Value> =
                names.iter().map(|name| (name.clone(), json!({ "command": name }))).collect();
            let text = json!({ "mcpServers": others, "z": 1 }).to_string();
            let more = edited(FORMATS[0], &text, "browser", Some(&server())).unwrap();
            let less = edited(FORMATS[0], &more, "browser", None).unwrap();
            prop_assert_eq!(value(FORMATS[0], &less), value(FORMATS[0], &text));
        }
    }
}
