//! Handling of invalid certificates.
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
            /// The browser's name of the error, such as `ERR_CERT_DATE_INVALID`.
            error_type: String,
            #[serde(rename = "requestURL")] request_url: String,
        }
    }
    objects {}
}
