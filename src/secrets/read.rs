//! Reads secrets from a file or from the output of a command.
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::totp::Totp;
use super::{BEGIN, Kind, Secret, Secrets};

/// The minimum length of a value. A shorter value would be removed from too much text.
const SHORTEST: usize = 4;
const LONGEST_NAME: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: Option<String>,
    totp: Option<String>,
    origins: Vec<String>,
}

impl Secrets {
    /// Reads secrets from a file, or if `source` begins with `!`, from the output of a command.
    ///
    /// # Errors One line that describes the problem without quoting the content.
    pub fn read(source: &str) -> Result<Self, String> {
        let text = match source.strip_prefix('!') {
            Some(command) => output_of(command)?,
            None => std::fs::read_to_string(Path::new(source)).map_err(|error| error.to_string())?,
        };
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "expected TOML or JSON with a table for each name: value or totp, and origins";
        let entries: BTreeMap<String, Entry> = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text).map_err(|_| SHAPE)?,
            false => toml::from_str(text).map_err(|_| SHAPE)?,
        };
        if entries.is_empty() {
            return Err("it contains no secret".to_owned());
        }
        let secrets = entries.into_iter().map(|(name, entry)| entry.secret(name));
        Ok(Self::new(secrets.collect::<Result<_, _>>()?))
    }
}

impl Entry {
    fn secret(self, name: String) -> Result<Secret, String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
            return Err("a name has letters, digits, dots and dashes only".to_owned());
        }
        let kind = match (self.value, self.totp) {
            (Some(value), None) if value.chars().count() < SHORTEST => {
                return Err(format!("{name}: the value is shorter than {SHORTEST} characters"));
            }
            (Some(value), None) if value.contains(BEGIN) => {
                return Err(format!("{name}: the value looks like the name of one"));
            }
            (Some(value), None) => Kind::Value(value),
            (None, Some(seed)) => Kind::Code(Box::new(Totp::read(&seed).ok_or_else(|| {
                format!("{name}: totp is a seed in base 32, or an otpauth://totp/ address")
            })?)),
            _ => return Err(format!("{name}: give value or totp")),
        };
        if self.origins.is_empty() {
            return Err(format!("{name}: name the origins where it may be typed"));
        }
        let origins = self.origins.into_iter().map(|text| {
            let read = text.parse().ok().filter(|_| !text.trim_end_matches('/').ends_with('*'));
            read.map(|pattern| (text, pattern))
                .ok_or_else(|| format!("{name}: an origin is such as https://host"))
        });
        let origins = origins.collect::<Result<_, _>>()?;
        Ok(Secret { name, kind, origins })
    }
}

/// Runs a command and returns its standard output.
fn output_of(command: &str) -> Result<String, String> {
    let words =
        shlex::split(command).filter(|words| !words.is_empty()).ok_or("the command cannot be read")?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("the command did not run: {error}"))?;
    if !output.status.success() {
        return Err(format!("the command failed: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "the command wrote no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_read_as_toml_and_as_json() {
        let toml = "[a]\nvalue = \"open sesame\"\norigins = [\"https://a.example\"]\n\
                    [b]\ntotp = \"GEZDGNBVGY3TQOJQ\"\norigins = [\"*.b.example\", \"http://localhost:*\"]\n";
        let json = r#"{"a": {"value": "open sesame", "origins": ["https://a.example"]},
                       "b": {"totp": "GEZDGNBVGY3TQOJQ", "origins": ["*.b.example", "http://localhost:*"]}}"#;
        let listed = |text| Secrets::parse(text).map(|secrets| secrets.describe_names());
        // A wildcard port is rejected, since different ports may belong to different services.
        assert!(listed(toml).is_err());
        let (toml, json) = (toml.replace(":*", ":8080"), json.replace(":*", ":8080"));
        let expected = "a (https://a.example), b (one-time code, *.b.example http://localhost:8080)";
        assert_eq!(listed(&toml).as_deref(), Ok(expected));
        assert_eq!(listed(&json).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_reported_without_what_was_read() {
        for text in [
            "hunter2",
            "[a]\nvalue = 'hunter2'\n",
            "[a]\nvalue = 'hunter2'\norigins = []\n",
            "[a]\nvalue = 'hunter2'\norigins = ['*']\n",
            "[a]\nvalue = 'hunter2'\norigins = ['https://*']\n",
            "[a]\nvalue = 'hunter2'\ntotp = 'hunter2'\norigins = ['a.example']\n",
            "[a]\ntotp = 'hunter2'\norigins = ['a.example']\n",
            "['a b']\nvalue = 'hunter2'\norigins = ['a.example']\n",
            "[a]\nvalue = 'hun'\norigins = ['a.example']\n",
            "[a]\nvalue = ['hunter2']\norigins = ['a.example']\n",
            "{\"a\": \"hunter2\"}",
        ] {
            let error = Secrets::parse(text).unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_command_writes_them() {
        let command = "!printf '[a]\\nvalue = \"open sesame\"\\norigins = [\"a.example\"]\\n'";
        assert_eq!(
            Secrets::read(command).map(|secrets| secrets.describe_names()).as_deref(),
            Ok("a (a.example)")
        );
        assert!(Secrets::read("!false").unwrap_err().contains("failed"));
    }
}
