//! `--analyze`
use crate::error::Result;
pub fn packages(_files: &[String], _root: &std::path::Path) -> Result<Vec<String>> {
    Ok(Vec::new())
}
