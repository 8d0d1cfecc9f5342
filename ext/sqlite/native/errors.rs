//! Errors of SQLite as the errors of `bun:sqlite` (`SQLiteError`) and of `node:sqlite` (`ERR_SQLITE_ERROR`).

use std::ffi::{CStr, c_char, c_int};

use engine::{ErrorKind, Exc, JsResult, OpError, Scope};
use sqlite_sys as sql;

/// What SQLite says about a call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    /// The extended result code.
    code: c_int,
    /// Where in the statement's UTF-8, or -1.
    offset: c_int,
}

/// A text of SQLite; empty for null.
pub(crate) fn text(chars: *const c_char) -> String {
    if chars.is_null() {
        return String::new();
    }
    // SAFETY: SQLite's texts end with a zero byte, and are copied before another call can change them.
    unsafe { CStr::from_ptr(chars) }.to_string_lossy().into_owned()
}

/// The English text of a result code.
pub(crate) fn code_text(code: c_int) -> String {
    // SAFETY: the text is static.
    text(unsafe { sql::sqlite3_errstr(code) })
}

impl Failure {
    /// The last error of a connection.
    pub(crate) fn last(db: *mut sql::sqlite3) -> Failure {
        // SAFETY: an open connection, or one that could not be opened.
        unsafe {
            Failure {
                message: text(sql::sqlite3_errmsg(db)),
                code: sql::sqlite3_extended_errcode(db),
                offset: sql::sqlite3_error_offset(db),
            }
        }
    }

    /// The same error of a statement that is not the first of its text.
    pub(crate) fn behind(mut self, bytes: usize) -> Failure {
        if self.offset >= 0 {
            self.offset += bytes as c_int;
        }
        self
    }

    /// An error that the connection does not remember.
    pub(crate) fn of_code(code: c_int) -> Failure {
        Failure { message: code_text(code), code, offset: -1 }
    }

    /// Throws the error in the form of one of the two modules.
    pub(crate) fn throw(&self, scope: &mut Scope<'_>, node: bool) -> Exc {
        match self.build(scope, node) {
            Ok(exc) | Err(exc) => exc,
        }
    }

    fn build(&self, scope: &mut Scope<'_>, node: bool) -> JsResult<Exc> {
        let error = scope.new_error(ErrorKind::Error, &self.message)?;
        if node {
            let code = scope.string("ERR_SQLITE_ERROR")?;
            scope.set(error, "code", code)?;
            let number = scope.int(self.code);
            scope.set(error, "errcode", number)?;
            let text = scope.string(&code_text(self.code))?;
            scope.set(error, "errstr", text)?;
            return Ok(scope.throw(error));
        }
        let name = scope.string("SQLiteError")?;
        scope.define(error, "name", name, engine::PropertyAttributes::HIDDEN)?;
        if let Some(name) = code_name(self.code) {
            let name = scope.string(name)?;
            scope.set(error, "code", name)?;
        }
        let number = scope.int(self.code);
        scope.set(error, "errno", number)?;
        let offset = scope.int(self.offset);
        scope.set(error, "byteOffset", offset)?;
        Ok(scope.throw(error))
    }
}

/// An error of the state that an object is in.
pub(crate) fn invalid_state(message: impl Into<String>) -> OpError {
    OpError::error(message).code("ERR_INVALID_STATE")
}

macro_rules! code_names {
    ($($name:ident)*) => {
        /// The name of a result code: of an extended one if it has its own, else of the primary one.
        fn code_name(code: c_int) -> Option<&'static str> {
            $(if code == sql::$name { return Some(stringify!($name)); })*
            if code > 0xff { code_name(code & 0xff) } else { None }
        }
    };
}

code_names! {
    SQLITE_ERROR SQLITE_INTERNAL SQLITE_PERM SQLITE_ABORT SQLITE_BUSY SQLITE_LOCKED SQLITE_NOMEM SQLITE_READONLY
    SQLITE_INTERRUPT SQLITE_IOERR SQLITE_CORRUPT SQLITE_NOTFOUND SQLITE_FULL SQLITE_CANTOPEN SQLITE_PROTOCOL
    SQLITE_EMPTY SQLITE_SCHEMA SQLITE_TOOBIG SQLITE_CONSTRAINT SQLITE_MISMATCH SQLITE_MISUSE SQLITE_NOLFS SQLITE_AUTH
    SQLITE_FORMAT SQLITE_RANGE SQLITE_NOTADB SQLITE_NOTICE SQLITE_WARNING SQLITE_ROW SQLITE_DONE
    SQLITE_ERROR_MISSING_COLLSEQ SQLITE_ERROR_RETRY SQLITE_ERROR_SNAPSHOT SQLITE_IOERR_READ SQLITE_IOERR_SHORT_READ
    SQLITE_IOERR_WRITE SQLITE_IOERR_FSYNC SQLITE_IOERR_DIR_FSYNC SQLITE_IOERR_TRUNCATE SQLITE_IOERR_FSTAT
    SQLITE_IOERR_UNLOCK SQLITE_IOERR_RDLOCK SQLITE_IOERR_DELETE SQLITE_IOERR_BLOCKED SQLITE_IOERR_NOMEM
    SQLITE_IOERR_ACCESS SQLITE_IOERR_CHECKRESERVEDLOCK SQLITE_IOERR_LOCK SQLITE_IOERR_CLOSE SQLITE_IOERR_DIR_CLOSE
    SQLITE_IOERR_SHMOPEN SQLITE_IOERR_SHMSIZE SQLITE_IOERR_SHMLOCK SQLITE_IOERR_SHMMAP SQLITE_IOERR_SEEK
    SQLITE_IOERR_DELETE_NOENT SQLITE_IOERR_MMAP SQLITE_IOERR_GETTEMPPATH SQLITE_IOERR_CONVPATH SQLITE_IOERR_VNODE
    SQLITE_IOERR_AUTH SQLITE_IOERR_BEGIN_ATOMIC SQLITE_IOERR_COMMIT_ATOMIC SQLITE_IOERR_ROLLBACK_ATOMIC
    SQLITE_IOERR_DATA SQLITE_IOERR_CORRUPTFS SQLITE_LOCKED_SHAREDCACHE SQLITE_LOCKED_VTAB SQLITE_BUSY_RECOVERY
    SQLITE_BUSY_SNAPSHOT SQLITE_BUSY_TIMEOUT SQLITE_CANTOPEN_NOTEMPDIR SQLITE_CANTOPEN_ISDIR SQLITE_CANTOPEN_FULLPATH
    SQLITE_CANTOPEN_CONVPATH SQLITE_CANTOPEN_DIRTYWAL SQLITE_CANTOPEN_SYMLINK SQLITE_CORRUPT_VTAB
    SQLITE_CORRUPT_SEQUENCE SQLITE_CORRUPT_INDEX SQLITE_READONLY_RECOVERY SQLITE_READONLY_CANTLOCK
    SQLITE_READONLY_ROLLBACK SQLITE_READONLY_DBMOVED SQLITE_READONLY_CANTINIT SQLITE_READONLY_DIRECTORY
    SQLITE_ABORT_ROLLBACK SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_COMMITHOOK SQLITE_CONSTRAINT_FOREIGNKEY
    SQLITE_CONSTRAINT_FUNCTION SQLITE_CONSTRAINT_NOTNULL SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_CONSTRAINT_TRIGGER
    SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_VTAB SQLITE_CONSTRAINT_ROWID SQLITE_CONSTRAINT_PINNED
    SQLITE_CONSTRAINT_DATATYPE SQLITE_NOTICE_RECOVER_WAL SQLITE_NOTICE_RECOVER_ROLLBACK SQLITE_WARNING_AUTOINDEX
    SQLITE_AUTH_USER
}
