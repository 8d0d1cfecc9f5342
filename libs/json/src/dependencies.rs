//! The dependency groups of package.json under edit.

use crate::edit::Document;
use crate::write::quote;

/// The dependency groups in the order in which they are looked through.
pub const GROUPS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

impl Document {
    /// Sets a dependency in a group and removes it from the others that cannot hold it at the same time.
    pub fn set_dependency(&mut self, group: &str, name: &str, literal: &str) {
        for other in ["dependencies", "devDependencies", "optionalDependencies"] {
            if other != group && group != "peerDependencies" && self.get(other, name).is_some() {
                self.remove(&[other, name]);
            }
        }
        let mut json = String::new();
        quote(literal, &mut json);
        self.set(&[group, name], &json, true);
    }
}
