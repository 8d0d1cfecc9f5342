//! Family "vm": realms and scripts for node:vm.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use engine::{CompileOptions, Exc, Local, OpError, Scope, Stencil, op, ops};

use crate::state::RuntimeState;
use crate::{errors, modules};

/// Compiled scripts of a thread by number.
#[derive(Default)]
struct Scripts {
    next: u32,
    compiled: HashMap<u32, std::rc::Rc<Compiled>>,
}

struct Compiled {
    stencil: Stencil,
    /// Number towards the loader, for `import()`.
    referrer: u32,
}

/// Makes a realm with the language's globals; gives its global object.
#[op]
fn create_realm<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let global = scope.new_realm()?;
    scope.in_realm_of(global, errors::install)?;
    Ok(global)
}

/// Compiles a script: its number.
///
/// - `line`, `column`: of the first character, from 1.
/// - `environment`: whether it is for [`run_with`].
/// - `import_callback`: called with (specifier, attributes) for its `import()` calls; undefined refuses them; `true` loads as the
///   program's modules do.
/// - `cached`: bytes of [`cached_data`], used where they fit.
///
/// Gives `[number, whether the bytes were refused]`.
#[op]
#[allow(clippy::too_many_arguments, reason = "the fields of one call")]
fn compile<'s>(
    scope: &mut Scope<'s>,
    source: String,
    filename: String,
    line: f64,
    column: f64,
    environment: bool,
    import_callback: Local<'s>,
    cached: Option<Vec<u8>>,
) -> Result<(u32, bool), Exc> {
    let state = RuntimeState::of(scope);
    let mut rejected = false;
    let mut stencil = None;
    if let Some(bytes) = cached {
        if let Some(code) = split_cached(&bytes, &source, environment) {
            stencil = scope.decode_stencil(code)?;
        }
        rejected = stencil.is_none();
    }
    let stencil = match stencil {
        Some(stencil) => stencil,
        None => {
            let options = CompileOptions {
                line: line.max(0.0) as u32,
                column: column.max(1.0) as u32,
                environment,
                ..CompileOptions::new(&filename)
            };
            scope.compile_script(&source, &options)?
        }
    };
    let referrer = modules::add_vm_referrer(scope, &state, &filename, import_callback);
    let scripts = scope.state().get_or_default::<Scripts>();
    scripts.next += 1;
    let number = scripts.next;
    scripts.compiled.insert(number, std::rc::Rc::new(Compiled { stencil, referrer }));
    Ok((number, rejected))
}

/// Cached data: a hash of the source and of the kind of script, then the engine's bytes.
fn split_cached<'b>(bytes: &'b [u8], source: &str, environment: bool) -> Option<&'b [u8]> {
    let (head, code) = bytes.split_at_checked(9)?;
    let expected = xxhash_rust::xxh3::xxh3_64(source.as_bytes()).to_le_bytes();
    (head[..8] == expected && head[8] == u8::from(environment)).then_some(code)
}

fn compiled(scope: &mut Scope<'_>, script: u32) -> Result<std::rc::Rc<Compiled>, Exc> {
    match scope.state().get_or_default::<Scripts>().compiled.get(&script).cloned() {
        Some(compiled) => Ok(compiled),
        None => Err(scope.throw_error("the compiled script is gone")),
    }
}

/// Serialised form of a script, or undefined where it has none.
#[op]
fn cached_data(scope: &mut Scope<'_>, script: u32, source: String, environment: bool) -> Result<Option<Vec<u8>>, Exc> {
    let compiled = compiled(scope, script)?;
    let Some(code) = scope.encode_stencil(&compiled.stencil)? else { return Ok(None) };
    let mut bytes = xxhash_rust::xxh3::xxh3_64(source.as_bytes()).to_le_bytes().to_vec();
    bytes.push(u8::from(environment));
    bytes.extend_from_slice(&code);
    Ok(Some(bytes))
}

/// Forgets a script.
#[op]
fn release(scope: &mut Scope<'_>, script: u32) {
    scope.state().get_or_default::<Scripts>().compiled.remove(&script);
}

/// Runs a script in the main realm. `timeout` in milliseconds, 0 for none.
#[op]
fn run<'s>(scope: &mut Scope<'s>, script: u32, timeout: f64) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    limited(scope, timeout, |scope| {
        scope.in_main_realm(|scope| scope.run_script(&compiled.stencil, Some(compiled.referrer)))
    })
}

/// Runs a script in the realm of `global`, its free names looked up in `environment` first.
#[op]
fn run_with<'s>(
    scope: &mut Scope<'s>,
    script: u32,
    global: Local<'s>,
    environment: Local<'s>,
    timeout: f64,
) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    limited(scope, timeout, |scope| {
        scope
            .in_realm_of(global, |scope| scope.run_script_with(&compiled.stencil, environment, Some(compiled.referrer)))
    })
}

/// Runs a script in the realm of `global`.
#[op]
fn run_in<'s>(scope: &mut Scope<'s>, script: u32, global: Local<'s>, timeout: f64) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    limited(scope, timeout, |scope| {
        scope.in_realm_of(global, |scope| scope.run_script(&compiled.stencil, Some(compiled.referrer)))
    })
}

/// Runs `f` for at most `timeout` milliseconds.
fn limited<'s>(
    scope: &mut Scope<'s>,
    timeout: f64,
    f: impl FnOnce(&mut Scope<'s>) -> Result<Local<'s>, Exc>,
) -> Result<Local<'s>, Exc> {
    if timeout <= 0.0 {
        return f(scope);
    }
    let state = RuntimeState::of(scope);
    let deadline = Instant::now() + Duration::from_millis(timeout as u64);
    let outer = state.vm_deadline.replace(Some(deadline));
    let done = Arc::new((Mutex::new(false), Condvar::new()));
    let watcher = {
        let done = done.clone();
        let interrupt = scope.interrupt_handle();
        std::thread::spawn(move || {
            let (finished, changed) = &*done;
            let finished = finished.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let wait = deadline.saturating_duration_since(Instant::now());
            let (finished, _) = changed
                .wait_timeout_while(finished, wait, |finished| !*finished)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            if !*finished {
                interrupt.request();
            }
        })
    };
    let result = f(scope);
    *done.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
    done.1.notify_all();
    let _ = watcher.join();
    state.vm_deadline.set(outer);
    let timed_out = Instant::now() >= deadline && scope.is_terminated() && state.exit.get().is_none();
    match result {
        Err(_) if timed_out && outer.is_none_or(|outer| Instant::now() < outer) => {
            scope.clear_terminated();
            Err(scope.throw_op_error(
                &OpError::error(format!("Script execution timed out after {timeout}ms"))
                    .code("ERR_SCRIPT_EXECUTION_TIMEOUT"),
            ))
        }
        result => result,
    }
}

ops!(pub fn family "vm" { create_realm, compile, cached_data, release, run, run_with, run_in });
