//! The protocol's commands and events that this crate uses, one file per domain, written by hand. Parsing is lenient:
//! unknown fields and values are ignored, missing fields get a default. So a misspelt field would stay empty unnoticed:
//! [`catalogue`] lists all declarations, and a test compares their names and types with a running browser's protocol.
//!
//! In a command, the fields after `?` are optional: they are `Option`s that are not sent when `None`.
macro_rules! domain {
    (
        commands { $( $(#[$command_doc:meta])* $method:literal $command:ident
            { $( $(#[$($field_attribute:tt)*])* $field:ident : $type:ty ),* $(,)? }
            $( ? { $( $(#[$($optional_attribute:tt)*])* $optional:ident : $optional_type:ty ),* $(,)? } )?
            -> $reply:ident )* }
        events { $( $(#[$event_doc:meta])* $event_method:literal $event:ident
            { $( $(#[$($event_attribute:tt)*])* $event_field:ident : $event_type:ty ),* $(,)? } )* }
        objects { $( $(#[$object_doc:meta])* $object:ident
            { $( $(#[$($object_attribute:tt)*])* $object_field:ident : $object_type:ty ),* $(,)? } )* }
    ) => {
        $(
            $(#[$command_doc])*
            #[derive(Debug, Clone, Default, ::serde::Serialize)]
            #[serde(rename_all = "camelCase")]
            pub struct $command {
                $( $(#[$($field_attribute)*])* pub $field: $type, )*
                $( $( $(#[$($optional_attribute)*])* #[serde(skip_serializing_if = "Option::is_none")] pub $optional: Option<$optional_type>, )* )?
            }
            impl crate::cdp::Command for $command {
                const METHOD: &'static str = $method;
                type Reply = $reply;
            }
        )*
        $(
            $(#[$event_doc])*
            #[derive(Debug, Clone, Default, ::serde::Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            pub struct $event {
                $( $(#[$($event_attribute)*])* #[serde(deserialize_with = "super::or_default")] pub $event_field: $event_type, )*
            }
            impl crate::cdp::Event for $event {
                const METHOD: &'static str = $event_method;
            }
        )*
        $(
            $(#[$object_doc])*
            #[derive(Debug, Clone, Default, ::serde::Serialize, ::serde::Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            pub struct $object {
                $( $(#[$($object_attribute)*])* #[serde(deserialize_with = "super::or_default")] pub $object_field: $object_type, )*
            }
        )*
        pub(super) const CATALOGUE: &[super::ProtocolDefinition] = &[
            $( super::ProtocolDefinition {
                name: $method,
                kind: super::ProtocolDefinitionKind::Command { reply: stringify!($reply) },
                fields: &[
                    $( super::field!($(#[$($field_attribute)*])* $field: $type), )*
                    $( $( super::field!($(#[$($optional_attribute)*])* $optional: $optional_type), )* )?
                ],
            }, )*
            $( super::ProtocolDefinition {
                name: $event_method,
                kind: super::ProtocolDefinitionKind::Event,
                fields: &[ $( super::field!($(#[$($event_attribute)*])* $event_field: $event_type), )* ],
            }, )*
            $( super::ProtocolDefinition {
                name: stringify!($object),
                kind: super::ProtocolDefinitionKind::Object,
                fields: &[ $( super::field!($(#[$($object_attribute)*])* $object_field: $object_type), )* ],
            }, )*
        ];
    };
}

/// Creates the `ProtocolField` of a declaration, with the name from `#[serde(rename)]` if there is one.
macro_rules! field {
    (#[serde(rename = $name:literal $($more:tt)*)] $($rest:tt)*) => { super::field!(@ $name, $($rest)*) };
    (#[$($attribute:tt)*] $($rest:tt)*) => { super::field!($($rest)*) };
    ($field:ident : $type:ty) => { super::field!(@ stringify!($field), $field: $type) };
    (@ $name:expr, $(#[$($attribute:tt)*])* $field:ident : $type:ty) => {
        super::ProtocolField { name: $name, kind: stringify!($type) }
    };
}
use field;

pub mod accessibility;
pub mod browser;
pub mod console;
pub mod css;
pub mod dom;
pub mod dom_snapshot;
pub mod emulation;
pub mod input;
pub mod network;
pub mod page;
pub mod performance;
pub mod runtime;
pub mod security;
pub mod storage;
pub mod target;
pub mod web_authn;
pub mod web_mcp;

/// A reply without content.
pub type Empty = serde::de::IgnoredAny;

/// The catalogue's description of a command, event or object as declared in this module.
#[derive(Debug, Clone, Copy)]
pub struct ProtocolDefinition {
    /// The wire name; for an object, its Rust name.
    pub name: &'static str,
    pub kind: ProtocolDefinitionKind,
    pub fields: &'static [ProtocolField],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolDefinitionKind {
    /// `reply` is the Rust name of the reply type.
    Command {
        reply: &'static str,
    },
    Event,
    Object,
}

#[derive(Debug, Clone, Copy)]
pub struct ProtocolField {
    name: &'static str,
    /// The Rust type, as written in the declaration.
    pub kind: &'static str,
}

impl ProtocolField {
    /// Returns the protocol's name: `name` in camel case. Names from `#[serde(rename)]` stay unchanged.
    pub fn wire_name(&self) -> String {
        let mut words = self.name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| {
            let (initial, rest) = word.split_at(usize::from(!word.is_empty()));
            name + &initial.to_ascii_uppercase() + rest
        })
    }
}

/// Returns all declared commands, events and objects, grouped by file: pairs of file name and entries.
pub fn catalogue() -> impl Iterator<Item = (&'static str, &'static [ProtocolDefinition])> {
    [
        ("accessibility", accessibility::CATALOGUE),
        ("browser", browser::CATALOGUE),
        ("console", console::CATALOGUE),
        ("css", css::CATALOGUE),
        ("dom", dom::CATALOGUE),
        ("dom_snapshot", dom_snapshot::CATALOGUE),
        ("emulation", emulation::CATALOGUE),
        ("input", input::CATALOGUE),
        ("network", network::CATALOGUE),
        ("page", page::CATALOGUE),
        ("performance", performance::CATALOGUE),
        ("runtime", runtime::CATALOGUE),
        ("security", security::CATALOGUE),
        ("storage", storage::CATALOGUE),
        ("target", target::CATALOGUE),
        ("web_authn", web_authn::CATALOGUE),
        ("web_mcp", web_mcp::CATALOGUE),
    ]
    .into_iter()
}

/// Deserializes `null` as the default value: the browser sends `null` for numbers that are not finite.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de> + Default,
{
    Ok(<Option<T> as serde::Deserialize>::deserialize(deserializer)?.unwrap_or_default())
}
