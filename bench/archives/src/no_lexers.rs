//! What stands for `lexers.rs` in a build without the feature.

use std::path::Path;

use crate::Failure;
use crate::corpus::Corpus;

fn missing() -> Failure {
    "this was built without the feature \"lexers\"".into()
}

pub(crate) fn write_cleaned(_: &Corpus, _: &Path) -> Result<(), Failure> {
    Err(missing())
}

pub(crate) fn compare(_: &Corpus, _: usize, _: Vec<(String, f64)>, _: Option<&Path>) -> Result<(), Failure> {
    Err(missing())
}
