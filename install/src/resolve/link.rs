//! `link:` dependencies: a directory that is linked, or a name that `bao link` has registered.

use super::{Resolver, Step};
use crate::error::{Code, Error, Result};
use crate::linked_packages;
use crate::model::graph::{DepId, NewPackage};
use crate::model::paths::normalize;
use crate::model::plan::Kind;
use crate::model::spec::valid_name;
use std::path::PathBuf;

impl Resolver<'_, '_> {
    pub(super) fn linked(&mut self, dep: DepId, path: &str) -> Result<Step> {
        let root = self.session.root.clone();
        let (value, directory) = if linked_packages::is_path(path) {
            let value = linked_packages::from_root(&root, &normalize(&self.base(dep), path));
            let directory = root.join(&value);
            if !directory.is_dir() {
                let dep = self.dep_name(dep);
                return Err(Error::new(
                    Code::Io,
                    format!("directory \"{path}\" not found for linked dependency \"{dep}\""),
                )
                .hint("the path is meant from the directory of the package.json that has it"));
            }
            (value, directory)
        } else {
            let directory = linked_packages::registered(self.session.config, path)?;
            if !directory.is_dir() {
                return Err(linked_packages::not_linked(path));
            }
            (path.to_owned(), directory)
        };
        // A directory need not be a package.
        let text = crate::project::read_manifest(&directory)?.unwrap_or_else(|| "{}".to_owned());
        let manifest = crate::project::parse(&text, &directory.join("package.json"))?;
        let own = manifest.text("name");
        let last = || directory.file_name().map(PathBuf::from).unwrap_or_default().to_string_lossy().into_owned();
        let own = if valid_name(own) { own.to_owned() } else { last() };
        let own = if valid_name(&own) { own } else { self.dep_name(dep).to_owned() };
        let name = self.graph.text.add(&own);
        let at = self.graph.text.add(&value);
        let id = match self.same_resolution(name, Kind::Link, at) {
            Some(id) => id,
            None => {
                let mut new = NewPackage::new(name, Kind::Link, at);
                new.bin = crate::project::bin(self.graph, &manifest);
                let id = self.graph.add_package(new);
                let off = self.graph.begin_deps();
                self.graph.end_deps(id, off);
                id
            }
        };
        self.bind(dep, id);
        Ok(Step::Done)
    }
}
