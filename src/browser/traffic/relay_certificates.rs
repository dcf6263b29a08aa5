//! Accepts the relay's own certificates. The relay needs them for servers that require a client certificate.
use std::sync::Arc;

use crate::browser::egress::client_certificate::{ClientCertificate, is_covered};
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::hooks::{Hooks, NewSession};
use crate::cdp::types::security::{
    CertificateError, Enable, HandleCertificateError, SetOverrideCertificateErrors,
};
use crate::cdp::{CdpSession, Event, Observer, RawEvent};

/// The hooks that make contexts with client certificates accept the relay's own server certificates.
pub(in crate::browser) struct RelayCertificateHooks;

impl Hooks for RelayCertificateHooks {
    fn on_session(&self, new: &NewSession<'_>) {
        let options = new.context.options();
        if options.client_certificates.is_empty() || options.ignore_https_errors || new.worker.is_some() {
            return;
        }
        let session = new.session.clone();
        let context = new.context.clone();
        let voucher =
            RelayCertificateObserver { certificates: options.client_certificates, context, session };
        new.session.observe(&[CertificateError::METHOD], Arc::new(voucher));
        new.session.send(Enable {}).ignore();
        new.session.send(SetOverrideCertificateErrors { overrides: true }).ignore();
    }
}

struct RelayCertificateObserver {
    certificates: Vec<ClientCertificate>,
    context: BrowserContext,
    session: CdpSession,
}

impl Observer for RelayCertificateObserver {
    fn on_event(&self, event: RawEvent) {
        let Some(CertificateError { event_id, error_type, request_url }) = event.read() else { return };
        let action = if is_covered(&self.certificates, &request_url) {
            "continue"
        } else {
            // The browser reports the cancelled request as aborted, without the certificate error.
            self.context.note_failure(format!("net::{error_type}"));
            "cancel"
        };
        self.session.send(HandleCertificateError { event_id, action }).ignore();
    }

    fn ended(&self) {}
}
