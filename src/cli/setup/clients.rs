//! The MCP clients that `setup` supports: where their configuration files are, and how an entry is written.
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use super::edit::Format;
use crate::browser::find::Platform;

/// An MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(in crate::cli) enum Agent {
    /// Claude Desktop
    Claude,
    /// Claude Code
    ClaudeCode,
    Cursor,
    /// Visual Studio Code
    Vscode,
    Codex,
    /// Gemini CLI
    Gemini,
    Windsurf,
    Zed,
    Goose,
}

/// The inputs that determine the paths of the clients' configuration files.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ClientFolders {
    pub home: PathBuf,
    pub platform: Platform,
    pub environment: fn(&str) -> Option<PathBuf>,
}

impl ClientFolders {
    pub(in crate::cli) fn here() -> Option<Self> {
        let home = std::env::home_dir().filter(|home| home.is_absolute())?;
        let environment =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Some(Self { home, platform: Platform::HERE, environment })
    }

    /// Returns the folder for the settings of graphical programs.
    fn settings(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.configuration(),
            Platform::Mac => self.home.join("Library/Application Support"),
            Platform::Windows => {
                (self.environment)("APPDATA").unwrap_or_else(|| self.home.join("AppData/Roaming"))
            }
        }
    }

    /// Returns the folder for the settings of terminal programs, the same on every platform.
    fn configuration(&self) -> PathBuf {
        (self.environment)("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"))
    }
}

impl Agent {
    pub(in crate::cli) fn all() -> &'static [Self] {
        Self::VARIANTS
    }

    pub(in crate::cli) fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the path of the user-wide configuration file.
    pub(in crate::cli) fn file(self, places: &ClientFolders) -> PathBuf {
        let home = |path: &str| places.home.join(path);
        let variable = |name: &str, usual: &str| (places.environment)(name).unwrap_or_else(|| home(usual));
        match self {
            Self::Claude => places.settings().join("Claude/claude_desktop_config.json"),
            Self::ClaudeCode => variable("CLAUDE_CONFIG_DIR", "").join(".claude.json"),
            Self::Cursor => home(".cursor/mcp.json"),
            Self::Vscode => places.settings().join("Code/User/mcp.json"),
            Self::Codex => variable("CODEX_HOME", ".codex").join("config.toml"),
            Self::Gemini => home(".gemini/settings.json"),
            Self::Windsurf => home(".codeium/windsurf/mcp_config.json"),
            Self::Zed if places.platform == Platform::Windows => places.settings().join("Zed/settings.json"),
            Self::Zed => places.configuration().join("zed/settings.json"),
            Self::Goose if places.platform == Platform::Windows => {
                places.settings().join("Block/goose/config/config.yaml")
            }
            Self::Goose => places.configuration().join("goose/config.yaml"),
        }
    }

    /// Returns the path of the configuration file in a project; `None` if the client has none.
    pub(in crate::cli) fn project_file(self, root: &Path) -> Option<PathBuf> {
        let path = match self {
            Self::ClaudeCode => ".mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json",
            Self::Codex => ".codex/config.toml",
            Self::Gemini => ".gemini/settings.json",
            Self::Zed => ".zed/settings.json",
            Self::Claude | Self::Windsurf | Self::Goose => return None,
        };
        Some(root.join(path))
    }

    pub(in crate::cli) fn format(self) -> Format {
        match self {
            Self::Claude | Self::ClaudeCode | Self::Cursor | Self::Gemini | Self::Windsurf => {
                Format::Json("mcpServers")
            }
            Self::Vscode => Format::Json("servers"),
            Self::Zed => Format::Json("context_servers"),
            Self::Codex => Format::Toml("mcp_servers"),
            Self::Goose => Format::Yaml("extensions"),
        }
    }

    /// Returns the configuration entry for this server in the client's format.
    pub(in crate::cli) fn entry(self, name: &str, command: &str, arguments: &[String]) -> Map<String, Value> {
        let entry = match self {
            Self::ClaudeCode | Self::Vscode => {
                json!({ "type": "stdio", "command": command, "args": arguments })
            }
            Self::Goose => json!({
                "type": "stdio", "name": name, "enabled": true, "cmd": command, "args": arguments, "timeout": 300,
            }),
            _ => json!({ "command": command, "args": arguments }),
        };
        entry.as_object().cloned().unwrap_or_default()
    }

    /// Tells the user what to do after `setup` so that the client uses the server.
    pub(in crate::cli) fn next_step(self) -> &'static str {
        match self {
            Self::Claude => "Quit Claude Desktop and open it again.",
            Self::ClaudeCode => "Start a new session of claude; /mcp shows the server.",
            Self::Cursor => "Open Cursor's settings, MCP, and switch the server on.",
            Self::Vscode => "Run `MCP: List Servers` in VS Code and start it.",
            Self::Codex => "Start codex again; `codex mcp list` shows the server.",
            Self::Gemini => {
                "Start gemini again, in a folder that it trusts (/permissions trust); /mcp shows the server."
            }
            Self::Windsurf => "Open Cascade's plugins and press refresh.",
            Self::Zed => "Open Zed's agent panel; the server is in its settings.",
            Self::Goose => "Start goose again.",
        }
    }
}
