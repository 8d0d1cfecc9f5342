//! File-system work as plain functions over bytes and descriptors; nothing here knows of JavaScript.

pub(crate) mod copy;
pub(crate) mod dir;
pub(crate) mod error;
pub(crate) mod file;
pub(crate) mod links;
pub(crate) mod mounts;
pub(crate) mod open_beneath;
pub(crate) mod path;
pub(crate) mod read_small;
pub(crate) mod realpath;
pub(crate) mod remove;
pub(crate) mod stat;
pub(crate) mod text;
pub(crate) mod virt;
pub(crate) mod watch;

#[cfg(test)]
pub(crate) mod testing {
    use super::path::FsPath;

    /// A directory of one test, removed at its end.
    pub(crate) struct TempDir(pub std::path::PathBuf);

    impl TempDir {
        pub(crate) fn new() -> TempDir {
            use std::sync::atomic::{AtomicU32, Ordering};
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let name = format!("bao-fs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let dir = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&dir).unwrap();
            TempDir(dir)
        }

        /// The path of `name` inside.
        pub(crate) fn path(&self, name: &str) -> FsPath {
            FsPath::from_bytes(self.text(name).as_bytes()).unwrap()
        }

        pub(crate) fn text(&self, name: &str) -> String {
            format!("{}/{name}", self.0.display())
        }
    }

    impl Drop for TempDir {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
