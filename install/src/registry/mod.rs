//! What comes from elsewhere: manifests of registries, tarballs, repositories; and the session that fetches them.

pub(crate) mod manifest;
pub(crate) mod repositories;
pub(crate) mod session;
