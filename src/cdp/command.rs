use serde::Serialize;
use serde::de::DeserializeOwned;

/// A protocol command; the implementing struct holds the parameters.
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
