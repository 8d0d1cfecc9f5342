//! What comes from elsewhere: manifests of registries, tarballs, repositories; and the session that fetches them.

pub mod manifest;
pub mod repositories;
pub mod session;
