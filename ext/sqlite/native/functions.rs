//! JavaScript functions that SQL calls: functions, aggregates and window functions, collations; the update hook and the authorizer.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::rc::{Rc, Weak};
use std::slice;

use engine::{Column, Global, JsResult, Local, OpError, Scope, op};
use sqlite_sys as sql;

use crate::connection::{AUTHORIZER, Connection, UPDATE_HOOK, connection, name_of};
use crate::errors::text;
use crate::statement::{bytes_of, integer};

/// A function that was given to SQLite; freed by it.
struct Function {
    connection: Weak<Connection>,
    name: String,
    /// Where its JavaScript is in the array of callbacks: a function, or of an aggregate the array of start, step, inverse and result.
    place: u32,
    big_integers: bool,
}

/// What an aggregate has come to, behind a pointer in SQLite's memory for it.
struct Aggregate {
    value: Global,
    /// Whether its value was asked for row by row: then the end gives none.
    is_window: bool,
}

/// A value that SQLite passes, as JavaScript has it.
fn argument<'s>(scope: &mut Scope<'s>, value: *mut sql::sqlite3_value, big: bool, node: bool) -> JsResult<Local<'s>> {
    // SAFETY: a live value; texts and bytes are copied before another call.
    let column = unsafe {
        match sql::sqlite3_value_type(value) {
            sql::SQLITE_INTEGER => match integer(sql::sqlite3_value_int64(value), big, node) {
                Ok(column) => column,
                Err(error) => return Err(scope.throw_op_error(&error)),
            },
            sql::SQLITE_FLOAT => Column::Real(sql::sqlite3_value_double(value)),
            sql::SQLITE_TEXT => {
                let data = sql::sqlite3_value_text(value);
                Column::Text(bytes_of(data, sql::sqlite3_value_bytes(value)))
            }
            sql::SQLITE_BLOB => {
                let data = sql::sqlite3_value_blob(value).cast();
                Column::Blob(bytes_of(data, sql::sqlite3_value_bytes(value)))
            }
            _ => Column::Null,
        }
    };
    scope.column(column)
}

/// A text as the error of a function.
fn fail(context: *mut sql::sqlite3_context, message: &str) {
    // SAFETY: the context of the call; the text is copied.
    unsafe { sql::sqlite3_result_error(context, message.as_ptr().cast(), message.len() as c_int) };
}

/// The bytes are copied by SQLite.
fn give_bytes(context: *mut sql::sqlite3_context, bytes: &[u8], is_text: bool) {
    // SAFETY: the context of the call. A pointer that is not null also if there are no bytes.
    unsafe {
        let (data, length) = (bytes.as_ptr(), bytes.len() as u64);
        if is_text {
            let encoding = sql::SQLITE_UTF8 as u8;
            sql::sqlite3_result_text64(context, data.cast(), length, sql::SQLITE_TRANSIENT(), encoding);
        } else {
            sql::sqlite3_result_blob64(context, data.cast(), length, sql::SQLITE_TRANSIENT());
        }
    }
}

/// Makes a JavaScript value the result of a call.
fn give(
    scope: &mut Scope<'_>,
    context: *mut sql::sqlite3_context,
    function: &Function,
    value: Local<'_>,
    node: bool,
) -> JsResult<()> {
    // SAFETY: the context of the call.
    unsafe {
        if value.is_nullish() {
            sql::sqlite3_result_null(context);
        } else if let Some(number) = value.as_number() {
            let whole = number as i64;
            if !node && number.abs() < 9_007_199_254_740_992.0 && (whole as f64).to_bits() == number.to_bits() {
                sql::sqlite3_result_int64(context, whole);
            } else {
                sql::sqlite3_result_double(context, number);
            }
        } else if value.is_string() {
            let mut bytes = Vec::new();
            scope.append_utf8(value, &mut bytes)?;
            give_bytes(context, &bytes, true);
        } else if value.is_bigint() {
            match value.as_i64_exact() {
                Some(number) => sql::sqlite3_result_int64(context, number),
                None if node => fail(context, "BigInt value is too large for SQLite"),
                None => {
                    let error = OpError::range_error("BigInt value is too large for SQLite");
                    return Err(scope.throw_op_error(&error));
                }
            }
        } else if let Some(flag) = value.as_bool().filter(|_| !node) {
            sql::sqlite3_result_int64(context, i64::from(flag));
        } else if let Some(bytes) = scope.bytes(value) {
            give_bytes(context, bytes, false);
        } else if node {
            let message = if value.is_object() && scope.class_of(value)? == "Promise" {
                "Asynchronous user-defined functions are not supported"
            } else {
                "Returned JavaScript value cannot be converted to a SQLite value"
            };
            fail(context, message);
        } else {
            let message = format!("User-defined function {}() returned an invalid value", function.name);
            return Err(scope.throw_type_error(&message));
        }
    }
    Ok(())
}

/// The function that a callback of SQLite belongs to, and its connection.
///
/// # Safety
/// Called with the context of a call of such a function.
unsafe fn called<'a>(context: *mut sql::sqlite3_context) -> Option<(&'a Function, Rc<Connection>)> {
    // SAFETY: the user data is the box made in `define_function`, which lives until SQLite frees it.
    let function = unsafe { &*sql::sqlite3_user_data(context).cast::<Function>() };
    Some((function, function.connection.upgrade()?))
}

/// # Safety
/// As SQLite calls it.
unsafe fn arguments<'s>(
    scope: &mut Scope<'s>,
    function: &Function,
    node: bool,
    count: c_int,
    values: *mut *mut sql::sqlite3_value,
    into: &mut Vec<Local<'s>>,
) -> JsResult<()> {
    if count > 0 {
        // SAFETY: SQLite passes so many values.
        for &value in unsafe { slice::from_raw_parts(values, count as usize) } {
            into.push(argument(scope, value, function.big_integers, node)?);
        }
    }
    Ok(())
}

/// The text of the error that SQLite sees if JavaScript has thrown: the exception itself is what the program gets.
const THROWN: &str = "a JavaScript function threw";

unsafe extern "C" fn call_function(
    context: *mut sql::sqlite3_context,
    count: c_int,
    values: *mut *mut sql::sqlite3_value,
) {
    // SAFETY: as SQLite calls it.
    let Some((function, connection)) = (unsafe { called(context) }) else { return fail(context, THROWN) };
    let done = connection.callback(|scope, callbacks| {
        let body = scope.get_index(callbacks, function.place)?;
        let mut passed = Vec::with_capacity(count as usize);
        // SAFETY: as SQLite calls it.
        unsafe { arguments(scope, function, connection.node, count, values, &mut passed)? };
        let value = scope.call_function(body, &passed)?;
        give(scope, context, function, value, connection.node)
    });
    if done.is_none() {
        fail(context, THROWN);
    }
}

/// The place of an aggregate's state; null if there is none and `is_new` is false, or no memory.
fn state_of(context: *mut sql::sqlite3_context, is_new: bool) -> *mut *mut Aggregate {
    let size = if is_new { size_of::<*mut Aggregate>() as c_int } else { 0 };
    // SAFETY: the context of a call of an aggregate; new memory is zero.
    unsafe { sql::sqlite3_aggregate_context(context, size).cast() }
}

/// The value that an aggregate begins with.
fn first_value<'s>(scope: &mut Scope<'s>, parts: Local<'s>) -> JsResult<Local<'s>> {
    let start = scope.get_index(parts, 0)?;
    if start.is_callable() { scope.call_function(start, &[]) } else { Ok(start) }
}

/// One step of an aggregate by its function `which`: 1 takes a row in, 2 takes it out.
unsafe fn advance(context: *mut sql::sqlite3_context, count: c_int, values: *mut *mut sql::sqlite3_value, which: u32) {
    // SAFETY: as SQLite calls it.
    let Some((function, connection)) = (unsafe { called(context) }) else { return fail(context, THROWN) };
    let place = state_of(context, true);
    if place.is_null() {
        // SAFETY: the context of the call.
        return unsafe { sql::sqlite3_result_error_nomem(context) };
    }
    let done = connection.callback(|scope, callbacks| {
        let parts = scope.get_index(callbacks, function.place)?;
        // SAFETY: the place is this aggregate's, and nothing else writes to it while JavaScript runs: SQLite waits for us.
        let state = unsafe { *place };
        let value = if state.is_null() {
            first_value(scope, parts)?
        } else {
            // SAFETY: a box made below, which the last call frees.
            unsafe { (*state).value.get(scope) }
        };
        let mut passed = vec![value];
        // SAFETY: as SQLite calls it.
        unsafe { arguments(scope, function, connection.node, count, values, &mut passed)? };
        let step = scope.get_index(parts, which)?;
        let next = scope.call_function(step, &passed)?;
        // A step of `bun:sqlite` that gives nothing has changed its value in place.
        let next = if next.is_undefined() && !connection.node { value } else { next };
        let next = scope.global(next);
        // SAFETY: as above.
        unsafe {
            if state.is_null() {
                *place = Box::into_raw(Box::new(Aggregate { value: next, is_window: false }));
            } else {
                (*state).value = next;
            }
        }
        Ok(())
    });
    if done.is_none() {
        fail(context, THROWN);
    }
}

unsafe extern "C" fn step(context: *mut sql::sqlite3_context, count: c_int, values: *mut *mut sql::sqlite3_value) {
    // SAFETY: as SQLite calls it.
    unsafe { advance(context, count, values, 1) };
}

unsafe extern "C" fn inverse(context: *mut sql::sqlite3_context, count: c_int, values: *mut *mut sql::sqlite3_value) {
    // SAFETY: as SQLite calls it.
    unsafe { advance(context, count, values, 2) };
}

/// Gives what an aggregate has come to.
unsafe fn conclude(context: *mut sql::sqlite3_context, state: *mut Aggregate) {
    // SAFETY: as SQLite calls it.
    let Some((function, connection)) = (unsafe { called(context) }) else { return };
    let done = connection.callback(|scope, callbacks| {
        let parts = scope.get_index(callbacks, function.place)?;
        let value = if state.is_null() {
            first_value(scope, parts)?
        } else {
            // SAFETY: the state of this aggregate.
            unsafe { (*state).value.get(scope) }
        };
        let result = scope.get_index(parts, 3)?;
        let value = if result.is_callable() { scope.call_function(result, &[value])? } else { value };
        give(scope, context, function, value, connection.node)
    });
    if done.is_none() {
        fail(context, THROWN);
    }
}

unsafe extern "C" fn window_value(context: *mut sql::sqlite3_context) {
    let place = state_of(context, true);
    // SAFETY: as SQLite calls it; the place is this aggregate's.
    unsafe {
        let state = if place.is_null() { ptr::null_mut() } else { *place };
        if let Some(state) = state.as_mut() {
            state.is_window = true;
        }
        conclude(context, state);
    }
}

unsafe extern "C" fn last_value(context: *mut sql::sqlite3_context) {
    let place = state_of(context, false);
    // SAFETY: as SQLite calls it; nothing uses the state after this call.
    unsafe {
        let state = if place.is_null() { ptr::null_mut() } else { place.replace(ptr::null_mut()) };
        if state.as_ref().is_none_or(|state| !state.is_window) {
            conclude(context, state);
        }
        if !state.is_null() {
            drop(Box::from_raw(state));
        }
    }
}

unsafe extern "C" fn free_function(function: *mut c_void) {
    // SAFETY: the box that was given to SQLite, which calls this once.
    let function = unsafe { Box::from_raw(function.cast::<Function>()) };
    if let Some(connection) = function.connection.upgrade() {
        connection.give_back_place(function.place);
    }
}

/// Makes a function of SQL. `count` is its number of arguments, -1 for any; `flags` are those of sqlite3_create_function_v2. `body`
/// is a function, or of an aggregate the array of start, step, inverse and result (undefined for none).
#[op(ts(db = "Native.Connection", body = "Function | readonly unknown[]", returns = "void"))]
pub(crate) fn define_function<'s>(
    scope: &mut Scope<'s>,
    db: Local<'s>,
    name: String,
    count: i32,
    flags: i32,
    big_integers: bool,
    body: Local<'s>,
) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let place = connection.take_place();
    let callbacks = scope.companion(db);
    scope.set_index(callbacks, place, body)?;
    let is_aggregate = !body.is_callable();
    let is_window = is_aggregate && {
        let inverse = scope.get_index(body, 2)?;
        inverse.is_callable()
    };
    let sql_name = name_of(&name);
    let function = Box::new(Function { connection: Rc::downgrade(&connection), name, place, big_integers });
    let function = Box::into_raw(function).cast::<c_void>();
    let flags = sql::SQLITE_UTF8 | flags;
    let code = connection.run(scope, db, false, || {
        // SAFETY: an open connection; SQLite frees the box, also if this fails.
        unsafe {
            if is_aggregate {
                sql::sqlite3_create_window_function(
                    handle,
                    sql_name.as_ptr(),
                    count,
                    flags,
                    function,
                    Some(step),
                    Some(last_value),
                    is_window.then_some(window_value as unsafe extern "C" fn(*mut sql::sqlite3_context)),
                    is_window.then_some(inverse as _),
                    Some(free_function),
                )
            } else {
                sql::sqlite3_create_function_v2(
                    handle,
                    sql_name.as_ptr(),
                    count,
                    flags,
                    function,
                    Some(call_function),
                    None,
                    None,
                    Some(free_function),
                )
            }
        }
    })?;
    if code == sql::SQLITE_OK { Ok(scope.undefined()) } else { Err(connection.fail(scope)) }
}

unsafe extern "C" fn on_update(
    connection: *mut c_void,
    operation: c_int,
    schema: *const c_char,
    table: *const c_char,
    row: sql::sqlite3_int64,
) {
    // SAFETY: the pointer set below; the connection outlives its handle.
    let connection = unsafe { &*connection.cast::<Connection>() };
    connection.callback(|scope, callbacks| {
        let hook = scope.get_index(callbacks, UPDATE_HOOK)?;
        if !hook.is_callable() {
            return Ok(());
        }
        let operation = scope.int(operation);
        let table = scope.string(&text(table))?;
        let row = scope.bigint_i64(row)?;
        let schema = scope.string(&text(schema))?;
        scope.call_function(hook, &[operation, table, row, schema]).map(drop)
    });
}

/// Sets the function that is called with operation, table, row id and schema for every row that changes; undefined for none.
#[op(ts(
    db = "Native.Connection",
    hook = "((operation: number, table: string, row: bigint, schema: string) => void) | undefined",
    returns = "void"
))]
pub(crate) fn set_update_hook<'s>(scope: &mut Scope<'s>, db: Local<'s>, hook: Local<'s>) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let callbacks = scope.companion(db);
    scope.set_index(callbacks, UPDATE_HOOK, hook)?;
    let callback = hook.is_callable().then_some(on_update as _);
    // SAFETY: the connection outlives its handle.
    unsafe { sql::sqlite3_update_hook(handle, callback, Rc::as_ptr(&connection).cast_mut().cast()) };
    Ok(scope.undefined())
}

unsafe extern "C" fn authorize(
    connection: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    schema: *const c_char,
    trigger: *const c_char,
) -> c_int {
    // SAFETY: the pointer set below; the connection outlives its handle.
    let connection = unsafe { &*connection.cast::<Connection>() };
    let answer = connection.callback(|scope, callbacks| {
        let authorizer = scope.get_index(callbacks, AUTHORIZER)?;
        if !authorizer.is_callable() {
            return Ok(sql::SQLITE_OK);
        }
        let mut passed = vec![scope.int(action)];
        for chars in [first, second, schema, trigger] {
            passed.push(if chars.is_null() { scope.null() } else { scope.string(&text(chars))? });
        }
        let answer = scope.call_function(authorizer, &passed)?;
        // The TypeScript half has seen to it that it is one of the codes.
        Ok(answer.as_number().map_or(sql::SQLITE_DENY, |code| code as c_int))
    });
    answer.unwrap_or(sql::SQLITE_DENY)
}

/// Sets the function that allows what statements do as they are prepared; undefined for none.
#[op(ts(db = "Native.Connection", authorizer = "((...args: never[]) => number) | undefined", returns = "void"))]
pub(crate) fn set_authorizer<'s>(scope: &mut Scope<'s>, db: Local<'s>, authorizer: Local<'s>) -> JsResult<Local<'s>> {
    let connection = connection(scope, db)?;
    let handle = connection.handle().map_err(|error| scope.throw_op_error(&error))?;
    let callbacks = scope.companion(db);
    scope.set_index(callbacks, AUTHORIZER, authorizer)?;
    let callback = authorizer.is_callable().then_some(authorize as _);
    // SAFETY: the connection outlives its handle.
    unsafe { sql::sqlite3_set_authorizer(handle, callback, Rc::as_ptr(&connection).cast_mut().cast()) };
    Ok(scope.undefined())
}
