//! [SQLite](https://sqlite.org/cintro.html): the bindings of libsqlite3-sys, and the library as build.rs compiles it.

use std::ffi::{c_int, c_void};

pub use libsqlite3_sys::*;

/// The value of a column, by its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub union RowValue {
    /// `SQLITE_INTEGER`
    pub integer: i64,
    /// `SQLITE_FLOAT`
    pub real: f64,
    /// `SQLITE_TEXT` (UTF-8) and `SQLITE_BLOB`: good until the next step. Null for one of no bytes, and where memory is out.
    pub data: *const c_void,
}

/// A column of a row, as [`bao_row`] writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RowColumn {
    /// Not written for `SQLITE_NULL`.
    pub value: RowValue,
    /// Bytes of `data`; not written for other types.
    pub length: c_int,
    /// One of SQLite's fundamental types.
    pub kind: c_int,
}

unsafe extern "C" {
    /// The number of columns of the row that a statement is at, 0 if it is at none; writes the first `most` of them.
    pub fn bao_row(statement: *mut sqlite3_stmt, columns: *mut RowColumn, most: c_int) -> c_int;
}

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

    /// Every type of value is read as by the public interface, also of a database in UTF-16, and nothing behind `most` is written.
    #[test]
    fn rows_are_read_by_one_call() {
        // SAFETY: handles that are open until the end; texts are read before the next step.
        unsafe {
            let mut db = std::ptr::null_mut();
            assert_eq!(sqlite3_open(c":memory:".as_ptr(), &raw mut db), SQLITE_OK);
            let none = std::ptr::null_mut();
            let setup = c"pragma encoding = 'UTF-16'; create table t(a, b, c, d, e, f);
                insert into t values (-5, 2.5, 'd\u{e4}', x'0102', null, zeroblob(3)), (1 << 40, -0.0, '', x'', 'x', 1)";
            assert_eq!(sqlite3_exec(db, setup.as_ptr(), None, none, std::ptr::null_mut()), SQLITE_OK);
            let mut statement = std::ptr::null_mut();
            let text = c"select * from t".as_ptr();
            assert_eq!(sqlite3_prepare_v2(db, text, -1, &raw mut statement, std::ptr::null_mut()), SQLITE_OK);
            let unwritten = RowColumn { value: RowValue { integer: 77 }, length: 77, kind: 77 };
            let mut row = [unwritten; 7];
            assert_eq!(bao_row(statement, row.as_mut_ptr(), 7), 0);
            let bytes = |column: &RowColumn| {
                let data = column.value.data.cast::<u8>();
                if data.is_null() { &[][..] } else { std::slice::from_raw_parts(data, column.length as usize) }
            };
            assert_eq!(sqlite3_step(statement), SQLITE_ROW);
            assert_eq!(bao_row(statement, row.as_mut_ptr(), 2), 6);
            assert_eq!((row[0].kind, row[0].value.integer), (SQLITE_INTEGER, -5));
            assert_eq!((row[1].kind, row[1].value.real), (SQLITE_FLOAT, 2.5));
            assert_eq!(row[2].kind, 77);
            assert_eq!(bao_row(statement, row.as_mut_ptr(), 7), 6);
            assert_eq!((row[2].kind, bytes(&row[2])), (SQLITE_TEXT, "d\u{e4}".as_bytes()));
            assert_eq!((row[3].kind, bytes(&row[3])), (SQLITE_BLOB, &[1, 2][..]));
            assert_eq!(row[4].kind, SQLITE_NULL);
            assert_eq!((row[5].kind, bytes(&row[5])), (SQLITE_BLOB, &[0, 0, 0][..]));
            assert_eq!(row[6].kind, 77);
            assert_eq!(sqlite3_step(statement), SQLITE_ROW);
            assert_eq!(bao_row(statement, row.as_mut_ptr(), 7), 6);
            assert_eq!((row[0].kind, row[0].value.integer), (SQLITE_INTEGER, 1 << 40));
            assert_eq!((row[2].kind, bytes(&row[2])), (SQLITE_TEXT, &[][..]));
            assert_eq!((row[3].kind, bytes(&row[3])), (SQLITE_BLOB, &[][..]));
            assert_eq!(sqlite3_step(statement), SQLITE_DONE);
            assert_eq!(bao_row(statement, row.as_mut_ptr(), 7), 0);
            assert_eq!(sqlite3_finalize(statement), SQLITE_OK);
            assert_eq!(sqlite3_close(db), SQLITE_OK);
        }
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
