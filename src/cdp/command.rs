use serde::Serialize;
use serde::de::DeserializeOwned;

/// A protocol command: the struct is its parameters.
pub trait Command: Serialize + Send + Sync {
    /// The wire name, such as `Page.navigate`.
    const METHOD: &'static str;
    /// The type of the browser's reply.
    type Reply: DeserializeOwned + Send;
}

/// An event that the browser sends without a request.
pub trait Event: DeserializeOwned + Send {
    /// The wire name, such as `Page.frameNavigated`.
    const METHOD: &'static str;
}
