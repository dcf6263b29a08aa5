//! API requests: HTTP requests that scripts send without a page (Playwright's `APIRequestContext`).

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::bridge::{Operation, operation};
use super::browser::{BrowserContext, ClientCertificateOptions, ProxySettings};
use super::convert::{Plain, options};
use super::network::Pairs;
use crate::browser::locator::timeout_from_ms;
use crate::browser::{
    ApiBody, ApiContext, ApiOptions, HttpCredentials, MultipartField, StorageState, StorageStateOptions,
    StoredCookie,
};
use crate::error::{Error, Result};

/// The options of an API request context, as passed from Python.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Api {
    base_url: Option<String>,
    extra_http_headers: Option<std::collections::BTreeMap<String, String>>,
    user_agent: Option<String>,
    ignore_https_errors: bool,
    client_certificates: Vec<ClientCertificateOptions>,
    http_credentials: Credentials,
    proxy: Option<ProxySettings>,
    max_redirects: Option<usize>,
    fail_on_status_code: bool,
    timeout: Option<f64>,
    storage_state: Option<Value>,
}

/// HTTP credentials: one username and password, or a list with an origin for each.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a username and a password, or a list of those")]
pub(super) enum Credentials {
    One(Credential),
    Several(Vec<Credential>),
}

impl Default for Credentials {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

#[derive(Deserialize)]
pub(super) struct Credential {
    username: String,
    password: String,
    origin: Option<String>,
    send: Option<String>,
}

impl Credentials {
    pub(super) fn read(self) -> Vec<HttpCredentials> {
        match self {
            Self::One(one) => vec![one.read()],
            Self::Several(several) => several.into_iter().map(Credential::read).collect(),
        }
    }
}

impl Credential {
    fn read(self) -> HttpCredentials {
        let unasked = self.send.as_deref() == Some("always");
        let Self { username, password, origin, .. } = self;
        HttpCredentials { username, password, origin, unasked, entered_by_person: false }
    }
}

impl Api {
    fn read(self) -> Result<(ApiOptions, StorageState)> {
        let state = self.storage_state.map(|state| {
            StorageState::parse(&state.to_string()).map_err(|reason| Error::InvalidArguments {
                problems: vec![format!("storage_state: {reason}")],
            })
        });
        let default = ApiOptions::default();
        let options = ApiOptions {
            base_url: self.base_url,
            headers: self.extra_http_headers.unwrap_or_default().into_iter().collect(),
            user_agent: self.user_agent,
            ignore_https_errors: self.ignore_https_errors,
            client_certificates: self
                .client_certificates
                .iter()
                .map(ClientCertificateOptions::read)
                .collect::<Result<_>>()?,
            http_credentials: self.http_credentials.read(),
            proxy: self.proxy.map(|proxy| proxy.read()).transpose()?,
            max_redirects: self.max_redirects.unwrap_or(default.max_redirects),
            fail_on_status: self.fail_on_status_code,
            limit: self.timeout.map_or(default.limit, timeout_from_ms),
            largest_body: default.largest_body,
        };
        Ok((options, state.transpose()?.unwrap_or_default()))
    }
}

/// The options of one API request, as passed from Python.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ApiCall {
    url: String,
    method: Option<String>,
    params: Pairs,
    query: Option<String>,
    headers: Option<Pairs>,
    timeout: Option<f64>,
    fail_on_status_code: Option<bool>,
    ignore_https_errors: Option<bool>,
    max_redirects: Option<usize>,
    max_retries: Option<usize>,
}

/// Sends HTTP requests without a page, with cookies of its own or of a browser context.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct ApiRequestContext(ApiContext);

#[pymethods]
impl ApiRequestContext {
    /// With `context`, shares its cookies; otherwise has separate cookies.
    #[new]
    #[pyo3(signature = (chosen, context = None))]
    fn new(chosen: &Bound<'_, PyAny>, context: Option<&BrowserContext>) -> PyResult<Self> {
        let (options, state) = options::<Api>(chosen)?.read()?;
        Ok(Self(match context {
            Some(context) => ApiContext::with_cookies_of(&context.0, options),
            None => ApiContext::new(options, state),
        }))
    }

    fn dispose(&self) {
        self.0.dispose();
    }

    fn storage_state(&self, databases: bool, private_files: bool) -> Operation {
        let also = StorageStateOptions { databases, private_files };
        let requests = self.0.clone();
        operation(async move { Ok(Plain(json!(requests.storage_state(also).await?))) })
    }

    /// Returns the cookies that would be sent to `urls`; if empty, all cookies.
    fn cookies(&self, urls: Vec<String>) -> Operation {
        let requests = self.0.clone();
        operation(async move { Ok(Plain(json!(requests.cookies(&urls).await?))) })
    }

    fn add_cookies(&self, cookies: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (requests, cookies) = (self.0.clone(), options::<Vec<StoredCookie>>(cookies)?);
        Ok(operation(async move { requests.add_cookies(&cookies).await }))
    }

    fn remove_cookies(&self, cookies: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (requests, cookies) = (self.0.clone(), options::<Vec<StoredCookie>>(cookies)?);
        Ok(operation(async move { requests.remove_cookies(&cookies).await }))
    }

    fn clear_cookies(&self) -> Operation {
        let requests = self.0.clone();
        operation(async move { requests.clear_cookies().await })
    }

    /// Sends a request. `body` is a pair of kind (`bytes`, `json`, `form` or `multipart`) and value.
    #[pyo3(signature = (chosen, body = None))]
    fn fetch(
        &self,
        chosen: &Bound<'_, PyAny>,
        body: Option<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Operation> {
        let call = options::<ApiCall>(chosen)?;
        let request = crate::browser::ApiRequest {
            url: call.url,
            method: call.method.unwrap_or_default(),
            parameters: call.params,
            query: call.query,
            headers: call.headers.unwrap_or_default(),
            body: body.map(|(kind, content)| read_body(&kind, &content)).transpose()?,
            limit: call.timeout.map(timeout_from_ms),
            fail_on_status: call.fail_on_status_code,
            ignore_https_errors: call.ignore_https_errors,
            max_redirects: call.max_redirects,
            max_retries: call.max_retries.unwrap_or_default(),
        };
        let requests = self.0.clone();
        Ok(operation(async move { requests.fetch(&request).await.map(ApiResponse) }))
    }
}

/// A part of a multipart body: field name, content, and for a file its name and MIME type.
type Part = (String, Vec<u8>, Option<(String, String)>);

fn read_body(kind: &str, content: &Bound<'_, PyAny>) -> PyResult<ApiBody> {
    Ok(match kind {
        "json" => ApiBody::Json(content.extract()?),
        "form" => ApiBody::Form(content.extract()?),
        "multipart" => {
            let parts: Vec<Part> = content.extract()?;
            let part = |(name, content, file)| MultipartField { name, content, file };
            ApiBody::Multipart(parts.into_iter().map(part).collect())
        }
        _ => ApiBody::Bytes(content.extract()?),
    })
}

/// The response to an API request.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct ApiResponse(crate::browser::ApiResponse);

#[pymethods]
impl ApiResponse {
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }

    #[getter]
    fn status_text(&self) -> &str {
        &self.0.status_text
    }

    #[getter]
    fn headers(&self) -> Pairs {
        self.0.headers.clone()
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.body)
    }

    #[getter]
    fn server_address(&self) -> Option<(String, u16)> {
        self.0.address.map(|address| (address.ip().to_string(), address.port()))
    }

    /// Three times in milliseconds: when the request was sent (since 1970), and the durations from then until
    /// the response's headers and until its end.
    #[getter]
    fn moments(&self) -> (f64, f64, f64) {
        (self.0.started_ms, self.0.head_ms, self.0.end_ms)
    }
}
