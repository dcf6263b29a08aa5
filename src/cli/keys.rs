//! The `keys` command: adds, lists and revokes API keys in the file of `--keys`.
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use toml_edit::{Array, Datetime, DocumentMut, Item, Table, value};

use super::{EarlyExit, show};
use crate::mcp::http::{digest_of, parse_key_file, random_key};

/// Flags that restrict a key by a list: name, placeholder and help of each.
const LISTS: [(&str, &str, &str); 4] = [
    ("toolsets", "SETS", "Families of tools that the key may use"),
    ("caps", "CAPS", "Groups of additional tools that it may use"),
    ("tools", "NAMES", "Tools that it may use"),
    ("allowed-origins", "ORIGINS", "Origins that its pages may reach"),
];
/// Flags that restrict a key by a number: name, placeholder and help of each.
const NUMBERS: [(&str, &str, &str); 2] = [
    ("calls-per-minute", "COUNT", "Calls that it may make in a minute"),
    ("max-sessions", "COUNT", "Sessions that it may have open"),
];

/// Returns the command-line definition of `keys`.
pub(super) fn command() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true);
    let list = |(id, what, help): (&'static str, &'static str, &'static str)| {
        let help = format!("{help}, separated by commas");
        Arg::new(id).long(id).value_name(what).value_delimiter(',').action(ArgAction::Append).help(help)
    };
    let number = |(id, what, help): (&'static str, &'static str, &'static str)| {
        Arg::new(id).long(id).value_name(what).value_parser(value_parser!(u32).range(1..)).help(help)
    };
    let expires = Arg::new("expires").long("expires").value_name("DATE");
    let expires = expires.value_parser(value_parser!(Datetime));
    let add = Command::new("add")
        .about("Generate a key, print it once, and add its digest")
        .arg(name().help("Name of its owner, for logs"))
        .args(LISTS.map(list))
        .args(NUMBERS.map(number))
        .arg(expires.help("When it expires: a date or a time in UTC"));
    let file = Arg::new("keys").long("keys").value_name("FILE").global(true).env("PATCHRIGHT_MCP_KEYS");
    Command::new("keys")
        .about("Add, list or revoke API keys in a file for --keys; a running server follows at once")
        .bin_name("patchright-mcp keys")
        .subcommand_required(true)
        .arg(file.value_parser(value_parser!(PathBuf)).help("The file [default: keys.toml]"))
        .subcommand(add)
        .subcommand(Command::new("list").about("List the keys"))
        .subcommand(Command::new("revoke").about("Remove a key").arg(name().help("Its name")))
}

pub(super) fn run(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let usual = PathBuf::from("keys.toml");
    let path = matches.get_one::<PathBuf>("keys").unwrap_or(&usual);
    let mistake = |reason: String| EarlyExit::Mistake(format!("keys: {}: {reason}", path.display()));
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(mistake(error.to_string())),
    };
    let known = parse_key_file(&text).map_err(mistake)?;
    match matches.subcommand() {
        Some(("add", given)) => {
            let name = name_in(given);
            if known.iter().any(|key| key.name() == name) {
                return Err(mistake(format!("there is a key named {name} already; revoke it first")));
            }
            let key = random_key().map_err(|error| mistake(error.to_string()))?;
            let after = added(&text, name, &key, given).map_err(mistake)?;
            write(path, &after).map_err(|error| mistake(error.to_string()))?;
            show(&key);
        }
        Some(("revoke", given)) => {
            let mut document = text.parse::<DocumentMut>().map_err(|error| mistake(error.to_string()))?;
            let name = name_in(given);
            if document.remove(name).is_none() {
                return Err(mistake(format!("there is no key named {name}")));
            }
            write(path, &document.to_string()).map_err(|error| mistake(error.to_string()))?;
        }
        _ => {
            for key in known {
                show(&format!("{}  {}", key.name(), key.validity()));
            }
        }
    }
    Ok(0)
}

fn name_in(given: &ArgMatches) -> &str {
    given.get_one::<String>("name").map_or("", String::as_str)
}

/// Returns the text of the key file with the key added; an error if the server would reject the file.
fn added(text: &str, name: &str, key: &str, given: &ArgMatches) -> Result<String, String> {
    let mut entry = Table::new();
    entry["sha256"] = value(digest_of(key));
    if let Some(expires) = given.get_one::<Datetime>("expires") {
        entry["expires"] = value(*expires);
    }
    for (id, ..) in LISTS {
        if let Some(words) = given.get_many::<String>(id) {
            entry[id] = value(words.filter(|word| !word.is_empty()).collect::<Array>());
        }
    }
    for (id, ..) in NUMBERS {
        if let Some(number) = given.get_one::<u32>(id) {
            entry[id] = value(i64::from(*number));
        }
    }
    let mut document = text.parse::<DocumentMut>().map_err(|error| error.to_string())?;
    document.insert(name, Item::Table(entry));
    let after = document.to_string();
    parse_key_file(&after)?;
    Ok(after)
}

/// Replaces the file atomically. Only its owner can read the new file.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    // If the path is a symbolic link, its target is replaced and the link stays.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
