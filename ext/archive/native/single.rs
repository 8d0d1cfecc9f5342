//! What an archive holds without the contents, and one file of it.

use tar::Sink;
use zip::{Entry, EntryKind};

use crate::names::Filter;
use crate::{Failure, append};

/// Collects names.
pub(crate) struct Names {
    filter: Filter,
    modified: f64,
    names: Vec<String>,
    kinds: Vec<&'static str>,
    sizes: Vec<f64>,
    times: Vec<f64>,
}

impl Names {
    pub(crate) fn new(filter: Filter) -> Self {
        Self { filter, modified: 0.0, names: Vec::new(), kinds: Vec::new(), sizes: Vec::new(), times: Vec::new() }
    }

    fn add(&mut self, name: &[u8], kind: &'static str, size: u64) {
        if self.filter.lets_through(name) {
            self.names.push(String::from_utf8_lossy(name).into_owned());
            self.kinds.push(kind);
            self.sizes.push(size as f64);
            self.times.push(self.modified * 1000.0);
        }
    }

    pub(crate) fn add_zip(&mut self, entry: &Entry) {
        self.modified = entry.modified as f64;
        match entry.kind {
            EntryKind::File => self.add(&entry.name, "file", entry.size),
            EntryKind::Directory => self.add(&entry.name, "directory", 0),
            EntryKind::Symlink => self.add(&entry.name, "link", 0),
        }
    }

    pub(crate) fn finish(self) -> (Vec<String>, Vec<&'static str>, Vec<f64>, Vec<f64>) {
        (self.names, self.kinds, self.sizes, self.times)
    }
}

impl Sink for Names {
    type Error = Failure;

    fn attributes(&mut self, _mode: u32, modified: f64) {
        self.modified = modified;
    }

    fn directory(&mut self, path: &[u8]) -> Result<(), Failure> {
        self.add(path, "directory", 0);
        Ok(())
    }

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<(), Failure> {
        self.add(path, "file", size);
        Ok(())
    }

    fn data(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn symlink(&mut self, path: &[u8], _target: &[u8]) -> Result<(), Failure> {
        self.add(path, "link", 0);
        Ok(())
    }

    fn hardlink(&mut self, path: &[u8], _target: &[u8]) -> Result<(), Failure> {
        self.add(path, "link", 0);
        Ok(())
    }

    fn device(&mut self, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

/// Takes one file; of several with its name the last.
pub(crate) struct Single {
    wanted: Vec<u8>,
    is_current: bool,
    modified: f64,
    found: Option<(Vec<u8>, f64)>,
}

impl Single {
    pub(crate) fn new(wanted: Vec<u8>) -> Self {
        Self { wanted, is_current: false, modified: 0.0, found: None }
    }

    pub(crate) fn finish(self) -> Option<(Vec<u8>, f64)> {
        self.found
    }
}

impl Sink for Single {
    type Error = Failure;

    fn attributes(&mut self, _mode: u32, modified: f64) {
        self.modified = modified;
    }

    fn file(&mut self, path: &[u8], _mode: u32, _size: u64) -> Result<(), Failure> {
        self.is_current = path == self.wanted;
        if self.is_current {
            self.found = Some((Vec::new(), self.modified * 1000.0));
        }
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.found {
            Some((content, _)) if self.is_current => append(content, bytes),
            _ => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.is_current = false;
        Ok(())
    }

    fn device(&mut self, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}
