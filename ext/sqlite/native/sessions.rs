//! Sessions: what a connection changes, recorded as changesets, and changesets applied.
//! <https://sqlite.org/sessionintro.html>

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;

use engine::{JsResult, Local, OpError, Resource, Scope, op};
use sqlite_sys as sql;

use crate::connection::{Connection, connection, name_of};
use crate::errors::{Failure, invalid_state, text};
use crate::session_ffi as ffi;

/// A session; null once closed.
pub(crate) struct Session {
    connection: Rc<Connection>,
    /// Of the connection when it was made.
    generation: u32,
    raw: Cell<*mut ffi::SessionHandle>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.free();
    }
}

impl Session {
    fn free(&self) {
        let raw = self.raw.replace(ptr::null_mut());
        if !raw.is_null() && self.connection.remove_session(raw, self.generation) {
            // SAFETY: the connection has not freed it.
            unsafe { ffi::sqlite3session_delete(raw) };
        }
    }

    fn handle(&self) -> Result<*mut ffi::SessionHandle, OpError> {
        self.connection.handle()?;
        if self.generation != self.connection.generation() {
            return Err(invalid_state("database is not open"));
        }
        let raw = self.raw.get();
        if raw.is_null() { Err(invalid_state("session is not open")) } else { Ok(raw) }
    }
}

/// Begins to record changes of a table, or of all tables, of a schema.
#[op(ts(db = "Native.Connection", returns = "Native.Session"))]
pub(crate) fn create_session<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    table: Option<String>,
    schema: String,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let (schema, table) = (name_of(&schema), table.map(|table| name_of(&table)));
    let mut raw = ptr::null_mut();
    // SAFETY: an open connection.
    let mut code = unsafe { ffi::sqlite3session_create(handle, schema.as_ptr(), &raw mut raw) };
    if code == sql::SQLITE_OK {
        let table = table.as_ref().map_or(ptr::null(), |table| table.as_ptr());
        // SAFETY: a session that was just made.
        code = unsafe { ffi::sqlite3session_attach(raw, table) };
        if code != sql::SQLITE_OK {
            // SAFETY: as above.
            unsafe { ffi::sqlite3session_delete(raw) };
        }
    }
    if code != sql::SQLITE_OK {
        return Err(Failure::of_code(code).throw(scope, connection.node));
    }
    connection.add_session(raw);
    let object =
        scope.new_resource(Session { generation: connection.generation(), connection, raw: Cell::new(raw) })?;
    scope.set_companion(object, db);
    Ok(object)
}

/// What was recorded so far, as a changeset or as a patchset.
#[op(ts(session = "Native.Session", returns = "Uint8Array"))]
pub(crate) fn session_changes<'s>(scope: &mut Scope<'s>, session: Local<'s>, is_patch: bool) -> JsResult<Local<'s>> {
    let object = session;
    let Some(session) = scope.resource::<Session>(object) else {
        return Err(scope.throw_type_error("native function expected a session"));
    };
    let raw = session.handle().map_err(|error| scope.throw_op_error(&error))?;
    let db = scope.companion(object);
    let (mut length, mut data) = (0, ptr::null_mut());
    // Old rows are read by statements, which an authorizer sees.
    let code = session.connection.run(scope, db, false, || {
        // SAFETY: an open session.
        unsafe {
            if is_patch {
                ffi::sqlite3session_patchset(raw, &raw mut length, &raw mut data)
            } else {
                ffi::sqlite3session_changeset(raw, &raw mut length, &raw mut data)
            }
        }
    });
    let bytes = if data.is_null() {
        Vec::new()
    } else {
        // SAFETY: so many bytes, which are copied and freed.
        unsafe {
            let bytes = std::slice::from_raw_parts(data.cast::<u8>(), length as usize).to_vec();
            sql::sqlite3_free(data);
            bytes
        }
    };
    let code = code?;
    if code != sql::SQLITE_OK {
        return Err(Failure::of_code(code).throw(scope, session.connection.node));
    }
    scope.uint8_array(bytes)
}

/// Ends a session.
#[op]
pub(crate) fn close_session(session: &Resource<Session>) -> Result<(), OpError> {
    session.handle()?;
    session.free();
    Ok(())
}

/// What the callbacks of `apply_changeset` need.
struct Applying<'a> {
    connection: &'a Connection,
    filter: Local<'a>,
    on_conflict: Local<'a>,
}

unsafe extern "C" fn is_wanted(applying: *mut c_void, table: *const c_char) -> c_int {
    // SAFETY: the value that lives during the call of SQLite that calls this.
    let applying = unsafe { &*applying.cast::<Applying<'_>>() };
    let answer = applying.connection.callback(|scope, _| {
        let table = scope.string(&text(table))?;
        Ok(scope.call_function(applying.filter, &[table])?.truthy())
    });
    c_int::from(answer == Some(true))
}

/// SQLITE_CHANGESET_ABORT of sqlite3session.h.
const ABORT: c_int = 2;

unsafe extern "C" fn conflict(applying: *mut c_void, kind: c_int, _: *mut ffi::ChangesetIter) -> c_int {
    // SAFETY: as above.
    let applying = unsafe { &*applying.cast::<Applying<'_>>() };
    if !applying.on_conflict.is_callable() {
        return ABORT;
    }
    let answer = applying.connection.callback(|scope, _| {
        let kind = scope.int(kind);
        let answer = scope.call_function(applying.on_conflict, &[kind])?;
        // What is no code is answered with an error of SQLite.
        Ok(answer.as_number().filter(|code| code.fract() == 0.0).map_or(-1, |code| code as c_int))
    });
    answer.unwrap_or(ABORT)
}

/// Applies a changeset; false if it was given up because of a conflict. `filter` says by name which tables are changed, `on_conflict` answers
/// with one of SQLite's codes; undefined for all tables, and for giving up.
#[op(ts(
    db = "Native.Connection",
    filter = "((table: string) => boolean) | undefined",
    on_conflict = "((kind: number) => number) | undefined",
    returns = "boolean"
))]
pub(crate) fn apply_changeset<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    changeset: Vec<u8>,
    filter: Local<'s>,
    on_conflict: Local<'s>,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let mut applying = Applying { connection: &connection, filter, on_conflict };
    let has_filter = filter.is_callable();
    let code = connection.run(scope, db, false, || {
        let filter = has_filter.then_some(is_wanted as _);
        // SAFETY: an open connection; bytes and context live during the call, and SQLite only reads the bytes.
        unsafe {
            ffi::sqlite3changeset_apply(
                handle,
                changeset.len() as c_int,
                changeset.as_ptr().cast_mut().cast(),
                filter,
                Some(conflict),
                (&raw mut applying).cast(),
            )
        }
    })?;
    match code {
        sql::SQLITE_OK => Ok(scope.boolean(true)),
        sql::SQLITE_ABORT => Ok(scope.boolean(false)),
        code => Err(Failure::of_code(code).throw(scope, connection.node)),
    }
}
