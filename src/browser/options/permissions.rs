//! Permissions of pages.
use crate::error::{Error, Result};

/// The supported permissions, as pairs of their name and the browser's name in CDP.
pub const PERMISSIONS: [(&str, &str); 19] = [
    ("accelerometer", "sensors"),
    ("ambient-light-sensor", "sensors"),
    ("background-sync", "backgroundSync"),
    ("camera", "videoCapture"),
    ("clipboard-read", "clipboardReadWrite"),
    ("clipboard-write", "clipboardSanitizedWrite"),
    ("geolocation", "geolocation"),
    ("gyroscope", "sensors"),
    ("idle-detection", "idleDetection"),
    ("local-fonts", "localFonts"),
    ("local-network-access", "localNetworkAccess"),
    ("magnetometer", "sensors"),
    ("microphone", "audioCapture"),
    ("midi", "midi"),
    ("midi-sysex", "midiSysex"),
    ("notifications", "notifications"),
    ("payment-handler", "paymentHandler"),
    ("storage-access", "storageAccess"),
    ("window-management", "windowManagement"),
];

pub(in crate::browser) fn permission(name: &str) -> Result<&'static str> {
    let known = PERMISSIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, wire)| *wire).ok_or_else(|| {
        let names = PERMISSIONS.map(|(name, _)| name).join(", ");
        Error::InvalidArguments {
            problems: vec![format!("{name:?} is not a permission; use one of {names}")],
        }
    })
}
