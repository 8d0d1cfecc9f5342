//! The files of an archive, in memory.

use tar::Sink;

use crate::names::Filter;
use crate::{Failure, append};

/// Collects files. Of two with one name, the later one is kept, at the place of the earlier, as a Map has it.
pub(crate) struct Files {
    filter: Filter,
    modified: f64,
    skipped: bool,
    names: Vec<String>,
    times: Vec<f64>,
    sizes: Vec<f64>,
    contents: Vec<u8>,
}

impl Files {
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter,
            modified: 0.0,
            skipped: false,
            names: Vec::new(),
            times: Vec::new(),
            sizes: Vec::new(),
            contents: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> (Vec<String>, Vec<f64>, Vec<f64>, Vec<u8>) {
        (self.names, self.times, self.sizes, self.contents)
    }
}

impl Sink for Files {
    type Error = Failure;

    fn wants(&mut self, path: &[u8]) -> bool {
        self.filter.lets_through(path)
    }

    fn attributes(&mut self, _mode: u32, modified: f64) {
        self.modified = modified;
    }

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<(), Failure> {
        self.skipped = !self.filter.lets_through(path);
        if !self.skipped {
            self.names.push(String::from_utf8_lossy(path).into_owned());
            self.times.push(self.modified * 1000.0);
            self.sizes.push(size as f64);
        }
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.skipped { Ok(()) } else { append(&mut self.contents, bytes) }
    }

    fn device(&mut self, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}
