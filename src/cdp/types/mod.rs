//! The commands and events that we use, one file per domain, written by hand and lenient: an unknown field or value
//! never fails, a missing one has a default. [`catalogue`] lists them, so that a test can ask a running browser
//! whether it knows each name.
//!
//! In a command, the fields after `?` are optional: they are `Option`s that stay off the wire when `None`.
macro_rules! domain {
    (
        commands { $( $(#[$command_doc:meta])* $method:literal $command:ident
            { $( $(#[$field_doc:meta])* $field:ident : $type:ty ),* $(,)? }
            $( ? { $( $(#[$optional_attribute:meta])* $optional:ident : $optional_type:ty ),* $(,)? } )?
            -> $reply:ident )* }
        events { $( $(#[$event_doc:meta])* $event_method:literal $event:ident
            { $( $(#[$event_attribute:meta])* $event_field:ident : $event_type:ty ),* $(,)? } )* }
        objects { $( $(#[$object_doc:meta])* $object:ident
            { $( $(#[$object_attribute:meta])* $object_field:ident : $object_type:ty ),* $(,)? } )* }
    ) => {
        $(
            $(#[$command_doc])*
            #[derive(Debug, Clone, Default, ::serde::Serialize)]
            #[serde(rename_all = "camelCase")]
            pub struct $command {
                $( $(#[$field_doc])* pub $field: $type, )*
                $( $( $(#[$optional_attribute])* #[serde(skip_serializing_if = "Option::is_none")] pub $optional: Option<$optional_type>, )* )?
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
            pub struct $event { $( $(#[$event_attribute])* pub $event_field: $event_type, )* }
            impl crate::cdp::Event for $event {
                const METHOD: &'static str = $event_method;
            }
        )*
        $(
            $(#[$object_doc])*
            #[derive(Debug, Clone, Default, ::serde::Serialize, ::serde::Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            pub struct $object { $( $(#[$object_attribute])* pub $object_field: $object_type, )* }
        )*
        pub(super) const CATALOGUE: &[super::Entry] = &[
            $( super::Entry {
                name: $method, event: false,
                fields: &[ $( stringify!($field), )* $( $( stringify!($optional), )* )? ],
            }, )*
            $( super::Entry { name: $event_method, event: true, fields: &[ $( stringify!($event_field), )* ] }, )*
        ];
    };
}

pub mod browser;
pub mod console;
pub mod dom;
pub mod emulation;
pub mod input;
pub mod network;
pub mod page;
pub mod runtime;
pub mod storage;
pub mod target;

/// A reply that says nothing.
pub type Empty = serde::de::IgnoredAny;

/// A command or event that we use.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its wire name.
    pub name: &'static str,
    /// Whether it is an event.
    pub event: bool,
    /// Its fields as Rust spells them (snake case).
    pub fields: &'static [&'static str],
}

/// Every command and event that we use.
pub fn catalogue() -> impl Iterator<Item = Entry> {
    [
        browser::CATALOGUE,
        console::CATALOGUE,
        dom::CATALOGUE,
        emulation::CATALOGUE,
        input::CATALOGUE,
        network::CATALOGUE,
        page::CATALOGUE,
        runtime::CATALOGUE,
        storage::CATALOGUE,
        target::CATALOGUE,
    ]
    .into_iter()
    .flatten()
    .copied()
}
