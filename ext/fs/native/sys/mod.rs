//! File-system work as plain functions over bytes and descriptors; nothing here knows of JavaScript.

pub mod copy;
pub mod dir;
pub mod error;
pub mod file;
pub mod links;
pub mod mounts;
pub mod open_beneath;
pub mod path;
pub mod read_small;
pub mod realpath;
pub mod remove;
pub mod stat;
pub mod text;
pub mod watch;

#[cfg(test)]
pub(crate) mod testing {
    use super::path::FsPath;

    /// A directory of one test, removed at its end.
    pub struct TempDir(pub std::path::PathBuf);

    impl TempDir {
        pub fn new() -> TempDir {
            use std::sync::atomic::{AtomicU32, Ordering};
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let name = format!("bao-fs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let dir = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&dir).unwrap();
            TempDir(dir)
        }

        /// The path of `name` inside.
        pub fn path(&self, name: &str) -> FsPath {
            FsPath::from_bytes(self.text(name).as_bytes()).unwrap()
        }

        pub fn text(&self, name: &str) -> String {
            format!("{}/{name}", self.0.display())
        }
    }

    impl Drop for TempDir {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
