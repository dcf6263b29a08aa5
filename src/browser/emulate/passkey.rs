//! Passkeys of a context. Each page of the context has a virtual authenticator with all passkeys. A change in
//! one authenticator is copied to the others.
use std::collections::HashMap;
use std::sync::Arc;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING as P256, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair,
};
use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::page::{Page, WeakPage};
use crate::browser::options::storage_state::Passkey;
use crate::cdp::types::web_authn::{
    AddCredential, AddVirtualAuthenticator, Credential, CredentialAdded, CredentialAsserted,
    CredentialDeleted, Enable, RemoveCredential, SetCredentialProperties, VirtualAuthenticatorOptions,
};
use crate::cdp::{CdpSession, Event as _, Observer, RawEvent};
use crate::error::{Error, Result};

#[derive(Debug, Default)]
struct Passkeys {
    held: Vec<Passkey>,
    /// Whether the pages of the context get virtual authenticators.
    are_offered: bool,
    authenticators: HashMap<usize, Authenticator>,
}

#[derive(Debug, Clone)]
struct Authenticator {
    page: WeakPage,
    id: String,
}

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Passkey {
    /// Generates the missing values, and derives the public key from the private key.
    fn completed(mut self) -> Result<Self> {
        if self.rp_id.is_empty() {
            return Err(wrong("a passkey is for a site: its domain is missing"));
        }
        for bytes in [&mut self.id, &mut self.user_handle] {
            if bytes.is_empty() {
                *bytes = BASE64.encode(uuid::Uuid::new_v4());
            }
        }
        if self.private_key.is_empty() {
            let made = EcdsaKeyPair::generate(&P256).and_then(|pair| pair.to_pkcs8v1());
            self.private_key = BASE64.encode(made.map_err(|_| wrong("no key can be made here"))?);
        }
        let key = public_key(&bytes_of(&self.private_key)?);
        self.public_key = key.ok_or_else(|| wrong("the private key of a passkey cannot be read"))?;
        Ok(self)
    }

    fn from_credential(credential: &Credential) -> Self {
        let bytes = |text: &str| BASE64_STANDARD.decode(text).unwrap_or_default();
        let private_key = bytes(&credential.private_key);
        Self {
            id: BASE64.encode(bytes(&credential.credential_id)),
            rp_id: credential.rp_id.clone().unwrap_or_default(),
            user_handle: BASE64.encode(bytes(credential.user_handle.as_deref().unwrap_or_default())),
            public_key: public_key(&private_key).unwrap_or_default(),
            private_key: BASE64.encode(private_key),
            sign_count: count(credential),
        }
    }

    fn credential(&self) -> Result<Credential> {
        Ok(Credential {
            credential_id: wire(&self.id)?,
            is_resident_credential: true,
            rp_id: Some(self.rp_id.clone()),
            private_key: wire(&self.private_key)?,
            user_handle: Some(wire(&self.user_handle)?),
            sign_count: f64::from(self.sign_count),
        })
    }
}

fn wrong(problem: &str) -> Error {
    Error::InvalidArguments { problems: vec![problem.to_owned()] }
}

fn bytes_of(text: &str) -> Result<Vec<u8>> {
    BASE64.decode(text).map_err(|_| wrong("a part of a passkey is not base64url"))
}

/// Converts base64url to standard Base64, which CDP uses.
fn wire(text: &str) -> Result<String> {
    Ok(BASE64_STANDARD.encode(bytes_of(text)?))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count of 32 bits")]
fn count(credential: &Credential) -> u32 {
    credential.sign_count as u32
}

/// Returns the public key of an ECDSA P-256, Ed25519 or RSA private key, in base64url; otherwise `None`.
fn public_key(private_key: &[u8]) -> Option<String> {
    let elliptic = || EcdsaKeyPair::from_pkcs8(&P256, private_key).ok()?.public_key().as_der().ok();
    let edwards = || Ed25519KeyPair::from_pkcs8_maybe_unchecked(private_key).ok()?.public_key().as_der().ok();
    let rsa = || RsaKeyPair::from_pkcs8(private_key).ok()?.public_key().as_der().ok();
    elliptic().or_else(edwards).or_else(rsa).map(|key| BASE64.encode::<&[u8]>(key.as_ref()))
}

/// The hooks that give pages a virtual authenticator with the passkeys of their context.
pub(in crate::browser) struct PasskeyHooks;

impl Hooks for PasskeyHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<Mutex<Passkeys>>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        if let Some(page) = new.page.filter(|_| new.is_of_tab()) {
            drop(page.add_authenticator());
        }
    }
}

impl BrowserContext {
    fn with_passkeys<T>(&self, change: impl FnOnce(&mut Passkeys) -> T) -> T {
        change(&mut self.extension::<Mutex<Passkeys>>().lock())
    }

    /// Adds a passkey, or replaces the one with the same id. Returns the passkey with the generated values.
    pub async fn add_passkey(&self, given: Passkey) -> Result<Passkey> {
        let passkey = given.completed()?;
        let credential = passkey.credential()?;
        self.delete_passkey(&passkey.id).await?;
        self.with_passkeys(|passkeys| passkeys.held.push(passkey.clone()));
        for (session, authenticator_id) in self.authenticators(None) {
            session.call(AddCredential { authenticator_id, credential: credential.clone() }).await?;
        }
        Ok(passkey)
    }

    /// Returns all passkeys: those that were added, and those that pages have registered.
    pub fn held_passkeys(&self) -> Vec<Passkey> {
        self.with_passkeys(|passkeys| passkeys.held.clone())
    }

    /// Deletes a passkey, if it exists.
    pub async fn delete_passkey(&self, id: &str) -> Result<()> {
        let held = self.with_passkeys(|passkeys| {
            let before = passkeys.held.len();
            passkeys.held.retain(|passkey| passkey.id != id);
            passkeys.held.len() < before
        });
        if held {
            let credential_id = wire(id)?;
            for (session, authenticator_id) in self.authenticators(None) {
                let remove = RemoveCredential { authenticator_id, credential_id: credential_id.clone() };
                // A site may have deleted the passkey from this authenticator already.
                let _ = session.call(remove).await;
            }
        }
        Ok(())
    }

    /// Replaces the machine's authenticator with a virtual one in current and future pages of the context. A
    /// site can detect the virtual authenticator.
    pub async fn enable_authenticator(&self) -> Result<()> {
        if self.with_passkeys(|passkeys| std::mem::replace(&mut passkeys.are_offered, true)) {
            return Ok(());
        }
        for equipped in join_all(self.pages().iter().filter_map(Page::add_authenticator)).await {
            match equipped {
                Ok(Err(Error::PageClosed)) | Err(_) => {}
                Ok(equipped) => equipped?,
            }
        }
        Ok(())
    }

    /// Replaces all passkeys.
    pub(in crate::browser) async fn replace_passkeys(&self, others: &[Passkey]) -> Result<()> {
        for passkey in self.held_passkeys() {
            self.delete_passkey(&passkey.id).await?;
        }
        for passkey in others {
            self.add_passkey(passkey.clone()).await?;
        }
        if others.is_empty() { Ok(()) } else { self.enable_authenticator().await }
    }

    /// Returns the sessions and authenticator ids of open pages, except of the page with the key `except`.
    fn authenticators(&self, except: Option<usize>) -> Vec<(CdpSession, String)> {
        let all = self.with_passkeys(|passkeys| {
            passkeys.authenticators.retain(|_, one| one.page.upgrade().is_some_and(|page| !page.is_closed()));
            passkeys.authenticators.clone()
        });
        let others = all.into_iter().filter(|(key, _)| Some(*key) != except);
        others.filter_map(|(_, one)| Some((one.page.upgrade()?.session().clone(), one.id))).collect()
    }

    fn on_passkey_event(&self, event: &RawEvent, page: usize) {
        if let Some(event) = event.read::<CredentialAdded>() {
            let passkey = Passkey::from_credential(&event.credential);
            // The event also reports credentials that this process added; those are in the list already.
            let is_new = self.with_passkeys(|passkeys| {
                let is_new = passkeys.held.iter().all(|held| held.id != passkey.id);
                if is_new {
                    passkeys.held.push(passkey);
                }
                is_new
            });
            if is_new {
                self.update_authenticators(page, |authenticator_id| AddCredential {
                    authenticator_id,
                    credential: event.credential.clone(),
                });
            }
        } else if let Some(event) = event.read::<CredentialAsserted>() {
            let passkey = Passkey::from_credential(&event.credential);
            self.with_passkeys(|passkeys| {
                for held in passkeys.held.iter_mut().filter(|held| held.id == passkey.id) {
                    held.sign_count = passkey.sign_count;
                }
            });
            self.update_authenticators(page, |authenticator_id| SetCredentialProperties {
                authenticator_id,
                credential_id: event.credential.credential_id.clone(),
                sign_count: Some(event.credential.sign_count),
            });
        } else if let Some(event) = event.read::<CredentialDeleted>() {
            let bytes = BASE64_STANDARD.decode(&event.credential_id).unwrap_or_default();
            let id = BASE64.encode(bytes);
            self.with_passkeys(|passkeys| passkeys.held.retain(|held| held.id != id));
            self.update_authenticators(page, |authenticator_id| RemoveCredential {
                authenticator_id,
                credential_id: event.credential_id.clone(),
            });
        }
    }

    fn update_authenticators<C: crate::cdp::Command>(&self, except: usize, command: impl Fn(String) -> C) {
        for (session, authenticator_id) in self.authenticators(Some(except)) {
            session.send(command(authenticator_id)).ignore();
        }
    }
}

impl Page {
    /// Adds an authenticator with the context's passkeys to a page. `None` if the context does not use any.
    fn add_authenticator(&self) -> Option<JoinHandle<Result<()>>> {
        let context = self.context().clone();
        if !context.with_passkeys(|passkeys| passkeys.are_offered) {
            return None;
        }
        let session = self.session().clone();
        let ear = PasskeyObserver { page: self.downgrade() };
        let methods = [CredentialAdded::METHOD, CredentialAsserted::METHOD, CredentialDeleted::METHOD];
        session.observe(&methods, Arc::new(ear));
        session.send(Enable {}).ignore();
        let options = VirtualAuthenticatorOptions {
            protocol: "ctap2".to_owned(),
            transport: "internal".to_owned(),
            has_resident_key: true,
            has_user_verification: true,
            is_user_verified: true,
            automatic_presence_simulation: true,
        };
        let added = session.send(AddVirtualAuthenticator { options });
        let (key, page) = (self.instance_id(), self.downgrade());
        Some(tokio::spawn(async move {
            let authenticator_id = added.await?.authenticator_id;
            let held = context.with_passkeys(|passkeys| {
                let authenticator = Authenticator { page, id: authenticator_id.clone() };
                passkeys.authenticators.insert(key, authenticator);
                passkeys.held.clone()
            });
            for passkey in held {
                let (authenticator_id, credential) = (authenticator_id.clone(), passkey.credential()?);
                session.call(AddCredential { authenticator_id, credential }).await?;
            }
            Ok(())
        }))
    }
}

/// Handles the events of a page's authenticator.
struct PasskeyObserver {
    page: WeakPage,
}

impl Observer for PasskeyObserver {
    fn on_event(&self, event: RawEvent) {
        if let Some(page) = self.page.upgrade() {
            page.context().on_passkey_event(&event, page.instance_id());
        }
    }
}
