//! Network traffic of pages.
pub(super) mod answers;
pub(super) mod api_request;
pub(super) mod archive;
pub(super) mod cookies;
pub(super) mod har;
pub(super) mod kept_answers;
pub(super) mod observer;
pub(super) mod request;
mod resource;
pub(super) mod route;
pub(super) mod socket;
pub(super) mod socket_route;
pub(super) mod relay_certificates;
