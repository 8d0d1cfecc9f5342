//! Native half of Bun.secrets: the user's keyring by libsecret-1 (https://gnome.pages.gitlab.gnome.org/libsecret/), which is loaded
//! when a program first asks. Every call talks to a daemon over D-Bus and runs on the thread pool.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

use engine::{OpError, op, ops};

/// `SecretSchemaAttribute`.
#[repr(C)]
struct Attribute {
    name: *const c_char,
    kind: c_int,
}

/// `SecretSchema`, with what the library keeps for itself at its end.
#[repr(C)]
struct Schema {
    name: *const c_char,
    flags: c_int,
    attributes: [Attribute; 32],
    reserved: c_int,
    reserved_pointers: [*mut c_void; 7],
}

/// `GError`.
#[repr(C)]
struct GError {
    domain: u32,
    code: c_int,
    message: *mut c_char,
}

type HashFunction = unsafe extern "C" fn(*const c_void) -> u32;
type EqualFunction = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// The functions of libsecret and of GLib that are used.
struct Library {
    schema: Schema,
    new_table: unsafe extern "C" fn(HashFunction, EqualFunction) -> *mut c_void,
    insert: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int,
    free_table: unsafe extern "C" fn(*mut c_void),
    hash_text: HashFunction,
    equal_text: EqualFunction,
    free_error: unsafe extern "C" fn(*mut GError),
    lookup: unsafe extern "C" fn(*const Schema, *mut c_void, *mut c_void, *mut *mut GError) -> *mut c_char,
    store: unsafe extern "C" fn(
        *const Schema,
        *mut c_void,
        *const c_char,
        *const c_char,
        *const c_char,
        *mut c_void,
        *mut *mut GError,
    ) -> c_int,
    clear: unsafe extern "C" fn(*const Schema, *mut c_void, *mut c_void, *mut *mut GError) -> c_int,
    free_password: unsafe extern "C" fn(*mut c_char),
}

// SAFETY: the pointers of the schema lead to constants, and nothing in it changes.
unsafe impl Send for Library {}
// SAFETY: as above; the functions of the library may be called from any thread.
unsafe impl Sync for Library {}

/// The names by which Bun keeps its secrets, so that both find the same ones.
const SCHEMA_NAME: &CStr = c"com.oven-sh.bun.Secret";
const SERVICE: &CStr = c"service";
const ACCOUNT: &CStr = c"account";

#[allow(clippy::missing_transmute_annotations, reason = "the fields say what the functions are")]
fn load() -> Option<Library> {
    let open = |name: &CStr| {
        // SAFETY: the name ends with a zero byte; the library stays loaded until the process ends.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() { None } else { Some(handle) }
    };
    let (glib, secret) = (open(c"libglib-2.0.so.0")?, open(c"libsecret-1.so.0")?);
    let symbol = |library: *mut c_void, name: &CStr| {
        // SAFETY: the handle is that of a loaded library, and the name ends with a zero byte.
        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
        if address.is_null() { None } else { Some(address) }
    };
    let none = || Attribute { name: std::ptr::null(), kind: 0 };
    let mut attributes: [Attribute; 32] = std::array::from_fn(|_| none());
    // Both are texts, whose kind is 0.
    attributes[0].name = SERVICE.as_ptr();
    attributes[1].name = ACCOUNT.as_ptr();
    let schema = Schema {
        name: SCHEMA_NAME.as_ptr(),
        flags: 0,
        attributes,
        reserved: 0,
        reserved_pointers: [std::ptr::null_mut(); 7],
    };
    // SAFETY: the types are those that the headers of GLib 2 and libsecret 1 declare for these names.
    unsafe {
        Some(Library {
            schema,
            new_table: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_hash_table_new")?),
            insert: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_hash_table_insert")?),
            free_table: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_hash_table_unref")?),
            hash_text: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_str_hash")?),
            equal_text: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_str_equal")?),
            free_error: std::mem::transmute::<*mut c_void, _>(symbol(glib, c"g_error_free")?),
            lookup: std::mem::transmute::<*mut c_void, _>(symbol(secret, c"secret_password_lookupv_sync")?),
            store: std::mem::transmute::<*mut c_void, _>(symbol(secret, c"secret_password_storev_sync")?),
            clear: std::mem::transmute::<*mut c_void, _>(symbol(secret, c"secret_password_clearv_sync")?),
            free_password: std::mem::transmute::<*mut c_void, _>(symbol(secret, c"secret_password_free")?),
        })
    }
}

fn failure(message: impl Into<String>) -> OpError {
    OpError::error(message).code("ERR_SECRETS_PLATFORM_ERROR")
}

fn library() -> Result<&'static Library, OpError> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    LIBRARY.get_or_init(load).as_ref().ok_or_else(|| failure("libsecret not available"))
}

fn text(value: String) -> Result<CString, OpError> {
    CString::new(value).map_err(|_| OpError::type_error("a text with a null byte"))
}

/// The attributes of a secret, for as long as one call takes.
struct Table {
    table: *mut c_void,
    library: &'static Library,
    _texts: [CString; 2],
}

impl Table {
    fn new(library: &'static Library, service: String, name: String) -> Result<Table, OpError> {
        let texts = [text(service)?, text(name)?];
        // SAFETY: the table keeps pointers to texts that live as long as it does, in the same struct.
        let table = unsafe {
            let table = (library.new_table)(library.hash_text, library.equal_text);
            (library.insert)(table, SERVICE.as_ptr(), texts[0].as_ptr());
            (library.insert)(table, ACCOUNT.as_ptr(), texts[1].as_ptr());
            table
        };
        Ok(Table { table, library, _texts: texts })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: the table is this struct's only.
        unsafe { (self.library.free_table)(self.table) }
    }
}

/// The error that a call left, if it did.
fn check(library: &Library, error: *mut GError) -> Result<(), OpError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the library set the pointer to an error that is the caller's now; its message is a text.
    let message = unsafe {
        let message = CStr::from_ptr((*error).message).to_string_lossy().into_owned();
        (library.free_error)(error);
        message
    };
    Err(failure(message))
}

/// The value of a secret; undefined if there is none.
#[op(blocking)]
fn get(service: String, name: String) -> Result<Option<String>, OpError> {
    let library = library()?;
    let table = Table::new(library, service, name)?;
    let mut error = std::ptr::null_mut();
    // SAFETY: schema and table live until the call returns; no cancellation is used.
    let value =
        unsafe { (library.lookup)(&raw const library.schema, table.table, std::ptr::null_mut(), &raw mut error) };
    check(library, error)?;
    if value.is_null() {
        return Ok(None);
    }
    // SAFETY: the value is a text of the library's, which its own function frees (and overwrites).
    let copied = unsafe {
        let copied = CStr::from_ptr(value).to_string_lossy().into_owned();
        (library.free_password)(value);
        copied
    };
    Ok(Some(copied))
}

/// Keeps a secret, in place of one with the same names.
#[op(blocking)]
fn set(service: String, name: String, value: String) -> Result<(), OpError> {
    let library = library()?;
    let label = text(format!("{service}/{name}"))?;
    let table = Table::new(library, service, name)?;
    let value = text(value)?;
    let mut error = std::ptr::null_mut();
    // SAFETY: schema, table and texts live until the call returns; a null collection is the default one.
    unsafe {
        (library.store)(
            &raw const library.schema,
            table.table,
            std::ptr::null(),
            label.as_ptr(),
            value.as_ptr(),
            std::ptr::null_mut(),
            &raw mut error,
        )
    };
    check(library, error)
}

/// Removes a secret; whether there was one.
#[op(blocking)]
fn delete(service: String, name: String) -> Result<bool, OpError> {
    let library = library()?;
    let table = Table::new(library, service, name)?;
    let mut error = std::ptr::null_mut();
    // SAFETY: schema and table live until the call returns.
    let removed =
        unsafe { (library.clear)(&raw const library.schema, table.table, std::ptr::null_mut(), &raw mut error) };
    check(library, error)?;
    Ok(removed != 0)
}

ops!(pub fn family "secrets" { get, set, delete });
