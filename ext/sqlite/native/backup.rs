//! Online backups: a database is copied page by page while it is used. <https://sqlite.org/backup.html>
//!
//! The pages are copied on the thread of the connection, some at a time: nothing else may use the connection.

use std::cell::Cell;
use std::ptr;
use std::rc::Rc;

use engine::{JsResult, Local, OpError, Resource, Scope, op};
use sqlite_sys as sql;

use crate::connection::{Connection, connection, name_of, open_raw, path_of};
use crate::errors::{Failure, invalid_state};

/// A copy that is under way. The connection that is copied stops it when it closes.
pub(crate) struct Copying {
    raw: Cell<*mut sql::sqlite3_backup>,
    target: Cell<*mut sql::sqlite3>,
}

impl Copying {
    /// Ends the copy and closes its file; what was copied by halves is rolled back.
    pub(crate) fn stop(&self) {
        // SAFETY: both are freed once.
        unsafe {
            let raw = self.raw.replace(ptr::null_mut());
            if !raw.is_null() {
                sql::sqlite3_backup_finish(raw);
            }
            let target = self.target.replace(ptr::null_mut());
            if !target.is_null() {
                sql::sqlite3_close(target);
            }
        }
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The copy, and the connection that is copied: it stays open as long as this.
pub(crate) struct Backup {
    copying: Rc<Copying>,
    connection: Rc<Connection>,
}

/// Begins to copy a schema of a database into a schema of a file. Options of the file are those of sqlite3_open_v2.
#[op(ts(db = "Native.Connection", path = "string | Uint8Array", returns = "Native.Backup"))]
pub(crate) fn backup_start<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    path: Local<'s>,
    flags: i32,
    source: String,
    target: String,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let node = connection.node;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let path = path_of(scope, path)?;
    let file = open_raw(&path, flags).map_err(|failure| failure.throw(scope, node))?;
    let (source, target) = (name_of(&source), name_of(&target));
    // SAFETY: two open connections.
    let raw = unsafe { sql::sqlite3_backup_init(file, target.as_ptr(), handle, source.as_ptr()) };
    if raw.is_null() {
        let failure = Failure::last(file);
        // SAFETY: nobody else has it.
        unsafe { sql::sqlite3_close(file) };
        return Err(failure.throw(scope, node));
    }
    let copying = Rc::new(Copying { raw: Cell::new(raw), target: Cell::new(file) });
    connection.add_backup(&copying);
    let object = scope.new_resource(Backup { copying, connection })?;
    scope.set_companion(object, db);
    Ok(object)
}

/// Copies so many pages, all if negative: `[how it stands, pages left, pages in all]`. It stands 0: more is to do, 1: done, 2: somebody
/// has locked one of the databases.
#[op(ts(backup = "Native.Backup", returns = "[number, number, number]"))]
pub(crate) fn backup_step<'s>(scope: &mut Scope<'s>, backup: Local<'s>, pages: i32) -> JsResult<Local<'s>> {
    let Some(backup) = scope.resource::<Backup>(backup) else {
        return Err(scope.throw_type_error("native function expected a backup"));
    };
    let raw = backup.copying.raw.get();
    if raw.is_null() {
        let error: OpError = invalid_state("database is not open");
        return Err(scope.throw_op_error(&error));
    }
    // SAFETY: a backup that has not ended.
    let (code, left, all) = unsafe {
        let code = sql::sqlite3_backup_step(raw, pages);
        (code, sql::sqlite3_backup_remaining(raw), sql::sqlite3_backup_pagecount(raw))
    };
    let stands = match code {
        sql::SQLITE_OK => 0,
        sql::SQLITE_DONE => 1,
        sql::SQLITE_BUSY | sql::SQLITE_LOCKED => 2,
        code => {
            backup.copying.stop();
            return Err(Failure::of_code(code).throw(scope, backup.connection.node));
        }
    };
    if stands == 1 {
        backup.copying.stop();
    }
    let items = [scope.int(stands), scope.int(left), scope.int(all)];
    scope.new_array(&items)
}

/// Gives a copy up.
#[op]
pub(crate) fn backup_stop(backup: &Resource<Backup>) {
    backup.copying.stop();
}
