//! A directory tree in the temporary directory, and a resolver on it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use resolve::{CallOptions, Kind, Options, ResolveError, Resolver, sorted_builtins};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Tree {
    pub root: String,
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Tree {
    /// Files by relative path and content. A content starting with `-> ` makes a symbolic link, a
    /// path ending in `/` an empty directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Tree {
        let temp = fs::canonicalize(std::env::temp_dir()).unwrap();
        let id = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = temp.join(format!("bao-resolve-{}-{id}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let tree = Tree { root: root.to_str().unwrap().to_owned() };
        for (path, content) in files {
            tree.write(path, content);
        }
        tree
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let full = PathBuf::from(self.path(path));
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
            return;
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match content.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, full).unwrap(),
            None => fs::write(full, content).unwrap(),
        }
    }

    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    pub(crate) fn resolver(&self) -> Resolver {
        Resolver::os(options())
    }

    /// Replaces the root directory by `$`.
    pub(crate) fn short(&self, text: &str) -> String {
        text.replace(&self.root, "$")
    }

    pub(crate) fn import(&self, specifier: &str) -> String {
        self.run(&mut self.resolver(), specifier, "main.mjs", Kind::Import)
    }

    pub(crate) fn require(&self, specifier: &str) -> String {
        self.run(&mut self.resolver(), specifier, "main.cjs", Kind::Require)
    }

    /// The resolved path, or code and message.
    pub(crate) fn run(&self, resolver: &mut Resolver, specifier: &str, from: &str, kind: Kind) -> String {
        let importer = if from.is_empty() { self.root.clone() } else { self.path(from) };
        match resolver.resolve(specifier, &importer, kind) {
            Ok(found) => self.short(&found.key()),
            Err(error) => self.short(&format!("{}: {}", error.code(), error.message)),
        }
    }

    pub(crate) fn error(&self, specifier: &str, kind: Kind) -> ResolveError {
        let importer = self.path("main.mjs");
        let mut resolver = self.resolver();
        *resolver.resolve_with(specifier, &importer, kind, &CallOptions::default()).expect_err(specifier)
    }

    /// Checks that `import` and `require` agree with a table of specifiers and results.
    pub(crate) fn both(&self, table: &[(&str, &str)]) {
        for (specifier, expected) in table {
            assert_eq!(self.import(specifier), *expected, "import {specifier}");
            assert_eq!(self.require(specifier), *expected, "require {specifier}");
        }
    }

    pub(crate) fn imports(&self, table: &[(&str, &str)]) {
        for (specifier, expected) in table {
            assert_eq!(self.import(specifier), *expected, "import {specifier}");
        }
    }

    pub(crate) fn requires(&self, table: &[(&str, &str)]) {
        for (specifier, expected) in table {
            assert_eq!(self.require(specifier), *expected, "require {specifier}");
        }
    }
}

pub(crate) fn options() -> Options {
    Options::runtime(sorted_builtins(&[
        ("bun", "bun"),
        ("bun:sqlite", "bun:sqlite"),
        ("fs", "node:fs"),
        ("fs/promises", "node:fs/promises"),
        ("node:fs", "node:fs"),
        ("node:fs/promises", "node:fs/promises"),
        ("node:test", "node:test"),
        ("util", "node:util"),
    ]))
}
