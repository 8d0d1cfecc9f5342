//! [SQLite](https://sqlite.org/cintro.html): the bindings of libsqlite3-sys, and the library as build.rs compiles it.

pub use libsqlite3_sys::*;

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    /// The bindings are those of the library that is linked.
    #[test]
    fn versions_agree() {
        // SAFETY: a static text.
        let version = unsafe { CStr::from_ptr(sqlite3_libversion()) };
        assert_eq!(version, SQLITE_VERSION);
    }

    /// What `bun:sqlite` and `node:sqlite` take for granted.
    #[test]
    fn options_are_on() {
        let options: [&CStr; 7] = [
            c"ENABLE_SESSION",
            c"ENABLE_PREUPDATE_HOOK",
            c"ENABLE_FTS5",
            c"ENABLE_RTREE",
            c"ENABLE_STAT4",
            c"ENABLE_MATH_FUNCTIONS",
            c"ENABLE_UPDATE_DELETE_LIMIT",
        ];
        for option in options {
            // SAFETY: a text that ends with a zero byte.
            assert_eq!(unsafe { sqlite3_compileoption_used(option.as_ptr()) }, 1, "{option:?}");
        }
        // SAFETY: as above.
        assert_eq!(unsafe { sqlite3_compileoption_used(c"DEFAULT_FOREIGN_KEYS".as_ptr()) }, 0);
    }
}
