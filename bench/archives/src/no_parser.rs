//! What stands for `parse.rs` in a build without the feature: `--parse` says that nothing was parsed.

pub(crate) fn parse(_: &str, _: &[u8]) -> usize {
    0
}
