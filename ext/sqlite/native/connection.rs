//! Connections: opening, closing, settings, and the way from a callback of SQLite back to the JavaScript that is running.
//!
//! A connection belongs to the thread that opened it, and nothing else calls SQLite for it, so that it is opened without a mutex. JavaScript
//! functions that SQLite calls (functions, hooks, the authorizer) lie in an array that is the companion of the connection's resource
//! object: the collector sees them, and a connection and closures over it can go together.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;
use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::{Rc, Weak};

use engine::{Exc, JsResult, Local, OpError, Resource, RowTemplate, Scope, op};
use sqlite_sys as sql;

use crate::backup::Copying;
use crate::errors::{Failure, invalid_state, text};
use crate::session_ffi::{SessionHandle, sqlite3_close_v2, sqlite3session_delete};

/// Places in the array of callbacks before those of functions.
pub(crate) const AUTHORIZER: u32 = 0;
pub(crate) const UPDATE_HOOK: u32 = 1;
const FIRST_FUNCTION: u32 = 2;

/// An open or closed connection.
pub(crate) struct Connection {
    /// Null once closed.
    db: Cell<*mut sql::sqlite3>,
    /// Whether errors and values are those of `node:sqlite`.
    pub(crate) node: bool,
    /// The innermost op that runs SQLite on this connection.
    frame: Cell<*mut Frame>,
    /// The exception that a callback threw during that op.
    thrown: Cell<Option<Exc>>,
    /// What must be freed before the connection can be closed.
    statements: RefCell<HashSet<*mut sql::sqlite3_stmt>>,
    sessions: RefCell<HashSet<*mut SessionHandle>>,
    backups: RefCell<Vec<Weak<Copying>>>,
    /// Counts how often all statements and sessions were freed: those of an earlier number are gone.
    generation: Cell<u32>,
    /// Places in the array of callbacks.
    free_places: RefCell<Vec<u32>>,
    next_place: Cell<u32>,
    /// The template of what `run` gives.
    pub(crate) changes: OnceCell<RowTemplate>,
    number: u32,
}

/// What a callback needs of the op that it is called under.
struct Frame {
    scope: *mut Scope<'static>,
    /// The resource object of the connection, or of one of its statements.
    object: Local<'static>,
    is_statement: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shut();
    }
}

impl Connection {
    /// The handle of an open connection.
    pub(crate) fn handle(&self) -> Result<*mut sql::sqlite3, OpError> {
        let db = self.db.get();
        if !db.is_null() {
            return Ok(db);
        }
        Err(if self.node { invalid_state("database is not open") } else { OpError::error("Database has closed") })
    }

    /// The same for `bun:sqlite`'s statements, which cannot be made inside of a function that SQLite calls.
    pub(crate) fn idle_handle(&self) -> Result<*mut sql::sqlite3, OpError> {
        let db = self.handle()?;
        if !self.node && self.is_busy() {
            return Err(self.busy());
        }
        Ok(db)
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.db.get().is_null()
    }

    /// Whether SQLite is running and has called JavaScript.
    pub(crate) fn is_busy(&self) -> bool {
        !self.frame.get().is_null()
    }

    /// The error of a call that is not possible inside of a callback.
    pub(crate) fn busy(&self) -> OpError {
        let message = "This database connection is busy executing a query";
        if self.node { invalid_state(message) } else { OpError::type_error(message) }
    }

    /// The error of the last call of SQLite, as an exception.
    pub(crate) fn fail(&self, scope: &mut Scope<'_>) -> Exc {
        Failure::last(self.db.get()).throw(scope, self.node)
    }

    /// Runs `call`, which calls SQLite and nothing of the engine. A callback finds `scope` meanwhile; what it throws is the error.
    #[inline]
    pub(crate) fn run<'s, R>(
        &self,
        scope: &mut Scope<'s>,
        object: Local<'s>,
        is_statement: bool,
        call: impl FnOnce() -> R,
    ) -> Result<R, Exc> {
        // SAFETY: only the lifetime changes. The frame is unlinked below, before `scope` or `object` can end, and `scope` is
        // not used otherwise while a callback can use it.
        let object: Local<'static> = unsafe { std::mem::transmute::<Local<'s>, Local<'static>>(object) };
        let mut frame = Frame { scope: ptr::from_mut(scope).cast(), object, is_statement };
        let outer = self.frame.replace(&raw mut frame);
        let result = call();
        self.frame.set(outer);
        match self.thrown.take() {
            Some(exc) => Err(exc),
            None => Ok(result),
        }
    }

    /// Runs `body` as part of the op that SQLite runs under, with the array of callbacks. `None`: no op runs, an earlier callback has thrown, or
    /// `body` has. The exception waits until SQLite has returned.
    pub(crate) fn callback<R>(&self, body: impl for<'i> FnOnce(&mut Scope<'i>, Local<'i>) -> JsResult<R>) -> Option<R> {
        let frame = self.frame.get();
        if frame.is_null() || self.thrown.get().is_some() {
            return None;
        }
        // SAFETY: a linked frame is alive, and its op waits for SQLite, which has called this.
        let (scope, object, is_statement) = unsafe { (&mut *(*frame).scope, (*frame).object, (*frame).is_statement) };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            scope.nested(|inner| {
                let mut object = inner.copy(object);
                if is_statement {
                    object = inner.companion(object);
                }
                let callbacks = inner.companion(object);
                body(inner, callbacks)
            })
        }));
        match outcome {
            Ok(Ok(value)) => Some(value),
            Ok(Err(exc)) => {
                self.thrown.set(Some(exc));
                None
            }
            Err(_) => {
                // SAFETY: as above.
                let scope = unsafe { &mut *(*frame).scope };
                let exc =
                    scope.throw_error("internal error in bao: a callback of SQLite panicked. This is a bug in bao.");
                self.thrown.set(Some(exc));
                None
            }
        }
    }

    /// Runs `call` as if no op ran: functions are not called, for the drop of an object.
    pub(crate) fn silently(&self, call: impl FnOnce()) {
        let frame = self.frame.replace(ptr::null_mut());
        call();
        self.frame.set(frame);
    }

    /// The generation that a new statement or session belongs to.
    pub(crate) fn generation(&self) -> u32 {
        self.generation.get()
    }

    pub(crate) fn add_statement(&self, statement: *mut sql::sqlite3_stmt) {
        self.statements.borrow_mut().insert(statement);
    }

    /// Whether the statement was still there. Memory of one that is gone may be that of another one by now.
    pub(crate) fn remove_statement(&self, statement: *mut sql::sqlite3_stmt, generation: u32) -> bool {
        generation == self.generation() && self.statements.borrow_mut().remove(&statement)
    }

    pub(crate) fn add_session(&self, session: *mut SessionHandle) {
        self.sessions.borrow_mut().insert(session);
    }

    /// Whether the session was still there.
    pub(crate) fn remove_session(&self, session: *mut SessionHandle, generation: u32) -> bool {
        generation == self.generation() && self.sessions.borrow_mut().remove(&session)
    }

    pub(crate) fn add_backup(&self, backup: &Rc<Copying>) {
        let mut backups = self.backups.borrow_mut();
        backups.retain(|known| known.strong_count() > 0);
        backups.push(Rc::downgrade(backup));
    }

    /// A place in the array of callbacks for a function.
    pub(crate) fn take_place(&self) -> u32 {
        self.free_places.borrow_mut().pop().unwrap_or_else(|| {
            let place = self.next_place.get();
            self.next_place.set(place + 1);
            place
        })
    }

    /// SQLite has let go of the function at this place.
    pub(crate) fn give_back_place(&self, place: u32) {
        self.free_places.borrow_mut().push(place);
        self.callback(|scope, callbacks| {
            let nothing = scope.undefined();
            scope.set_index(callbacks, place, nothing)
        });
    }

    /// Frees all statements and sessions. None may be running.
    fn free_dependents(&self) {
        self.generation.set(self.generation().wrapping_add(1));
        let statements = std::mem::take(&mut *self.statements.borrow_mut());
        let sessions = std::mem::take(&mut *self.sessions.borrow_mut());
        // SAFETY: all of them belong to this connection, and are freed once: those that own them ask `remove_...` first.
        unsafe {
            for statement in statements {
                sql::sqlite3_finalize(statement);
            }
            for session in sessions {
                sqlite3session_delete(session);
            }
        }
    }

    /// Frees everything and closes the connection. A transaction that is open is rolled back.
    fn shut(&self) {
        let db = self.db.get();
        if db.is_null() {
            return;
        }
        let frame = self.frame.replace(ptr::null_mut());
        self.free_dependents();
        let backups = std::mem::take(&mut *self.backups.borrow_mut());
        for backup in backups.iter().filter_map(Weak::upgrade) {
            backup.stop();
        }
        // SAFETY: nothing of this connection is left.
        unsafe { sqlite3_close_v2(db) };
        self.db.set(ptr::null_mut());
        self.frame.set(frame);
    }
}

/// A path as SQLite takes it.
pub(crate) fn path_of(scope: &mut Scope<'_>, path: Local<'_>) -> JsResult<CString> {
    let bytes = if path.is_string() {
        scope.to_string(path)?.into_bytes()
    } else {
        scope.bytes(path).unwrap_or_default().to_vec()
    };
    CString::new(bytes).map_err(|_| scope.throw_type_error("a database path has no null bytes"))
}

/// A name for SQLite; the part behind a null byte is never seen by it.
pub(crate) fn name_of(name: &str) -> CString {
    CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// Counts connections of the thread, for `Database.handle`.
#[derive(Default)]
struct Count(u32);

pub(crate) fn open_raw(path: &CString, flags: c_int) -> Result<*mut sql::sqlite3, Failure> {
    let mut db = ptr::null_mut();
    let mutex = if flags & sql::SQLITE_OPEN_FULLMUTEX == 0 { sql::SQLITE_OPEN_NOMUTEX } else { 0 };
    // SAFETY: a path that ends with a zero byte; the handle is closed also if opening failed.
    unsafe {
        if sql::sqlite3_open_v2(path.as_ptr(), &raw mut db, flags | mutex, ptr::null()) != sql::SQLITE_OK {
            let failure = Failure::last(db);
            sql::sqlite3_close(db);
            return Err(failure);
        }
        sql::sqlite3_extended_result_codes(db, 1);
    }
    Ok(db)
}

fn new_connection<'s>(scope: &mut Scope<'s>, db: *mut sql::sqlite3, node: bool) -> JsResult<Local<'s>> {
    let count = scope.state().get_or_default::<Count>();
    count.0 += 1;
    let connection = Rc::new(Connection {
        db: Cell::new(db),
        node,
        frame: Cell::new(ptr::null_mut()),
        thrown: Cell::new(None),
        statements: RefCell::default(),
        sessions: RefCell::default(),
        backups: RefCell::default(),
        generation: Cell::new(0),
        free_places: RefCell::default(),
        next_place: Cell::new(FIRST_FUNCTION),
        changes: OnceCell::new(),
        number: count.0,
    });
    let object = scope.new_resource(connection)?;
    let callbacks = scope.new_array(&[])?;
    scope.set_companion(object, callbacks);
    /// About what SQLite allocates for a connection, so that a program that drops many is collected in time.
    const BYTES: usize = 64 * 1024;
    scope.set_resource_bytes(object, BYTES);
    Ok(object)
}

/// The connection of a resource object.
pub(crate) fn connection(scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<Rc<Connection>> {
    match scope.read_resource(object, Rc::<Connection>::clone) {
        Some(connection) => Ok(connection),
        None => Err(scope.throw_type_error("native function expected a database")),
    }
}

/// Opens a database file: `path` is a string or bytes, `flags` those of sqlite3_open_v2, `node` says whose errors and
/// values there are.
#[op(ts(path = "string | Uint8Array", returns = "Native.Connection"))]
pub(crate) fn open<'s>(scope: &mut Scope<'s>, path: Local<'s>, flags: i32, node: bool) -> JsResult<Local<'s>> {
    let path = path_of(scope, path)?;
    match open_raw(&path, flags) {
        Ok(db) => new_connection(scope, db, node),
        Err(failure) => Err(failure.throw(scope, node)),
    }
}

/// Opens a database in memory that has the content of a file.
#[op(ts(returns = "Native.Connection"))]
pub(crate) fn deserialize<'s>(
    scope: &mut Scope<'s>,
    bytes: Vec<u8>,
    read_only: bool,
    node: bool,
) -> JsResult<Local<'s>> {
    let flags = sql::SQLITE_OPEN_READWRITE | sql::SQLITE_OPEN_CREATE;
    let db = open_raw(&CString::from(c":memory:"), flags).map_err(|failure| failure.throw(scope, node))?;
    let object = new_connection(scope, db, node)?;
    let how = if read_only { sql::SQLITE_DESERIALIZE_READONLY } else { sql::SQLITE_DESERIALIZE_RESIZEABLE };
    // SAFETY: a connection that was just opened.
    let code = unsafe { fill(db, c"main", &bytes, how) };
    if code == sql::SQLITE_OK { Ok(object) } else { Err(Failure::of_code(code).throw(scope, node)) }
}

/// Puts a copy of a file's content into the place of a schema; `how` says whether it may be changed. Gives SQLite's code.
///
/// # Safety
/// `db` is an open connection that no other call uses.
unsafe fn fill(db: *mut sql::sqlite3, schema: &CStr, bytes: &[u8], how: u32) -> c_int {
    let length = bytes.len() as i64;
    let how = sql::SQLITE_DESERIALIZE_FREEONCLOSE | how;
    // SAFETY: memory of sqlite3_malloc64 that SQLite frees, also if this fails.
    unsafe {
        let data = sql::sqlite3_malloc64(bytes.len() as u64).cast::<u8>();
        if data.is_null() {
            return sql::SQLITE_NOMEM;
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        sql::sqlite3_deserialize(db, schema.as_ptr(), data, length, length, how as _)
    }
}

/// Puts the content of a file into the place of a schema of an open connection. Statements and sessions are gone then, also if this
/// fails. An error inside of a function that SQLite calls.
#[op(ts(db = "Native.Connection", returns = "void"))]
pub(crate) fn deserialize_into<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    schema: String,
    bytes: Vec<u8>,
) -> JsResult<Local<'s>> {
    let shared = connection(scope, db)?;
    let handle = shared.handle().map_err(|error| scope.throw_op_error(&error))?;
    if shared.is_busy() {
        let error: OpError = invalid_state("cannot deserialize database while a statement is executing");
        return Err(scope.throw_op_error(&error));
    }
    shared.free_dependents();
    let schema = name_of(&schema);
    let code = shared.run(scope, db, false, || {
        // SAFETY: an open connection of this thread that runs no statement. The authorizer, which may be asked, cannot close it.
        unsafe { fill(handle, &schema, &bytes, sql::SQLITE_DESERIALIZE_RESIZEABLE) }
    })?;
    match code {
        sql::SQLITE_OK => Ok(scope.undefined()),
        // Of a schema that does not exist SQLite remembers nothing.
        sql::SQLITE_ERROR => Err(Failure::of_code(code).throw(scope, shared.node)),
        _ => Err(shared.fail(scope)),
    }
}

/// The content of a schema as a file has it; undefined if there is no such schema or no memory for it.
#[op]
pub(crate) fn serialize(db: &Resource<Rc<Connection>>, schema: String) -> Result<Option<Vec<u8>>, OpError> {
    let handle = db.idle_handle()?;
    let mut length = 0;
    let schema = name_of(&schema);
    // SAFETY: an open connection; the memory is copied and freed.
    unsafe {
        let data = sql::sqlite3_serialize(handle, schema.as_ptr(), &raw mut length, 0);
        if data.is_null() {
            // A database in memory that nothing was written to has no bytes at all.
            return Ok(None);
        }
        let bytes = std::slice::from_raw_parts(data, length as usize).to_vec();
        sql::sqlite3_free(data.cast());
        Ok(Some(bytes))
    }
}

/// Closes a connection with its statements, sessions and backups; closing again does nothing. An error inside of a function that
/// SQLite calls.
#[op]
pub(crate) fn close(db: &Resource<Rc<Connection>>) -> Result<(), OpError> {
    if db.is_busy() {
        return Err(db.busy());
    }
    db.shut();
    Ok(())
}

/// Whether the connection is open.
#[op]
pub(crate) fn is_open(db: &Resource<Rc<Connection>>) -> bool {
    db.is_open()
}

/// A number that belongs to this connection in this thread; 0 if it is closed.
#[op]
pub(crate) fn handle_number(db: &Resource<Rc<Connection>>) -> u32 {
    if db.is_open() { db.number } else { 0 }
}

/// Whether a transaction is open.
#[op]
pub(crate) fn in_transaction(db: &Resource<Rc<Connection>>) -> Result<bool, OpError> {
    let handle = db.handle()?;
    // SAFETY: an open connection.
    Ok(unsafe { sql::sqlite3_get_autocommit(handle) == 0 })
}

/// The file of a schema; undefined for a database in memory and for no such schema.
#[op]
pub(crate) fn location(db: &Resource<Rc<Connection>>, schema: String) -> Result<Option<String>, OpError> {
    let handle = db.handle()?;
    let schema = name_of(&schema);
    // SAFETY: an open connection; the text is copied.
    let name = text(unsafe { sql::sqlite3_db_filename(handle, schema.as_ptr()) });
    Ok((!name.is_empty()).then_some(name))
}

/// Sets a switch of sqlite3_db_config to 0 or 1.
#[op]
pub(crate) fn configure(db: &Resource<Rc<Connection>>, option: i32, on: bool) -> Result<(), OpError> {
    let handle = db.handle()?;
    let mut now: c_int = 0;
    // SAFETY: the options that are used take an int and the place of one.
    unsafe { sql::sqlite3_db_config(handle, option, c_int::from(on), &raw mut now) };
    Ok(())
}

/// How many milliseconds a call waits for a lock; 0 for not at all.
#[op]
pub(crate) fn busy_timeout(db: &Resource<Rc<Connection>>, milliseconds: i32) -> Result<(), OpError> {
    let handle = db.handle()?;
    // SAFETY: an open connection.
    unsafe { sql::sqlite3_busy_timeout(handle, milliseconds) };
    Ok(())
}

/// Sets a limit of sqlite3_limit, or only reads it if `value` is negative; the limit before.
#[op]
pub(crate) fn limit(db: &Resource<Rc<Connection>>, which: i32, value: i32) -> Result<i32, OpError> {
    let handle = db.handle()?;
    // SAFETY: an open connection.
    Ok(unsafe { sql::sqlite3_limit(handle, which, value) })
}

/// Loads an extension from a shared library. The message of a failure, or undefined.
#[op(ts(db = "Native.Connection", returns = "string | undefined"))]
pub(crate) fn load_extension<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    file: String,
    entry_point: Option<String>,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let file = name_of(&file);
    let entry_point = entry_point.map(|name| name_of(&name));
    let entry_point = entry_point.as_ref().map_or(ptr::null(), |name| name.as_ptr());
    let failure = connection.run(scope, db, false, || {
        let mut message = ptr::null_mut();
        let mut now: c_int = 0;
        // SAFETY: an open connection; the switch is for the C function alone, so that SQL cannot load anything.
        unsafe {
            sql::sqlite3_db_config(handle, sql::SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1 as c_int, &raw mut now);
            let code = sql::sqlite3_load_extension(handle, file.as_ptr(), entry_point, &raw mut message);
            sql::sqlite3_db_config(handle, sql::SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 as c_int, &raw mut now);
            let said = text(message);
            sql::sqlite3_free(message.cast());
            (code != sql::SQLITE_OK).then_some(said)
        }
    })?;
    match failure {
        Some(message) => scope.string(&message),
        None => Ok(scope.undefined()),
    }
}

/// sqlite3_file_control with an int: `[result code, the int afterwards]`.
#[op]
pub(crate) fn file_control_int(
    db: &Resource<Rc<Connection>>,
    schema: Option<String>,
    operation: i32,
    value: i32,
) -> Result<(i32, i32), OpError> {
    let handle = db.handle()?;
    let schema = schema.map(|name| name_of(&name));
    // Some operations write more than an int.
    let mut place = [0u8; 64];
    place[..4].copy_from_slice(&value.to_ne_bytes());
    // SAFETY: an open connection and a place that is large enough for every operation that takes a number.
    let code = unsafe {
        let schema = schema.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        sql::sqlite3_file_control(handle, schema, operation, place.as_mut_ptr().cast())
    };
    Ok((code, i32::from_ne_bytes([place[0], place[1], place[2], place[3]])))
}

/// sqlite3_file_control with bytes that SQLite reads and writes, or with nothing; the result code.
#[op]
pub(crate) fn file_control_bytes(
    db: &Resource<Rc<Connection>>,
    bytes: &mut [u8],
    schema: Option<String>,
    operation: i32,
) -> Result<i32, OpError> {
    let handle = db.handle()?;
    let schema = schema.map(|name| name_of(&name));
    // SAFETY: an open connection. The caller has seen to it that there are as many bytes as the operation takes.
    unsafe {
        let schema = schema.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let place = if bytes.is_empty() { ptr::null_mut() } else { bytes.as_mut_ptr().cast() };
        Ok(sql::sqlite3_file_control(handle, schema, operation, place))
    }
}

/// Throws the error of a result code as `bun:sqlite` has it.
#[op(ts(returns = "never"))]
pub(crate) fn throw_code<'s>(scope: &mut Scope<'s>, code: i32) -> JsResult<Local<'s>> {
    Err(Failure::of_code(code).throw(scope, false))
}
