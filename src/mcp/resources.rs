//! Files that tools have written, offered as MCP resources to clients on other machines.
//!
//! A URI contains 122 random bits and belongs to one owner. A client lists only its own files, but other
//! connections of the same owner can read a file by its URI, for clients that reconnect for each call.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents};
use serde_json::json;
use url::{Url, form_urlencoded};

use crate::mcp::client::Client;
use crate::mcp::kept::SessionMemory;
use crate::mcp::reply::FileLink;
use crate::secrets::Secrets;

const SCHEME: &str = "patchright://files/";
/// The maximum number of files that are remembered for each owner.
const MOST_FILES: usize = 1000;
/// The largest readable file in bytes: in Base64 it stays below 10 MiB, which official clients accept.
const LARGEST_FILE: u64 = 7 << 20;

/// The files that clients can read as MCP resources.
#[derive(Debug, Default)]
pub(super) struct FileResources {
    files: Mutex<Vec<SharedFile>>,
}

#[derive(Debug, Clone)]
struct SharedFile {
    resource: Resource,
    path: PathBuf,
    owner: Option<Arc<str>>,
    /// The state of the client that owns the file, which identifies the client.
    kept: Weak<SessionMemory>,
}

impl SharedFile {
    fn is_of(&self, client: &Client) -> bool {
        Weak::as_ptr(&self.kept) == Arc::as_ptr(&client.kept)
    }
}

impl FileResources {
    /// Shares files that a tool wrote for this client. A file that is written again keeps its URI.
    pub(super) fn share(&self, client: &Client, files: Vec<FileLink>) -> Vec<Resource> {
        let mut known = self.files.lock();
        let shared = files.into_iter().filter_map(|file| {
            let path = Url::parse(&file.uri).ok()?.to_file_path().ok()?;
            let again = known.iter_mut().find(|known| known.path == path && known.is_of(client));
            if let Some(again) = again {
                again.resource.size = file.size;
                return Some(again.resource.clone());
            }
            let resource = resource(file);
            let (owner, kept) = (client.owner.clone(), Arc::downgrade(&client.kept));
            known.push(SharedFile { resource: resource.clone(), path, owner, kept });
            forget_oldest(&mut known, client.owner.as_ref());
            Some(resource)
        });
        shared.collect()
    }

    /// Returns the files of this client, newest first.
    pub(super) fn list(&self, client: &Client) -> Vec<Resource> {
        let known = self.files.lock();
        known.iter().rev().filter(|file| file.is_of(client)).map(|file| file.resource.clone()).collect()
    }

    /// Returns the content of a file that belongs to the client's owner.
    pub(super) async fn read(
        &self,
        client: &Client,
        uri: &str,
        secrets: &Secrets,
    ) -> Result<ReadResourceResult, ErrorData> {
        let not_found =
            |reason: &str| ErrorData::resource_not_found(reason.to_owned(), Some(json!({ "uri": uri })));
        let known = self
            .files
            .lock()
            .iter()
            .find(|file| file.resource.uri == uri && file.owner == client.owner)
            .cloned();
        let Some(file) = known else { return Err(not_found("Resource not found")) };
        let size = match tokio::fs::symlink_metadata(&file.path).await {
            Ok(found) if found.is_file() => found.len(),
            _ => return Err(not_found("Resource not found: the file is gone")),
        };
        if size > LARGEST_FILE {
            let reason =
                format!("the file has {size} bytes; at most {LARGEST_FILE} can be read as a resource");
            return Err(ErrorData::invalid_params(
                format!("Resource too large: {reason}"),
                Some(json!({ "uri": uri })),
            ));
        }
        let read = tokio::fs::read(&file.path).await;
        let mut bytes = read.map_err(|error| not_found(&format!("Resource not found: {error}")))?;
        // Downloads come from the browser, so secrets in them have not been redacted yet.
        secrets.redact_file_content(&mut bytes);
        Ok(ReadResourceResult::new(vec![contents(file.resource, bytes)]))
    }
}

fn resource(file: FileLink) -> Resource {
    let mut uri = format!("{SCHEME}{}/", uuid::Uuid::new_v4().simple());
    uri.extend(form_urlencoded::byte_serialize(file.name.as_bytes()));
    let mut resource = Resource::new(uri, file.name).with_mime_type(file.mime_type);
    resource.size = file.size;
    resource
}

fn forget_oldest(known: &mut Vec<SharedFile>, owner: Option<&Arc<str>>) {
    let of_owner = |file: &SharedFile| file.owner.as_ref() == owner;
    if known.iter().filter(|file| of_owner(file)).count() > MOST_FILES
        && let Some(oldest) = known.iter().position(of_owner)
    {
        known.remove(oldest);
    }
}

fn contents(resource: Resource, bytes: Vec<u8>) -> ResourceContents {
    let Resource { uri, mime_type, .. } = resource;
    let is_text =
        mime_type.as_deref().is_some_and(|kind| kind.starts_with("text/") || kind == "application/json");
    match String::from_utf8(bytes) {
        Ok(text) if is_text => ResourceContents::TextResourceContents { uri, mime_type, text, meta: None },
        Ok(text) => blob(uri, mime_type, text.as_bytes()),
        Err(error) => blob(uri, mime_type, error.as_bytes()),
    }
}

fn blob(uri: String, mime_type: Option<String>, bytes: &[u8]) -> ResourceContents {
    let blob = BASE64_STANDARD.encode(bytes);
    ResourceContents::BlobResourceContents { uri, mime_type, blob, meta: None }
}

/// Returns the MIME type of a downloaded file, derived from its extension.
pub(super) fn kind_of(name: &str) -> &'static str {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "csv" => "text/csv",
        "gif" => "image/gif",
        "html" | "htm" => "text/html",
        "jpg" | "jpeg" => "image/jpeg",
        "json" => "application/json",
        "md" => "text/markdown",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" | "log" => "text/plain",
        "webp" => "image/webp",
        "xml" => "application/xml",
        "zip" => "application/zip",
        _ => "application/octet-stream",
    }
}
