//! Cookies and storage of a browser context.
use super::Empty;

domain! {
    commands {
        "Storage.getCookies" GetCookies {} ? { browser_context_id: String } -> Cookies
        "Storage.setCookies" SetCookies { cookies: Vec<CookieParameter> } ? { browser_context_id: String } -> Empty
        "Storage.clearCookies" ClearCookies {} ? { browser_context_id: String } -> Empty
    }
    events {}
    objects {
        PartitionKey { top_level_site: String, has_cross_site_ancestor: bool }
        Cookie {
            name: String,
            value: String,
            domain: String,
            path: String,
            expires: f64,
            http_only: bool,
            secure: bool,
            session: bool,
            same_site: Option<String>,
            partition_key: Option<PartitionKey>,
        }
        Cookies { cookies: Vec<Cookie> }
        CookieParameter {
            name: String,
            value: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            url: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            domain: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            path: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            secure: Option<bool>,
            #[serde(skip_serializing_if = "Option::is_none")]
            http_only: Option<bool>,
            #[serde(skip_serializing_if = "Option::is_none")]
            same_site: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            expires: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            partition_key: Option<PartitionKey>,
        }
    }
}
