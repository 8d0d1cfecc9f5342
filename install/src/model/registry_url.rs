//! Addresses of a registry.

/// npm's registry, with the slash at its end.
pub(crate) const DEFAULT_REGISTRY: &str = "https://registry.npmjs.org/";

/// `<registry><name>/-/<last part>-<version>.tgz`; build metadata is not part of it.
pub(crate) fn usual_tarball(registry: &str, name: &str, version: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let version = version.split('+').next().unwrap_or(version);
    format!("{registry}{name}/-/{last}-{version}.tgz")
}
