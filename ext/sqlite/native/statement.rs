//! Statements: preparing, running, and rows.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::{c_char, c_int};
use std::ptr;
use std::rc::Rc;

use engine::{Column, Global, JsResult, Local, OpError, Resource, RowSource, RowTemplate, Scope, TakeColumn, op};
use sqlite_sys as sql;

use crate::bind::{self, Arena, parameter_name};
use crate::connection::{Connection, connection};
use crate::errors::{Failure, invalid_state, text};

/// A prepared statement.
pub(crate) struct Statement {
    pub(crate) connection: Rc<Connection>,
    /// Null once finalized, and for a text without a statement.
    raw: Cell<*mut sql::sqlite3_stmt>,
    /// Of the connection when it was made.
    generation: u32,
    /// Number of parameters.
    pub(crate) parameters: c_int,
    /// Names are given without their sign, and all must be given (`bun:sqlite`).
    pub(crate) strict: bool,
    /// Names may be given without their sign; names that the statement does not have are ignored (`node:sqlite`).
    pub(crate) bare_names: Cell<bool>,
    pub(crate) unknown_names: Cell<bool>,
    big_integers: Cell<bool>,
    arrays: Cell<bool>,
    names: OnceCell<Box<[Option<Box<str>>]>>,
    positional: OnceCell<bool>,
    template: RefCell<Option<Rc<RowTemplate>>>,
    /// The prototype of rows, if they are not plain objects.
    prototype: RefCell<Option<Global>>,
    /// How often SQLite has prepared the statement again, because the schema changed, when the template was made.
    prepared: Cell<c_int>,
    /// Counts runs: an iterator belongs to one.
    runs: Cell<u32>,
    /// Whether there is something to reset.
    active: Cell<bool>,
    /// Whether a step is under way, which has called JavaScript.
    stepping: Cell<bool>,
    pub(crate) arena: RefCell<Arena>,
    /// Memory for the columns of a row.
    columns: RefCell<Vec<sql::RowColumn>>,
}

impl Drop for Statement {
    fn drop(&mut self) {
        self.free();
    }
}

/// What a row is made into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Object,
    Array,
    /// An array of bytes.
    Raw,
}

impl Form {
    fn of(number: u32, arrays: bool) -> Form {
        match number {
            2 => Form::Raw,
            1 => Form::Array,
            _ if arrays => Form::Array,
            _ => Form::Object,
        }
    }
}

/// What a small statement has of SQLite's memory. The collector is told, since programs leave statements to it.
const STATEMENT_BYTES: usize = 4096;

/// Flags of `prepare`.
const STRICT: u32 = 1;
const BIG_INTEGERS: u32 = 2;
const ARRAYS: u32 = 4;
const BARE_NAMES: u32 = 8;
const UNKNOWN_NAMES: u32 = 16;

impl Statement {
    /// A statement that was just made, or null.
    fn new(connection: Rc<Connection>, raw: *mut sql::sqlite3_stmt, flags: u32) -> Statement {
        Statement {
            generation: connection.generation(),
            connection,
            raw: Cell::new(raw),
            // SAFETY: as the caller says; of null there are no parameters.
            parameters: unsafe { sql::sqlite3_bind_parameter_count(raw) },
            strict: flags & STRICT != 0,
            bare_names: Cell::new(flags & BARE_NAMES != 0),
            unknown_names: Cell::new(flags & UNKNOWN_NAMES != 0),
            big_integers: Cell::new(flags & BIG_INTEGERS != 0),
            arrays: Cell::new(flags & ARRAYS != 0),
            names: OnceCell::new(),
            positional: OnceCell::new(),
            template: RefCell::new(None),
            prototype: RefCell::new(None),
            prepared: Cell::new(0),
            runs: Cell::new(0),
            active: Cell::new(false),
            stepping: Cell::new(false),
            arena: RefCell::default(),
            columns: RefCell::default(),
        }
    }

    fn free(&self) {
        let raw = self.raw.replace(ptr::null_mut());
        if !raw.is_null() && self.connection.remove_statement(raw, self.generation) {
            // SAFETY: the connection has not freed it.
            self.connection.silently(|| unsafe {
                sql::sqlite3_finalize(raw);
            });
        }
    }

    /// Whether it was freed, by itself or with all of its connection.
    fn is_gone(&self) -> bool {
        self.raw.get().is_null() || self.generation != self.connection.generation()
    }

    fn is_finalized(&self) -> bool {
        self.is_gone() || !self.connection.is_open()
    }

    /// The handle of a statement that can be used.
    pub(crate) fn try_handle(&self) -> Result<*mut sql::sqlite3_stmt, OpError> {
        if self.connection.node {
            if self.is_finalized() {
                return Err(invalid_state("statement has been finalized"));
            }
        } else if self.raw.get().is_null() || self.connection.is_open() && self.is_gone() {
            return Err(OpError::error("Statement has finalized"));
        } else {
            self.connection.handle()?;
        }
        Ok(self.raw.get())
    }

    pub(crate) fn handle(&self, scope: &mut Scope<'_>) -> JsResult<*mut sql::sqlite3_stmt> {
        self.try_handle().map_err(|error| scope.throw_op_error(&error))
    }

    /// Names of the parameters; `None` for one without.
    pub(crate) fn parameter_names(&self) -> &[Option<Box<str>>] {
        self.names.get_or_init(|| {
            let raw = self.raw.get();
            let raw = if self.is_finalized() { ptr::null_mut() } else { raw };
            (1..=self.parameters).map(|index| if raw.is_null() { None } else { parameter_name(raw, index) }).collect()
        })
    }

    /// Whether no parameter has a name.
    pub(crate) fn is_positional(&self) -> bool {
        *self.positional.get_or_init(|| self.parameter_names().iter().all(Option::is_none))
    }

    pub(crate) fn reads_big_integers(&self) -> bool {
        self.big_integers.get()
    }

    fn column_count(&self) -> usize {
        // SAFETY: an open statement.
        unsafe { sql::sqlite3_column_count(self.raw.get()) as usize }
    }

    fn column_names(&self) -> Vec<String> {
        // SAFETY: an open statement; the names are copied.
        (0..self.column_count() as c_int)
            .map(|index| text(unsafe { sql::sqlite3_column_name(self.raw.get(), index) }))
            .collect()
    }

    /// Ends a run; the result code is that of the last step, or of the commit that a run ends with before its last row.
    fn reset(&self) -> c_int {
        if !self.active.replace(false) || self.is_finalized() {
            return sql::SQLITE_OK;
        }
        let mut code = sql::SQLITE_OK;
        // SAFETY: an open statement.
        self.connection.silently(|| code = unsafe { sql::sqlite3_reset(self.raw.get()) });
        code
    }

    /// Ends a run after a row: what it has changed may fail to be committed.
    fn finish(&self, scope: &mut Scope<'_>) -> JsResult<()> {
        if self.reset() == sql::SQLITE_OK { Ok(()) } else { Err(self.connection.fail(scope)) }
    }

    /// Begins a run: what was under way ends, and parameters are bound.
    fn begin<'s>(&self, scope: &mut Scope<'s>, object: Local<'s>, parameters: Local<'s>) -> JsResult<()> {
        self.handle(scope)?;
        bind::read_and_bind(scope, self, parameters, |scope, count| {
            // Reading the values may have run JavaScript.
            let handle = self.handle(scope)?;
            if self.stepping.get() || !self.connection.node && self.connection.is_busy() {
                return Err(scope.throw_op_error(&self.connection.busy()));
            }
            self.runs.set(self.runs.get().wrapping_add(1));
            if self.active.replace(false) {
                // Ending a run can end aggregate functions.
                // SAFETY: an open statement.
                self.connection.run(scope, object, true, || unsafe { sql::sqlite3_reset(handle) })?;
            }
            if self.connection.node && count < self.parameters as usize {
                // SAFETY: an open statement.
                unsafe { sql::sqlite3_clear_bindings(handle) };
            }
            Ok(())
        })
    }

    /// One step: whether there is a row. An error ends the run.
    #[inline]
    fn step<'s>(&self, scope: &mut Scope<'s>, object: Local<'s>) -> JsResult<bool> {
        let handle = self.raw.get();
        self.active.set(true);
        self.stepping.set(true);
        // SAFETY: an open statement, which nothing frees while it is stepping.
        let code = self.connection.run(scope, object, true, || unsafe { sql::sqlite3_step(handle) });
        self.stepping.set(false);
        match code {
            Ok(sql::SQLITE_ROW) => Ok(true),
            Ok(sql::SQLITE_DONE) => {
                self.reset();
                Ok(false)
            }
            Ok(_) => {
                let exc = self.connection.fail(scope);
                self.reset();
                Err(exc)
            }
            Err(exc) => {
                self.reset();
                Err(exc)
            }
        }
    }

    /// The template of the rows of this run.
    fn row_template(&self, scope: &mut Scope<'_>) -> JsResult<Rc<RowTemplate>> {
        // SAFETY: an open statement.
        let prepared = unsafe { sql::sqlite3_stmt_status(self.raw.get(), sql::SQLITE_STMTSTATUS_REPREPARE, 0) };
        if prepared == self.prepared.get()
            && let Some(template) = &*self.template.borrow()
        {
            return Ok(template.clone());
        }
        let names = self.column_names();
        let prototype = self.prototype.borrow().as_ref().map(|prototype| prototype.get(scope));
        let prototype = match prototype {
            None if self.connection.node => Some(scope.null()),
            prototype => prototype,
        };
        let template = Rc::new(scope.row_template(&names, prototype)?);
        self.prepared.set(prepared);
        *self.template.borrow_mut() = Some(template.clone());
        Ok(template)
    }

    fn row<'s>(&self, scope: &mut Scope<'s>, form: Form, template: Option<&RowTemplate>) -> JsResult<Local<'s>> {
        let mut columns = self.columns.take();
        self.read_row(&mut columns);
        let row = Row { columns: &columns, big_integers: self.big_integers.get(), is_checked: self.connection.node };
        let made = match (form, template) {
            (Form::Object, Some(template)) => scope.row_object(template, &row),
            (Form::Raw, _) => raw_row(scope, &row),
            _ => scope.row_array(columns.len(), &row),
        };
        self.columns.replace(columns);
        made
    }

    /// The columns of the row that the statement is at; their texts and bytes stay until the next step.
    fn read_row(&self, columns: &mut Vec<sql::RowColumn>) {
        columns.clear();
        loop {
            let most = columns.capacity();
            // SAFETY: an open statement, and memory for so many. Only this thread uses the connection.
            let count = unsafe { sql::bao_row(self.raw.get(), columns.as_mut_ptr(), most as c_int) } as usize;
            if count <= most {
                // SAFETY: as many have been written; what is not written of one is not read.
                unsafe { columns.set_len(count) };
                return;
            }
            columns.reserve(count);
        }
    }

    fn template_for(&self, scope: &mut Scope<'_>, form: Form) -> JsResult<Option<Rc<RowTemplate>>> {
        if form == Form::Object { self.row_template(scope).map(Some) } else { Ok(None) }
    }
}

/// The row that a statement is at.
struct Row<'a> {
    columns: &'a [sql::RowColumn],
    big_integers: bool,
    /// Integers that are no safe integers are an error.
    is_checked: bool,
}

/// The integers between this and its negative are safe.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// An integer as a column of a row.
pub(crate) fn integer(number: i64, big: bool, is_checked: bool) -> Result<Column<'static>, OpError> {
    if big {
        return Ok(Column::BigInteger(number));
    }
    if is_checked && number.unsigned_abs() > MAX_SAFE {
        return Err(unsafe_integer(number));
    }
    Ok(Column::Integer(number))
}

#[cold]
fn unsafe_integer(number: i64) -> OpError {
    let message = format!("Value is too large to be represented as a JavaScript number: {number}");
    OpError::range_error(message).code("ERR_OUT_OF_RANGE")
}

impl RowSource for Row<'_> {
    #[inline(always)]
    fn column<T: TakeColumn>(&self, index: usize, take: T) -> Result<T::Taken, OpError> {
        let Some(column) = self.columns.get(index) else { return Ok(take.take(Column::Null)) };
        // SAFETY: the columns of the row that the statement is at: the type says what has been written.
        unsafe {
            match column.kind {
                sql::SQLITE_INTEGER => {
                    let number = column.value.integer;
                    if self.big_integers {
                        return Ok(take.take(Column::BigInteger(number)));
                    }
                    if self.is_checked && number.unsigned_abs() > MAX_SAFE {
                        return Err(unsafe_integer(number));
                    }
                    Ok(take.take(Column::Integer(number)))
                }
                sql::SQLITE_FLOAT => Ok(take.take(Column::Real(column.value.real))),
                sql::SQLITE_TEXT => Ok(take.take(Column::Text(bytes_of(column.value.data.cast(), column.length)))),
                sql::SQLITE_BLOB => Ok(take.take(Column::Blob(bytes_of(column.value.data.cast(), column.length)))),
                _ => Ok(take.take(Column::Null)),
            }
        }
    }
}

/// # Safety
/// `data` has `length` bytes as long as the result is used, or is null.
pub(crate) unsafe fn bytes_of<'a>(data: *const u8, length: c_int) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(data, length as usize) }
}

/// Takes a value as bytes: numbers as eight in the order of the machine; `None` for null.
struct AsBytes;

impl TakeColumn for AsBytes {
    type Taken = Option<Vec<u8>>;

    #[inline(always)]
    fn take(self, column: Column<'_>) -> Option<Vec<u8>> {
        match column {
            // SQLite has neither truth values nor times.
            Column::Null | Column::Boolean(_) | Column::Date(_) => None,
            Column::Integer(number) | Column::BigInteger(number) => Some(number.to_ne_bytes().to_vec()),
            Column::Real(number) => Some(number.to_ne_bytes().to_vec()),
            Column::Text(bytes) | Column::Blob(bytes) => Some(bytes.to_vec()),
        }
    }
}

/// A row as bytes.
fn raw_row<'s>(scope: &mut Scope<'s>, row: &Row<'_>) -> JsResult<Local<'s>> {
    // Integers are not checked.
    let row = Row { is_checked: false, ..*row };
    let mut values = Vec::with_capacity(row.columns.len());
    for index in 0..row.columns.len() {
        let bytes = row.column(index, AsBytes).map_err(|error| scope.throw_op_error(&error))?;
        values.push(match bytes {
            Some(bytes) => scope.uint8_array(bytes)?,
            None => scope.null(),
        });
    }
    scope.new_array(&values)
}

fn statement(scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<Rc<Statement>> {
    match scope.read_resource(object, Rc::<Statement>::clone) {
        Some(statement) => Ok(statement),
        None => Err(scope.throw_type_error("native function expected a statement")),
    }
}

/// Prepares one statement; what follows it is ignored. Undefined: the text has none (of `node:sqlite`, a statement that is finalized).
/// `prepare` are flags of sqlite3_prepare_v3; of `flags` 1 is strict names, 2 integers as BigInt, 4 rows as arrays, 8 bare names, 16
/// unknown names.
#[op(ts(db = "Native.Connection", returns = "Native.Statement | undefined"))]
pub(crate) fn prepare<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    sql_text: String,
    prepare: u32,
    flags: u32,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.idle_handle().map_err(|error| scope.throw_op_error(&error))?;
    let (raw, _) = prepare_text(scope, db, &connection, handle, (sql_text.as_bytes(), 0), prepare)?;
    if raw.is_null() && !connection.node {
        return Ok(scope.undefined());
    }
    if !raw.is_null() {
        connection.add_statement(raw);
    }
    let object = scope.new_resource(Rc::new(Statement::new(connection, raw, flags)))?;
    // A statement keeps its connection, and finds the callbacks by it.
    scope.set_companion(object, db);
    if !raw.is_null() {
        scope.set_resource_bytes(object, STATEMENT_BYTES);
    }
    Ok(object)
}

/// Prepares the first statement of a text, before which there are `before` bytes: it, or null, and how many bytes it is long.
fn prepare_text<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    connection: &Connection,
    handle: *mut sql::sqlite3,
    (text, before): (&[u8], usize),
    flags: u32,
) -> JsResult<(*mut sql::sqlite3_stmt, usize)> {
    let mut raw = ptr::null_mut();
    let mut tail = ptr::null();
    let start = text.as_ptr().cast::<c_char>();
    let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
    let code = connection.run(scope, db, false, || {
        // SAFETY: an open connection and a text of that length.
        unsafe { sql::sqlite3_prepare_v3(handle, start, length, flags, &raw mut raw, &raw mut tail) }
    });
    match code {
        Ok(sql::SQLITE_OK) => {
            let used = if tail.is_null() { text.len() } else { tail.addr() - start.addr() };
            Ok((raw, used))
        }
        Ok(_) => Err(Failure::last(handle).behind(before).throw(scope, connection.node)),
        Err(exc) => {
            // SAFETY: a statement that was just made, or null.
            unsafe { sql::sqlite3_finalize(raw) };
            Err(exc)
        }
    }
}

/// Runs all statements of a text; `parameters` are those of its first statement. Rows are ignored. Gives `{ changes, lastInsertRowid }`, or undefined if the text has no statement.
#[op(ts(
    db = "Native.Connection",
    parameters = "readonly unknown[] | undefined",
    returns = "{ changes: number | bigint; lastInsertRowid: number | bigint } | undefined"
))]
pub(crate) fn exec<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    sql_text: String,
    parameters: Local<'s>,
    flags: u32,
) -> JsResult<Local<'s>> {
    let shared = connection(scope, db)?;
    let handle = shared.idle_handle().map_err(|error| scope.throw_op_error(&error))?;
    // SAFETY: an open connection.
    let before = unsafe { sql::sqlite3_total_changes64(handle) };
    let mut rest = sql_text.as_bytes();
    let mut any = false;
    while !rest.is_empty() {
        let done = scope.nested(|scope| {
            let (db, parameters) = (scope.copy(db), scope.copy(parameters));
            let handle = shared.handle().map_err(|error| scope.throw_op_error(&error))?;
            let (raw, used) = prepare_text(scope, db, &shared, handle, (rest, sql_text.len() - rest.len()), 0)?;
            rest = &rest[used.min(rest.len())..];
            if raw.is_null() {
                return Ok(());
            }
            let is_first = !any;
            any = true;
            shared.add_statement(raw);
            let statement = Statement::new(shared.clone(), raw, flags | BARE_NAMES);
            exec_one(scope, db, &statement, is_first.then_some(parameters))
        });
        done?;
    }
    if !any {
        return Ok(scope.undefined());
    }
    // SAFETY: the connection is open: closing is not possible while its op runs.
    let changes = unsafe { sql::sqlite3_total_changes64(handle) } - before;
    changes_object(scope, &shared, handle, changes, flags & BIG_INTEGERS != 0)
}

/// Runs a statement to its end. Placeholders are null without parameters; values that it has no placeholders for are an error.
fn exec_one<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    statement: &Statement,
    parameters: Option<Local<'s>>,
) -> JsResult<()> {
    let handle = statement.handle(scope)?;
    if let Some(parameters) = parameters
        && let Some(values) = bind::values(scope, statement, parameters)?
    {
        statement.handle(scope)?;
        bind::bind(scope, statement, &values)?;
    }
    loop {
        // SAFETY: an open statement that nobody else has.
        match statement.connection.run(scope, db, false, || unsafe { sql::sqlite3_step(handle) })? {
            sql::SQLITE_ROW => {}
            sql::SQLITE_DONE => return Ok(()),
            _ => return Err(statement.connection.fail(scope)),
        }
    }
}

/// `changes` and the last row id; as BigInts.
struct Changes([i64; 2], bool);

impl RowSource for Changes {
    #[inline(always)]
    fn column<T: TakeColumn>(&self, index: usize, take: T) -> Result<T::Taken, OpError> {
        let number = self.0[index];
        Ok(if self.1 { take.take(Column::BigInteger(number)) } else { take.take(Column::Integer(number)) })
    }
}

fn changes_object<'s>(
    scope: &mut Scope<'s>,
    connection: &Connection,
    handle: *mut sql::sqlite3,
    changes: i64,
    big: bool,
) -> JsResult<Local<'s>> {
    let template = match connection.changes.get() {
        Some(template) => template,
        None => {
            let template = scope.row_template(&["changes".into(), "lastInsertRowid".into()], None)?;
            connection.changes.get_or_init(|| template)
        }
    };
    // SAFETY: an open connection.
    let last = unsafe { sql::sqlite3_last_insert_rowid(handle) };
    scope.row_object(template, &Changes([changes, last], big))
}

/// Runs a statement to its end: `{ changes, lastInsertRowid }`. `parameters` are those of the call.
#[op(ts(
    statement = "Native.Statement",
    parameters = "readonly unknown[] | undefined",
    returns = "{ changes: number | bigint; lastInsertRowid: number | bigint }"
))]
pub(crate) fn run<'s>(scope: &mut Scope<'s>, statement: Local<'s>, parameters: Local<'s>) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    statement.begin(scope, object, parameters)?;
    let handle = statement.connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let node = statement.connection.node;
    // SAFETY: an open connection.
    let before = unsafe { sql::sqlite3_total_changes64(handle) };
    while statement.step(scope, object)? {}
    // SAFETY: as above. Node gives the changes of the last statement that changed something.
    let changes =
        unsafe { if node { sql::sqlite3_changes64(handle) } else { sql::sqlite3_total_changes64(handle) - before } };
    changes_object(scope, &statement.connection, handle, changes, statement.big_integers.get())
}

/// The first row, or undefined. `form`: 0 as the statement is set, 1 an array, 2 an array of bytes.
#[op(ts(statement = "Native.Statement", parameters = "readonly unknown[] | undefined", returns = "unknown"))]
pub(crate) fn get<'s>(
    scope: &mut Scope<'s>,
    statement: Local<'s>,
    parameters: Local<'s>,
    form: u32,
) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    statement.begin(scope, object, parameters)?;
    if !statement.step(scope, object)? {
        return Ok(scope.undefined());
    }
    let form = Form::of(form, statement.arrays.get());
    let row = statement.template_for(scope, form).and_then(|template| statement.row(scope, form, template.as_deref()));
    let row = row.inspect_err(|_| {
        statement.reset();
    })?;
    statement.finish(scope)?;
    Ok(row)
}

/// All rows as an array; `form` as in `get`.
#[op(ts(statement = "Native.Statement", parameters = "readonly unknown[] | undefined", returns = "unknown[]"))]
pub(crate) fn all<'s>(
    scope: &mut Scope<'s>,
    statement: Local<'s>,
    parameters: Local<'s>,
    form: u32,
) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    statement.begin(scope, object, parameters)?;
    let form = Form::of(form, statement.arrays.get());
    let mut template = None;
    let mut is_first = true;
    let rows = scope.collect_array(0, |scope| {
        let here = scope.copy(object);
        if !statement.step(scope, here)? {
            return Ok(None);
        }
        if is_first {
            template = statement.template_for(scope, form)?;
            is_first = false;
        }
        statement.row(scope, form, template.as_deref()).map(Some)
    });
    if rows.is_err() {
        statement.reset();
    }
    rows
}

/// Begins a run of which rows are taken one by one: its number.
#[op(ts(statement = "Native.Statement", parameters = "readonly unknown[] | undefined", returns = "number"))]
pub(crate) fn start<'s>(scope: &mut Scope<'s>, statement: Local<'s>, parameters: Local<'s>) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    statement.begin(scope, object, parameters)?;
    Ok(scope.number(f64::from(statement.runs.get())))
}

/// The next row of run number `run`; undefined at its end, null if the statement has been run again meanwhile.
#[op(ts(statement = "Native.Statement", returns = "unknown"))]
pub(crate) fn next<'s>(scope: &mut Scope<'s>, statement: Local<'s>, run: u32) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    statement.handle(scope)?;
    if statement.runs.get() != run {
        return Ok(scope.null());
    }
    if statement.stepping.get() || !statement.connection.node && statement.connection.is_busy() {
        return Err(scope.throw_op_error(&statement.connection.busy()));
    }
    if !statement.step(scope, object)? {
        return Ok(scope.undefined());
    }
    let form = Form::of(0, statement.arrays.get());
    let template = statement.template_for(scope, form)?;
    statement.row(scope, form, template.as_deref())
}

/// Ends run number `run` before its last row.
#[op(ts(statement = "Native.Statement", returns = "void"))]
pub(crate) fn end<'s>(scope: &mut Scope<'s>, statement: Local<'s>, run: u32) -> JsResult<Local<'s>> {
    let statement = self::statement(scope, statement)?;
    if statement.runs.get() == run && !statement.stepping.get() {
        statement.finish(scope)?;
    }
    Ok(scope.undefined())
}

/// Frees a statement. An error inside of a function that it calls.
#[op]
pub(crate) fn finalize(statement: &Resource<Rc<Statement>>) -> Result<(), OpError> {
    if statement.stepping.get() {
        return Err(statement.connection.busy());
    }
    statement.free();
    Ok(())
}

/// Whether a statement was finalized, or its database closed.
#[op]
pub(crate) fn is_finalized(statement: &Resource<Rc<Statement>>) -> bool {
    statement.is_finalized()
}

/// The number of parameters.
#[op]
pub(crate) fn parameter_count(statement: &Resource<Rc<Statement>>) -> Result<i32, OpError> {
    statement.try_handle()?;
    Ok(statement.parameters)
}

/// The number of columns.
#[op]
pub(crate) fn column_count(statement: &Resource<Rc<Statement>>) -> Result<usize, OpError> {
    statement.try_handle()?;
    Ok(statement.column_count())
}

/// The names of the columns.
#[op]
pub(crate) fn column_names(statement: &Resource<Rc<Statement>>) -> Result<Vec<String>, OpError> {
    statement.try_handle()?;
    Ok(statement.column_names())
}

/// Of each column name, origin (column, table, database) and declared type; undefined for those of an expression.
#[op]
pub(crate) fn column_origins(statement: &Resource<Rc<Statement>>) -> Result<Vec<Vec<Option<String>>>, OpError> {
    let raw = statement.try_handle()?;
    let optional = |chars: *const c_char| (!chars.is_null()).then(|| text(chars));
    // SAFETY: an open statement; the texts are copied.
    let origin = |index: c_int| unsafe {
        vec![
            optional(sql::sqlite3_column_name(raw, index)),
            optional(sql::sqlite3_column_origin_name(raw, index)),
            optional(sql::sqlite3_column_table_name(raw, index)),
            optional(sql::sqlite3_column_database_name(raw, index)),
            optional(sql::sqlite3_column_decltype(raw, index)),
        ]
    };
    Ok((0..statement.column_count() as c_int).map(origin).collect())
}

/// The types of the values of the first row, with the parameters that are bound: numbers of SQLite's fundamental types. Ends a run that is under way.
#[op(ts(statement = "Native.Statement", returns = "number[]"))]
pub(crate) fn first_types<'s>(scope: &mut Scope<'s>, statement: Local<'s>) -> JsResult<Local<'s>> {
    let object = statement;
    let statement = self::statement(scope, object)?;
    let nothing = scope.undefined();
    statement.begin(scope, object, nothing)?;
    let has_row = statement.step(scope, object)?;
    let column_type = |index| {
        // SAFETY: a statement at a row.
        unsafe { sql::sqlite3_column_type(statement.raw.get(), index) }
    };
    let types: Vec<c_int> = (0..statement.column_count() as c_int)
        .map(|index| if has_row { column_type(index) } else { sql::SQLITE_NULL })
        .collect();
    statement.reset();
    engine::IntoJs::into_js(types, scope)
}

/// Whether a statement changes nothing by itself.
#[op]
pub(crate) fn is_read_only(statement: &Resource<Rc<Statement>>) -> Result<bool, OpError> {
    let raw = statement.try_handle()?;
    // SAFETY: an open statement.
    Ok(unsafe { sql::sqlite3_stmt_readonly(raw) != 0 })
}

/// Whether a statement has been run.
#[op]
pub(crate) fn has_run(statement: &Resource<Rc<Statement>>) -> Result<bool, OpError> {
    statement.try_handle()?;
    Ok(statement.runs.get() > 0)
}

/// The text of a statement, with the values that are bound in the place of its parameters if `is_expanded`.
#[op]
pub(crate) fn source(statement: &Resource<Rc<Statement>>, is_expanded: bool) -> Result<String, OpError> {
    let raw = statement.try_handle()?;
    // SAFETY: an open statement; the texts are copied, and the one that is ours is freed.
    unsafe {
        if !is_expanded {
            return Ok(text(sql::sqlite3_sql(raw)));
        }
        let expanded = sql::sqlite3_expanded_sql(raw);
        let copy = text(expanded);
        sql::sqlite3_free(expanded.cast());
        Ok(copy)
    }
}

/// Changes a setting of `prepare`'s flags: 2 integers as BigInt, 4 rows as arrays, 8 bare names, 16 unknown names.
#[op]
pub(crate) fn set_flag(statement: &Resource<Rc<Statement>>, flag: u32, on: bool) -> Result<(), OpError> {
    statement.try_handle()?;
    match flag {
        BIG_INTEGERS => statement.big_integers.set(on),
        ARRAYS => statement.arrays.set(on),
        BARE_NAMES => statement.bare_names.set(on),
        _ => statement.unknown_names.set(on),
    }
    Ok(())
}

/// Whether integers are read as BigInts.
#[op]
pub(crate) fn reads_big_integers(statement: &Resource<Rc<Statement>>) -> Result<bool, OpError> {
    statement.try_handle()?;
    Ok(statement.big_integers.get())
}

/// Sets the prototype of the objects that rows become; undefined for plain objects.
#[op(ts(statement = "Native.Statement", prototype = "object | undefined", returns = "void"))]
pub(crate) fn set_prototype<'s>(
    scope: &mut Scope<'s>,
    statement: Local<'s>,
    prototype: Local<'s>,
) -> JsResult<Local<'s>> {
    let statement = self::statement(scope, statement)?;
    statement.handle(scope)?;
    let prototype = prototype.is_object().then(|| scope.global(prototype));
    *statement.prototype.borrow_mut() = prototype;
    *statement.template.borrow_mut() = None;
    Ok(scope.undefined())
}
