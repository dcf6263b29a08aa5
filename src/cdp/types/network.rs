//! Requests, responses and cookies; and `Fetch`, which intercepts requests.
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::Empty;

/// Extra headers for every request: names and values.
pub type Headers = BTreeMap<String, String>;

/// Headers in the order on the wire. The browser joins the values of a repeated header with newlines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderList(Vec<(String, String)>);

impl HeaderList {
    /// Returns the value of the first header with this name, ignoring case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Deref for HeaderList {
    type Target = [(String, String)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromIterator<(String, String)> for HeaderList {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(headers: I) -> Self {
        Self(headers.into_iter().collect())
    }
}

impl Serialize for HeaderList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for HeaderList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;

        impl<'de> Visitor<'de> for Reading {
            type Value = HeaderList;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HeaderList, A::Error> {
                let mut headers = Vec::new();
                while let Some(header) = map.next_entry()? {
                    headers.push(header);
                }
                Ok(HeaderList(headers))
            }
        }
        deserializer.deserialize_map(Reading)
    }
}

domain! {
    commands {
        "Network.enable" Enable {} ? { max_total_buffer_size: i64, max_resource_buffer_size: i64, max_post_data_size: i64 } -> Empty
        "Network.setExtraHTTPHeaders" SetExtraHttpHeaders { headers: Headers } -> Empty
        "Network.setCacheDisabled" SetCacheDisabled { cache_disabled: bool } -> Empty
        "Network.setBypassServiceWorker" SetBypassServiceWorker { bypass: bool } -> Empty
        "Network.emulateNetworkConditions" EmulateNetworkConditions
            { offline: bool, latency: f64, download_throughput: f64, upload_throughput: f64 } -> Empty
        "Network.getResponseBody" GetResponseBody { request_id: String } -> Body
        "Network.loadNetworkResource" LoadNetworkResource { url: String, options: ResourceOptions } ? { frame_id: String }
            -> LoadedResource
        "IO.read" IoRead { handle: String } -> IoChunk
        "IO.close" IoClose { handle: String } -> Empty
        "Network.getRequestPostData" GetRequestPostData { request_id: String } -> PostData
        "Fetch.enable" FetchEnable {} ? { patterns: Vec<RequestPattern>, handle_auth_requests: bool } -> Empty
        "Fetch.disable" FetchDisable {} -> Empty
        "Fetch.continueRequest" ContinueRequest { request_id: String }
            ? { url: String, method: String, post_data: String, headers: Vec<HeaderEntry>, intercept_response: bool } -> Empty
        "Fetch.fulfillRequest" FulfillRequest { request_id: String, response_code: u32 }
            ? { response_headers: Vec<HeaderEntry>, body: String, response_phrase: String } -> Empty
        "Fetch.failRequest" FailRequest { request_id: String, error_reason: String } -> Empty
        "Fetch.continueWithAuth" ContinueWithAuth { request_id: String, auth_challenge_response: AuthChallengeResponse } -> Empty
    }
    events {
        "Network.requestWillBeSent" RequestWillBeSent {
            request_id: String,
            loader_id: String,
            #[serde(rename = "documentURL")] document_url: String,
            request: Request,
            timestamp: f64,
            wall_time: f64,
            initiator: Initiator,
            redirect_has_extra_info: bool,
            redirect_response: Option<Response>,
            #[serde(rename = "type")] kind: Option<String>,
            frame_id: Option<String>,
            has_user_gesture: Option<bool>,
        }
        "Network.requestWillBeSentExtraInfo" RequestWillBeSentExtraInfo { request_id: String, headers: HeaderList }
        "Network.responseReceived" ResponseReceived {
            request_id: String,
            loader_id: String,
            timestamp: f64,
            #[serde(rename = "type")] kind: String,
            response: Response,
            has_extra_info: bool,
            frame_id: Option<String>,
        }
        "Network.responseReceivedExtraInfo" ResponseReceivedExtraInfo
            { request_id: String, headers: HeaderList, status_code: i64, headers_text: Option<String> }
        "Network.loadingFinished" LoadingFinished { request_id: String, timestamp: f64, encoded_data_length: f64 }
        "Network.loadingFailed" LoadingFailed {
            request_id: String,
            timestamp: f64,
            #[serde(rename = "type")] kind: String,
            error_text: String,
            canceled: Option<bool>,
            blocked_reason: Option<String>,
        }
        "Network.requestServedFromCache" RequestServedFromCache { request_id: String }
        "Network.webSocketCreated" WebSocketCreated { request_id: String, url: String }
        "Network.webSocketHandshakeResponseReceived" WebSocketHandshakeResponseReceived { request_id: String, response: WebSocketResponse }
        "Network.webSocketFrameSent" WebSocketFrameSent { request_id: String, response: WebSocketFrame }
        "Network.webSocketFrameReceived" WebSocketFrameReceived { request_id: String, response: WebSocketFrame }
        "Network.webSocketFrameError" WebSocketFrameError { request_id: String, error_message: String }
        "Network.webSocketClosed" WebSocketClosed { request_id: String }
        "Fetch.requestPaused" RequestPaused {
            request_id: String,
            request: Request,
            frame_id: String,
            resource_type: String,
            response_error_reason: Option<String>,
            response_status_code: Option<i64>,
            response_headers: Option<Vec<HeaderEntry>>,
            network_id: Option<String>,
            redirected_request_id: Option<String>,
        }
        "Fetch.authRequired" AuthRequired { request_id: String, request: Request, frame_id: String, resource_type: String, auth_challenge: AuthChallenge }
    }
    objects {
        ResourceOptions { disable_cache: bool, include_credentials: bool }
        LoadedResource { resource: LoadedPage }
        LoadedPage { success: bool, stream: Option<String> }
        IoChunk { data: String, eof: bool, base64_encoded: bool }
        Request {
            url: String,
            url_fragment: Option<String>,
            method: String,
            headers: HeaderList,
            post_data: Option<String>,
            has_post_data: Option<bool>,
            post_data_entries: Option<Vec<PostDataEntry>>,
            is_same_site: Option<bool>,
        }
        PostDataEntry { bytes: Option<String> }
        Initiator {
            #[serde(rename = "type")]
            kind: String,
            url: Option<String>,
        }
        Response {
            url: String,
            status: i64,
            status_text: String,
            headers: HeaderList,
            mime_type: String,
            protocol: Option<String>,
            from_disk_cache: Option<bool>,
            from_service_worker: Option<bool>,
            from_prefetch_cache: Option<bool>,
            encoded_data_length: f64,
            #[serde(rename = "remoteIPAddress")]
            remote_ip_address: Option<String>,
            remote_port: Option<i64>,
            security_state: Option<String>,
            security_details: Option<Value>,
            timing: Option<Timing>,
        }
        /// The phases of a request, in milliseconds after `request_time`, which is in seconds.
        Timing {
            request_time: f64,
            dns_start: f64,
            dns_end: f64,
            connect_start: f64,
            connect_end: f64,
            ssl_start: f64,
            ssl_end: f64,
            send_start: f64,
            send_end: f64,
            receive_headers_start: f64,
            receive_headers_end: f64,
        }
        Body { body: String, base64_encoded: bool }
        PostData { post_data: String, base64_encoded: Option<bool> }
        HeaderEntry { name: String, value: String }
        RequestPattern {
            #[serde(skip_serializing_if = "Option::is_none")]
            url_pattern: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            resource_type: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            request_stage: Option<String>,
        }
        AuthChallenge { source: Option<String>, origin: String, scheme: String, realm: String }
        AuthChallengeResponse {
            response: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            username: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            password: Option<String>,
        }
        WebSocketResponse { status: i64, status_text: String }
        WebSocketFrame { opcode: f64, mask: bool, payload_data: String }
    }
}
