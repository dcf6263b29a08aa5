//! Certificates of servers that nobody vouches for.
use super::Empty;

domain! {
    commands {
        "Security.enable" Enable {} -> Empty
        "Security.setOverrideCertificateErrors" SetOverrideCertificateErrors
            { #[serde(rename = "override")] overrides: bool } -> Empty
        "Security.handleCertificateError" HandleCertificateError { event_id: i64, action: &'static str } -> Empty
    }
    events {
        "Security.certificateError" CertificateError {
            event_id: i64,
            #[serde(rename = "requestURL")] request_url: String,
        }
    }
    objects {}
}
