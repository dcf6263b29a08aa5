//! Virtual authenticators, which store passkeys.
use super::Empty;

domain! {
    commands {
        "WebAuthn.enable" Enable {} -> Empty
        "WebAuthn.addVirtualAuthenticator" AddVirtualAuthenticator { options: VirtualAuthenticatorOptions } -> Authenticator
        "WebAuthn.addCredential" AddCredential { authenticator_id: String, credential: Credential } -> Empty
        "WebAuthn.removeCredential" RemoveCredential { authenticator_id: String, credential_id: String } -> Empty
        "WebAuthn.setCredentialProperties" SetCredentialProperties { authenticator_id: String, credential_id: String }
            ? { sign_count: f64 } -> Empty
    }
    events {
        "WebAuthn.credentialAdded" CredentialAdded { authenticator_id: String, credential: Credential }
        "WebAuthn.credentialAsserted" CredentialAsserted { authenticator_id: String, credential: Credential }
        "WebAuthn.credentialDeleted" CredentialDeleted { authenticator_id: String, credential_id: String }
    }
    objects {
        VirtualAuthenticatorOptions {
            protocol: String,
            transport: String,
            has_resident_key: bool,
            has_user_verification: bool,
            is_user_verified: bool,
            automatic_presence_simulation: bool,
        }
        Authenticator { authenticator_id: String }
        Credential {
            credential_id: String,
            is_resident_credential: bool,
            rp_id: Option<String>,
            private_key: String,
            user_handle: Option<String>,
            sign_count: f64,
        }
    }
}
