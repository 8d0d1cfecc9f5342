//! What libsqlite3-sys leaves out: sqlite3_close_v2, and the part of sqlite3session.h that is used, which it
//! declares only if it generates its bindings itself.
//! <https://sqlite.org/session/intro.html>

use std::ffi::{c_char, c_int, c_void};

use sqlite_sys::sqlite3;

/// An open session; only behind a pointer.
#[repr(C)]
pub(crate) struct SessionHandle {
    _private: [u8; 0],
}

/// A position in a changeset; only behind a pointer.
#[repr(C)]
pub(crate) struct ChangesetIter {
    _private: [u8; 0],
}

unsafe extern "C" {
    /// Closes a connection also if something of it is still in use: then when that ends.
    pub(crate) fn sqlite3_close_v2(db: *mut sqlite3) -> c_int;
    pub(crate) fn sqlite3session_create(db: *mut sqlite3, schema: *const c_char, out: *mut *mut SessionHandle)
    -> c_int;
    pub(crate) fn sqlite3session_delete(session: *mut SessionHandle);
    pub(crate) fn sqlite3session_attach(session: *mut SessionHandle, table: *const c_char) -> c_int;
    pub(crate) fn sqlite3session_changeset(
        session: *mut SessionHandle,
        length: *mut c_int,
        out: *mut *mut c_void,
    ) -> c_int;
    pub(crate) fn sqlite3session_patchset(
        session: *mut SessionHandle,
        length: *mut c_int,
        out: *mut *mut c_void,
    ) -> c_int;
    pub(crate) fn sqlite3changeset_apply(
        db: *mut sqlite3,
        length: c_int,
        changeset: *mut c_void,
        filter: Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int>,
        conflict: Option<unsafe extern "C" fn(*mut c_void, c_int, *mut ChangesetIter) -> c_int>,
        context: *mut c_void,
    ) -> c_int;
}
