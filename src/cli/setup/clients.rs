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
    /// LM Studio
    #[value(alias = "lmstudio")]
    LmStudio,
    Cline,
    #[value(name = "opencode")]
    #[strum(serialize = "opencode")]
    OpenCode,
    /// GitHub Copilot CLI
    Copilot,
    Kiro,
    #[value(alias = "jetbrains", help = "Junie, the agent of JetBrains IDEs")]
    Junie,
    Warp,
}

/// What a client connects to.
#[derive(Debug, Clone)]
pub(in crate::cli) enum Server {
    /// A program that the client starts; it speaks MCP over standard input and output.
    Local { command: String, arguments: Vec<String> },
    /// A server that runs elsewhere, reached over HTTP.
    Remote { url: String, headers: Map<String, Value> },
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

    /// Returns the browser profile that `--keep-logins` gives to a client. Each client has its own, since only one
    /// server at a time can use a profile.
    pub(in crate::cli) fn profile(&self, agent: Agent) -> PathBuf {
        let data = match self.platform {
            Platform::Linux => {
                (self.environment)("XDG_DATA_HOME").unwrap_or_else(|| self.home.join(".local/share"))
            }
            Platform::Mac => self.home.join("Library/Application Support"),
            Platform::Windows => {
                (self.environment)("LOCALAPPDATA").unwrap_or_else(|| self.home.join("AppData/Local"))
            }
        };
        data.join("patchright-mcp/profiles").join(agent.name())
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
            Self::LmStudio => home(".lmstudio/mcp.json"),
            Self::Cline => (places.environment)("CLINE_MCP_SETTINGS_PATH")
                .unwrap_or_else(|| home(".cline/data/settings/cline_mcp_settings.json")),
            Self::OpenCode => existing_or_first(&places.configuration().join("opencode"), OPENCODE_FILES),
            Self::Copilot => variable("COPILOT_HOME", ".copilot").join("mcp-config.json"),
            Self::Kiro => home(".kiro/settings/mcp.json"),
            Self::Junie => home(".junie/mcp/mcp.json"),
            Self::Warp => home(".warp/.mcp.json"),
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
            Self::OpenCode => return Some(existing_or_first(root, OPENCODE_FILES)),
            Self::Copilot => ".github/mcp.json",
            Self::Kiro => ".kiro/settings/mcp.json",
            Self::Junie => ".junie/mcp/mcp.json",
            Self::Warp => ".warp/.mcp.json",
            Self::Claude | Self::Windsurf | Self::Goose | Self::LmStudio | Self::Cline => return None,
        };
        Some(root.join(path))
    }

    pub(in crate::cli) fn format(self) -> Format {
        match self {
            Self::Vscode => Format::Json("servers"),
            Self::Zed => Format::Json("context_servers"),
            Self::OpenCode => Format::Json("mcp"),
            Self::Codex => Format::Toml("mcp_servers"),
            Self::Goose => Format::Yaml("extensions"),
            _ => Format::Json("mcpServers"),
        }
    }

    /// Whether the client passes the pictures of an answer to its model as pictures. Cline 3 passes them as text,
    /// which is long and of no use.
    pub(in crate::cli) fn shows_pictures(self) -> bool {
        self != Self::Cline
    }

    /// Returns the configuration entry for a server in the client's format; `None` if its configuration file
    /// cannot name such a server.
    pub(in crate::cli) fn entry(self, name: &str, server: &Server) -> Option<Map<String, Value>> {
        let entry = match server {
            Server::Local { command, arguments } => self.local_entry(name, command, arguments),
            Server::Remote { url, headers } => self.remote_entry(name, url, headers)?,
        };
        entry.as_object().cloned()
    }

    fn local_entry(self, name: &str, command: &str, arguments: &[String]) -> Value {
        match self {
            Self::ClaudeCode | Self::Vscode => {
                json!({ "type": "stdio", "command": command, "args": arguments })
            }
            Self::Goose => json!({
                "type": "stdio", "name": name, "enabled": true, "cmd": command, "args": arguments, "timeout": 300,
            }),
            Self::OpenCode => {
                let command: Vec<_> =
                    std::iter::once(command).chain(arguments.iter().map(String::as_str)).collect();
                json!({ "type": "local", "command": command, "enabled": true })
            }
            Self::Copilot => {
                json!({ "type": "local", "command": command, "args": arguments, "tools": ["*"] })
            }
            _ => json!({ "command": command, "args": arguments }),
        }
    }

    fn remote_entry(self, name: &str, url: &str, headers: &Map<String, Value>) -> Option<Value> {
        Some(match self {
            // Both connect to remote servers through their settings, not through this file.
            Self::Claude | Self::Junie => return None,
            Self::ClaudeCode | Self::Vscode => json!({ "type": "http", "url": url, "headers": headers }),
            Self::Codex => json!({ "url": url, "http_headers": headers }),
            Self::Gemini => json!({ "httpUrl": url, "headers": headers }),
            Self::Windsurf => json!({ "serverUrl": url, "headers": headers }),
            Self::Goose => json!({
                "type": "streamable_http", "name": name, "enabled": true, "uri": url, "headers": headers,
                "timeout": 300,
            }),
            Self::Cline => json!({ "type": "streamableHttp", "url": url, "headers": headers }),
            Self::OpenCode => json!({ "type": "remote", "url": url, "headers": headers, "enabled": true }),
            Self::Copilot => json!({ "type": "http", "url": url, "headers": headers, "tools": ["*"] }),
            Self::Cursor | Self::Zed | Self::LmStudio | Self::Kiro | Self::Warp => {
                json!({ "url": url, "headers": headers })
            }
        })
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
            Self::LmStudio => "Open LM Studio's Program tab and switch the server on.",
            Self::Cline => "Start cline again.",
            Self::OpenCode => "Start opencode again; `opencode mcp list` shows the server.",
            Self::Copilot => "Start copilot again; `copilot mcp list` shows the server.",
            Self::Kiro => "Open Kiro's MCP servers; `kiro-cli mcp list` shows the server, too.",
            Self::Junie => "Open the IDE's settings, Junie, MCP Settings; the server is listed there.",
            Self::Warp => "Open Warp's settings, Agents, MCP servers, and start the server.",
        }
    }
}

/// The names of the configuration file of [`Agent::OpenCode`]. It reads both; a user has one of them.
const OPENCODE_FILES: [&str; 2] = ["opencode.json", "opencode.jsonc"];

/// Returns the first of the files that exists in the folder, or the first if none does.
fn existing_or_first(folder: &Path, names: [&str; 2]) -> PathBuf {
    let paths = names.map(|name| folder.join(name));
    paths.iter().find(|path| path.exists()).unwrap_or(&paths[0]).clone()
}
