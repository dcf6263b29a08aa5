use serde::Serialize;
use serde::de::DeserializeOwned;

/// A protocol command: the struct is its parameters.
pub trait Command: Serialize + Send + Sync {
    /// The wire name, such as `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers.
    type Reply: DeserializeOwned + Send;
}

/// Something that the browser tells unasked.
pub trait Event: DeserializeOwned + Send {
    /// The wire name, such as `Page.frameNavigated`.
    const METHOD: &'static str;
}
