//! Parameters of statements: JavaScript values become SQLite's.
//!
//! The two modules differ in what they take. `bun:sqlite`: integers are bound as such, booleans are 1 and 0, undefined is null; an array or a list
//! of arguments must have as many values as there are parameters, a name may be given without its sign. `node:sqlite`: numbers are
//! doubles, booleans and undefined are errors, named and positional parameters mix, what is missing is null.

use std::ffi::{CStr, c_int};

use engine::{JsResult, Local, OpError, Scope};
use sqlite_sys as sql;

use crate::connection::name_of;
use crate::errors::invalid_state;
use crate::statement::Statement;

/// A parameter and its value, before anything is bound: reading values can run JavaScript, binding cannot.
type Values<'s> = Vec<(c_int, Local<'s>)>;

/// A text or bytes in the arena.
struct Part {
    parameter: c_int,
    start: usize,
    length: usize,
    is_text: bool,
}

/// The bytes that are bound: SQLite reads them where they are until other ones are bound.
#[derive(Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    parts: Vec<Part>,
}

fn argument_error(message: impl Into<String>) -> OpError {
    OpError::type_error(message).code("ERR_INVALID_ARG_TYPE")
}

/// Most values of a call that are bound without a list being made of them.
const FEW: usize = 16;

/// Reads the parameters of a call and binds them; what is bound stays if there are none. `begin` is called between the two: reading can run
/// JavaScript, binding cannot.
#[inline]
pub(crate) fn read_and_bind<'s>(
    scope: &mut Scope<'s>,
    statement: &Statement,
    arguments: Local<'s>,
    begin: impl FnOnce(&mut Scope<'s>, usize) -> JsResult<()>,
) -> JsResult<()> {
    // The usual case: some values, by their places, none of which can run anything.
    let mut few = [(0, arguments); FEW];
    let mut is_plain = statement.is_positional();
    let count = scope.list_items(arguments, FEW, |index, value| {
        is_plain &= !value.is_object();
        few[index] = (index as c_int + 1, value);
    })?;
    if let Some(count) = count.filter(|_| is_plain)
        && (count == statement.parameters as usize || statement.connection.node || count == 0)
    {
        begin(scope, count)?;
        return if count == 0 { Ok(()) } else { bind(scope, statement, &few[..count]) };
    }
    let values = values(scope, statement, arguments)?;
    begin(scope, values.as_ref().map_or(usize::MAX, Vec::len))?;
    match values {
        Some(values) => bind(scope, statement, &values),
        None => Ok(()),
    }
}

/// Values of the parameters of a call. `arguments` is the array of its arguments. `None`: what is bound stays.
pub(crate) fn values<'s>(
    scope: &mut Scope<'s>,
    statement: &Statement,
    arguments: Local<'s>,
) -> JsResult<Option<Values<'s>>> {
    let count = if arguments.is_undefined() { 0 } else { scope.array_length(arguments)? };
    if statement.connection.node {
        return node_values(scope, statement, arguments, count).map(Some);
    }
    if count == 0 {
        return Ok(None);
    }
    let first = scope.list_item(arguments, 0)?;
    if !first.is_object() || scope.is_buffer(first) {
        return bun_list(scope, statement, arguments, count).map(Some);
    }
    match scope.class_of(first)? {
        "Array" => {
            let count = scope.array_length(first)?;
            bun_list(scope, statement, first, count).map(Some)
        }
        // A wrong value that is more likely than an object of names.
        "Date" | "Function" => bun_list(scope, statement, arguments, count).map(Some),
        _ => bun_names(scope, statement, first).map(Some),
    }
}

fn bun_list<'s>(scope: &mut Scope<'s>, statement: &Statement, list: Local<'s>, count: u32) -> JsResult<Values<'s>> {
    let expected = statement.parameters;
    if count != expected as u32 {
        return Err(scope.throw_error(&format!("SQLite query expected {expected} values, received {count}")));
    }
    let mut values = Vec::with_capacity(count as usize);
    for index in 0..count {
        values.push((index as c_int + 1, scope.list_item(list, index)?));
    }
    Ok(values)
}

fn bun_names<'s>(scope: &mut Scope<'s>, statement: &Statement, names: Local<'s>) -> JsResult<Values<'s>> {
    let known = statement.parameter_names();
    let mut values = Vec::with_capacity(known.len());
    for (index, name) in known.iter().enumerate() {
        let Some(name) = name else {
            let value = scope.get_index(names, index as u32)?;
            values.push((index as c_int + 1, taken(scope, value)?));
            continue;
        };
        if name.starts_with('?') {
            // ?NNN is the place, counted from 1; the names of an array are counted from 0.
            let value = scope.get(names, name)?;
            let value = if value.is_undefined() { scope.get_index(names, index as u32)? } else { value };
            values.push((index as c_int + 1, taken(scope, value)?));
            continue;
        }
        let bare = &name[1..];
        let (first, second) = if statement.strict { (bare, &**name) } else { (&**name, bare) };
        let mut value = scope.get(names, first)?;
        if value.is_undefined() {
            value = scope.get(names, second)?;
        }
        if value.is_undefined() && statement.strict && !scope.has(names, first)? && !scope.has(names, second)? {
            return Err(scope.throw_error(&format!("Missing parameter \"{bare}\"")));
        }
        values.push((index as c_int + 1, taken(scope, value)?));
    }
    Ok(values)
}

/// A value of an object, of which the next property may be a getter that changes it: bytes are those that it has now.
fn taken<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> JsResult<Local<'s>> {
    if !value.is_object() || !is_view(scope, value)? {
        return Ok(value);
    }
    match scope.bytes(value).map(<[u8]>::to_vec) {
        Some(bytes) => scope.uint8_array(bytes),
        None => Ok(value),
    }
}

fn node_values<'s>(
    scope: &mut Scope<'s>,
    statement: &Statement,
    arguments: Local<'s>,
    count: u32,
) -> JsResult<Values<'s>> {
    let mut values = Vec::with_capacity(count as usize);
    let mut next = 0;
    if count > 0 {
        let first = scope.list_item(arguments, 0)?;
        if first.is_object() && !is_view(scope, first)? && !first.is_callable() {
            next = 1;
            named_values(scope, statement, first, &mut values)?;
        }
    }
    let names = statement.parameter_names();
    let mut parameter = 1;
    for index in next..count {
        // Named parameters have their values; ?NNN counts as one without a name.
        while names.get(parameter - 1).is_some_and(|name| name.as_ref().is_some_and(|name| !name.starts_with('?'))) {
            parameter += 1;
        }
        values.push((parameter as c_int, scope.list_item(arguments, index)?));
        parameter += 1;
    }
    Ok(values)
}

fn is_view(scope: &mut Scope<'_>, value: Local<'_>) -> JsResult<bool> {
    Ok(scope.is_buffer(value) && !matches!(scope.class_of(value)?, "ArrayBuffer" | "SharedArrayBuffer"))
}

fn named_values<'s>(
    scope: &mut Scope<'s>,
    statement: &Statement,
    names: Local<'s>,
    values: &mut Values<'s>,
) -> JsResult<()> {
    let handle = statement.handle(scope)?;
    for key in scope.own_keys(names, true)? {
        // SAFETY: an open statement.
        let mut parameter = unsafe { sql::sqlite3_bind_parameter_index(handle, name_of(&key).as_ptr()) };
        if parameter == 0 && statement.bare_names.get() {
            parameter = match bare_parameter(statement, &key) {
                Ok(parameter) => parameter,
                Err(error) => return Err(scope.throw_op_error(&error)),
            };
        }
        if parameter == 0 {
            if statement.unknown_names.get() {
                continue;
            }
            return Err(scope.throw_op_error(&invalid_state(format!("Unknown named parameter '{key}'"))));
        }
        let value = scope.get(names, &key)?;
        values.push((parameter, taken(scope, value)?));
    }
    Ok(())
}

/// The parameter whose name is `key` behind its sign; 0 for none.
fn bare_parameter(statement: &Statement, key: &str) -> Result<c_int, OpError> {
    let names = statement.parameter_names();
    let mut found: Option<(usize, &str)> = None;
    for (index, name) in names.iter().enumerate() {
        let Some(name) = name.as_deref().filter(|name| &name[1..] == key) else { continue };
        match found {
            Some((_, before)) if before != name => {
                return Err(invalid_state(format!(
                    "Cannot create bare named parameter '{key}' because of conflicting names '{before}' and '{name}'."
                )));
            }
            Some(_) => {}
            None => found = Some((index, name)),
        }
    }
    Ok(found.map_or(0, |(index, _)| index as c_int + 1))
}

/// Binds values to a statement that has been reset.
pub(crate) fn bind<'s>(scope: &mut Scope<'s>, statement: &Statement, values: &[(c_int, Local<'s>)]) -> JsResult<()> {
    let handle = statement.handle(scope)?;
    let mut arena = statement.arena.borrow_mut();
    arena.bytes.clear();
    arena.parts.clear();
    let node = statement.connection.node;
    for &(parameter, value) in values {
        let code = if let Some(number) = value.as_number() {
            bind_number(handle, parameter, number, node)
        } else if value.is_string() || value.is_object() {
            let start = arena.bytes.len();
            if value.is_string() {
                scope.append_utf8(value, &mut arena.bytes)?;
            } else {
                let bytes = if node && !is_view(scope, value)? { None } else { scope.bytes(value) };
                match bytes {
                    Some(bytes) => arena.bytes.extend_from_slice(bytes),
                    None => return Err(refuse(scope, node, parameter)),
                }
            }
            let length = arena.bytes.len() - start;
            arena.parts.push(Part { parameter, start, length, is_text: value.is_string() });
            sql::SQLITE_OK
        } else {
            bind_other(scope, handle, parameter, value, (node, statement.reads_big_integers()))?
        };
        if code != sql::SQLITE_OK {
            return Err(statement.connection.fail(scope));
        }
    }
    for part in &arena.parts {
        // A null pointer would be a null.
        let data = arena.bytes[part.start..].as_ptr();
        // SAFETY: an open statement. The bytes stay until the next call of this function, which resets the statement first, or until
        // the statement is freed.
        let code = unsafe {
            let (length, parameter) = (part.length as u64, part.parameter);
            if part.is_text {
                let encoding = sql::SQLITE_UTF8 as u8;
                sql::sqlite3_bind_text64(handle, parameter, data.cast(), length, sql::SQLITE_STATIC(), encoding)
            } else {
                sql::sqlite3_bind_blob64(handle, parameter, data.cast(), length, sql::SQLITE_STATIC())
            }
        };
        if code != sql::SQLITE_OK {
            return Err(statement.connection.fail(scope));
        }
    }
    Ok(())
}

fn refuse(scope: &mut Scope<'_>, node: bool, parameter: c_int) -> engine::Exc {
    let message = if node {
        format!("Provided value cannot be bound to SQLite parameter {parameter}.")
    } else {
        "Binding expected string, TypedArray, boolean, number, bigint or null".into()
    };
    let error = if node { argument_error(message) } else { OpError::type_error(message) };
    scope.throw_op_error(&error)
}

#[inline]
fn bind_number(handle: *mut sql::sqlite3_stmt, parameter: c_int, number: f64, node: bool) -> c_int {
    /// The first integer that not every neighbour can be told from.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    let whole = number as i64;
    // SAFETY: an open statement.
    unsafe {
        if !node && number.abs() < LIMIT && (whole as f64).to_bits() == number.to_bits() {
            sql::sqlite3_bind_int64(handle, parameter, whole)
        } else {
            sql::sqlite3_bind_double(handle, parameter, number)
        }
    }
}

fn bind_other(
    scope: &mut Scope<'_>,
    handle: *mut sql::sqlite3_stmt,
    parameter: c_int,
    value: Local<'_>,
    (node, is_big): (bool, bool),
) -> JsResult<c_int> {
    if value.is_null() || value.is_undefined() && !node {
        // SAFETY: an open statement.
        return Ok(unsafe { sql::sqlite3_bind_null(handle, parameter) });
    }
    if value.is_bigint() {
        let Some(number) = value.as_i64_exact() else {
            let error = if node {
                OpError::type_error("BigInt value is too large to bind.").code("ERR_INVALID_ARG_VALUE")
            } else {
                let message = "BigInt value is too large to bind: SQLite's integers have 64 bits";
                if is_big { OpError::range_error(message) } else { OpError::type_error(message) }
            };
            return Err(scope.throw_op_error(&error));
        };
        // SAFETY: an open statement.
        return Ok(unsafe { sql::sqlite3_bind_int64(handle, parameter, number) });
    }
    if let Some(flag) = value.as_bool().filter(|_| !node) {
        // SAFETY: an open statement.
        return Ok(unsafe { sql::sqlite3_bind_int64(handle, parameter, i64::from(flag)) });
    }
    Err(refuse(scope, node, parameter))
}

/// The name of a parameter as a text; `None` for one without.
pub(crate) fn parameter_name(handle: *mut sql::sqlite3_stmt, parameter: c_int) -> Option<Box<str>> {
    // SAFETY: an open statement; the name is copied.
    unsafe {
        let name = sql::sqlite3_bind_parameter_name(handle, parameter);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into())
    }
}
