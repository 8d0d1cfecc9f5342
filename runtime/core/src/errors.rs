//! Errors that reach people: stacks with original positions, uncaught errors, exit codes.

use std::borrow::Cow;

use engine::{Exc, JsResult, Local, OpError, PropertyAttributes, Scope, StackFrame, op};

use base::stdio::write_all;
use resolve::paths::percent_decode;

use crate::builtins;
use crate::state::RuntimeState;
use crate::versions::NODE_VERSION;

/// Whether a frame belongs to bao itself.
pub(crate) fn is_internal(source: &str) -> bool {
    source.starts_with("node:")
        || source.starts_with("internal/")
        || source.starts_with("web/")
        || source.starts_with("bun/")
        || source.is_empty()
        || source == "self-hosted"
}

/// The one module of bao whose frames are shown, as Node's are: the package agent-base (npm, https-proxy-agent and others) looks for its
/// name in the stack, to learn whether a request is to be encrypted.
const VISIBLE_MODULE: &str = "node:https";

/// Frames as a program sees them: positions mapped back to what was written, bao's own frames left out but for [`VISIBLE_MODULE`].
pub fn visible_frames(state: &RuntimeState, frames: Vec<StackFrame>) -> Vec<StackFrame> {
    frames
        .into_iter()
        .filter(|frame| frame.source == VISIBLE_MODULE || !is_internal(&frame.source))
        .map(|mut frame| {
            let own = state.modules.borrow_mut().map_for(&frame.source);
            let is_own = own.is_some();
            let map = own.or_else(|| state.program_maps.map_for(&frame.source, &state.options));
            if let Some(map) = map
                && let Some(position) = map.lookup(frame.line.saturating_sub(1), frame.column.saturating_sub(1))
                && let Some(source) = map.sources().get(position.source as usize).filter(|it| is_own || !it.is_empty())
            {
                frame.line = position.line + 1;
                frame.column = position.column + 1;
                // The map of a file is about this file, that of a bundle about many that may not be there.
                if !is_own || standalone::current().is_some() {
                    frame.source.clone_from(source);
                }
            }
            frame
        })
        .collect()
}

/// One line of a stack in V8's format.
fn frame_line(frame: &StackFrame) -> String {
    let place = format!("{}:{}:{}", frame.source, frame.line, frame.column);
    // The engine writes `outer/inner` and `inner<` for functions inside others; V8 the innermost name.
    let name = display_name(&frame.function);
    let prefix = if frame.is_async { "async " } else { "" };
    if name.is_empty() { format!("    at {prefix}{place}") } else { format!("    at {prefix}{name} ({place})") }
}

/// The engine's display name in V8's words.
pub fn display_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.trim_end_matches('<');
    let name = name.strip_prefix("async*").unwrap_or(name);
    name.to_string()
}

fn header(scope: &mut Scope<'_>, error: Local<'_>) -> JsResult<String> {
    let name = scope.get(error, "name")?;
    let name = if name.is_undefined() { "Error".to_string() } else { scope.to_string(name)? };
    let message = scope.get(error, "message")?;
    let message = if message.is_undefined() { String::new() } else { scope.to_string(message)? };
    Ok(match (name.is_empty(), message.is_empty()) {
        (true, _) => message,
        (false, true) => name,
        (false, false) => format!("{name}: {message}"),
    })
}

/// The frames of an error as V8 begins them: below the constructors of its class, for `class Failure extends Error`.
pub fn error_frames(scope: &mut Scope<'_>, error: Local<'_>) -> JsResult<Option<Vec<StackFrame>>> {
    let Some(mut frames) = scope.error_stack(error)? else { return Ok(None) };
    if frames.first().is_none_or(|frame| frame.function.is_empty()) {
        return Ok(Some(frames));
    }
    // Names of the classes between the error and the language's own.
    let names = scope.nested(|scope| -> JsResult<Vec<String>> {
        let mut names = Vec::new();
        let mut prototype = scope.prototype_of(error)?;
        while prototype.is_object() && names.len() < 16 {
            if !scope.has_own(prototype, "constructor")? || scope.has_own(prototype, "stack")? {
                break;
            }
            let constructor = scope.get(prototype, "constructor")?;
            if !constructor.is_callable() {
                break;
            }
            let name = scope.get(constructor, "name")?;
            if name.is_string() {
                names.push(scope.to_string(name)?);
            }
            prototype = scope.prototype_of(prototype)?;
        }
        Ok(names)
    });
    let Ok(names) = names else {
        // A getter threw: the frames as they are.
        if let Err(exc) = names {
            scope.take_exception(exc);
        }
        return Ok(Some(frames));
    };
    if let Some(class) = names.first() {
        // The outermost constructor is that of the class itself; those of its bases come before it.
        let inside = frames.iter().take_while(|frame| names.iter().any(|name| *name == display_name(&frame.function)));
        let last = inside.enumerate().filter(|(_, frame)| display_name(&frame.function) == *class).last();
        if let Some((index, _)) = last {
            frames.drain(..=index);
        }
    }
    Ok(Some(frames))
}

fn stack_limit(scope: &mut Scope<'_>) -> JsResult<Option<usize>> {
    let global = scope.global_object();
    let constructor = scope.get(global, "Error")?;
    if !constructor.is_object() {
        return Ok(Some(10));
    }
    let limit = scope.get(constructor, "stackTraceLimit")?;
    Ok(limit.as_number().map(|n| if n.is_nan() || n < 0.0 { 0 } else { n.min(200.0) as usize }))
}

fn prepare_function<'s>(scope: &mut Scope<'s>) -> JsResult<Option<Local<'s>>> {
    let global = scope.global_object();
    let constructor = scope.get(global, "Error")?;
    if !constructor.is_object() {
        return Ok(None);
    }
    let function = scope.get(constructor, "prepareStackTrace")?;
    Ok(function.is_callable().then_some(function))
}

/// The `stack` text of an error with these frames, or what `Error.prepareStackTrace` makes of them.
fn stack_value<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    error: Local<'s>,
    frames: Vec<StackFrame>,
) -> JsResult<Local<'s>> {
    let mut frames = visible_frames(state, frames);
    let limit = stack_limit(scope)?;
    frames.truncate(limit.unwrap_or(0));
    if state.stacks_have_paths.get() {
        for frame in &mut frames {
            if let Some(path) = frame.source.strip_prefix("file://") {
                frame.source = percent_decode(path).into_owned();
            }
        }
    }
    // As in V8: a program's function that reads `stack` itself finds the text.
    if !state.preparing_stack.get()
        && let Some(function) = prepare_function(scope)?
    {
        let list = scope.new_array(&[])?;
        for (index, frame) in frames.iter().enumerate() {
            let name = scope.string(&display_name(&frame.function))?;
            let source = scope.string(&frame.source)?;
            let line = scope.number(f64::from(frame.line));
            let column = scope.number(f64::from(frame.column));
            let is_async = scope.boolean(frame.is_async);
            let item = scope.new_array(&[name, source, line, column, is_async])?;
            scope.set_index(list, index as u32, item)?;
        }
        let list = builtins::call(scope, "internal/core/call_sites", "makeCallSites", &[list])?;
        let global = scope.global_object();
        let constructor = scope.get(global, "Error")?;
        state.preparing_stack.set(true);
        let prepared = scope.call(function, constructor, &[error, list]);
        state.preparing_stack.set(false);
        return prepared;
    }
    let mut text = header(scope, error)?;
    for frame in &frames {
        text.push('\n');
        text.push_str(&frame_line(frame));
    }
    scope.string(&text)
}

/// Getter of `Error.prototype.stack`: made on first use and kept as an own property, as V8's is from the start.
#[op]
fn stack_getter<'s>(scope: &mut Scope<'s>, this: Local<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let Some(mut frames) = error_frames(scope, this)? else { return Ok(scope.undefined()) };
    if frames.is_empty()
        && let Some(place) = syntax_place(scope, this)
    {
        frames.push(place);
    }
    let value = stack_value(scope, &state, this, frames)?;
    scope.define(this, "stack", value, PropertyAttributes::HIDDEN)?;
    Ok(value)
}

/// Setter of `Error.prototype.stack`.
#[op]
fn stack_setter<'s>(scope: &mut Scope<'s>, this: Local<'s>, value: Local<'s>) -> Result<(), Exc> {
    if this.is_object() { scope.define(this, "stack", value, PropertyAttributes::HIDDEN) } else { Ok(()) }
}

/// `Error.captureStackTrace(object, below)`.
#[op]
fn capture_stack_trace<'s>(scope: &mut Scope<'s>, object: Local<'s>, below: Local<'s>) -> Result<(), Exc> {
    if !object.is_object() {
        let error = OpError::type_error("Invalid argument: Error.captureStackTrace needs an object");
        return Err(scope.throw_op_error(&error.code("ERR_INVALID_ARG_TYPE")));
    }
    let state = RuntimeState::of(scope);
    let frames = scope.stack_below(below, 128)?;
    let value = stack_value(scope, &state, object, frames)?;
    scope.define(object, "stack", value, PropertyAttributes::HIDDEN)
}

/// Gives the realm V8's stack interface.
pub fn install(scope: &mut Scope<'_>) -> JsResult<()> {
    let getter = scope.native_method("get stack", OP_stack_getter, true)?;
    let setter = scope.native_method("set stack", OP_stack_setter, true)?;
    let global = scope.global_object();
    let constructor = scope.get(global, "Error")?;
    let prototype = scope.get(constructor, "prototype")?;
    scope.define_accessor(prototype, "stack", getter, setter)?;
    let capture = scope.native_function("captureStackTrace", 2, OP_capture_stack_trace.native)?;
    scope.define(constructor, "captureStackTrace", capture, PropertyAttributes::HIDDEN)?;
    let limit = scope.int(10);
    scope.define(constructor, "stackTraceLimit", limit, PropertyAttributes::ALL)?;
    // Programs test for "out of stack" with `instanceof RangeError`, as V8 and JavaScriptCore throw it.
    let internal = scope.get(global, "InternalError")?;
    let internal_prototype = scope.get(internal, "prototype")?;
    let range = scope.get(global, "RangeError")?;
    let range_prototype = scope.get(range, "prototype")?;
    scope.set_prototype(internal_prototype, range_prototype)?;
    let name = scope.string("RangeError")?;
    scope.define(internal_prototype, "name", name, PropertyAttributes::HIDDEN)?;
    scope.define(internal_prototype, "constructor", range, PropertyAttributes::HIDDEN)?;
    scope.delete(global, "InternalError")?;
    Ok(())
}

/// Handles a pending exception that reached the bottom of the stack.
pub fn uncaught(scope: &mut Scope<'_>, state: &RuntimeState, exc: Exc) {
    scope.nested(|scope| match scope.take_exception(exc) {
        Some(error) => {
            trigger_uncaught(scope, state, error, false);
            // That of the failed callback: it was left for the handlers.
            let none = scope.undefined();
            scope.set_async_context(none);
        }
        None => {
            // Execution was ended by process.exit or a termination request.
            if state.exit.get().is_none() && !recover(scope, state) {
                ended(scope, state);
            }
        }
    });
}

/// What ended the program's code is final: says so if it was the heap's limit, and sets the exit code.
fn ended(scope: &mut Scope<'_>, state: &RuntimeState) {
    if scope.heap_exhausted() && !state.is_worker() {
        let limit = scope.heap_limit() >> 20;
        let message = format!(
            "error: out of memory: the JavaScript heap has reached its limit ({limit} MiB) and collecting frees next to nothing\n  \
             --max-old-space-size=MiB changes the limit (at most 4095), unless `ulimit -v` is what sets it\n"
        );
        let _ = write_all(2, message.as_bytes());
        report_exhaustion(scope);
    }
    state.exit.set(Some(1));
}

/// Bytes that a report of a full heap may take.
const REPORT_BYTES: u32 = 64 << 20;

/// The report that `process.report.reportOnFatalError` asks for. The program's code has ended; what it holds is still there, so that
/// the report needs room of its own.
fn report_exhaustion(scope: &mut Scope<'_>) {
    if !builtins::is_loaded(scope, "internal/process/report") {
        return;
    }
    scope.clear_exhausted();
    let limit = f64::from(scope.heap_limit());
    scope.raise_heap_limit(REPORT_BYTES);
    scope.nested(|scope| {
        let limit = scope.number(limit);
        if let Err(exc) = builtins::call(scope, "internal/process/report", "fatal", &[limit]) {
            let _ = scope.take_exception(exc);
        }
    });
}

/// Whether one of the thread's limits lets it go on after code was ended, see [`Limit`](crate::limits::Limit).
pub fn recover(scope: &mut Scope<'_>, state: &RuntimeState) -> bool {
    if state.exit.get().is_some() {
        return false;
    }
    let limits = state.limits.borrow().clone();
    limits.iter().any(|limit| limit.recover(scope))
}

/// The exit code where the program has put something else than a function in the place of `process._fatalException`.
const NO_HANDLER: i32 = 6;

/// An error nobody caught: `uncaughtException` handlers, else report and exit code.
pub fn trigger_uncaught(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>, from_promise: bool) {
    if state.exit.get().is_some() {
        return;
    }
    // A module that is ended so rejects its promise with undefined.
    if scope.heap_exhausted() {
        if !recover(scope, state) {
            ended(scope, state);
        }
        return;
    }
    let mut code = 1;
    // Without a process object there is nobody to ask.
    if state.process_used.get() || builtins::is_loaded(scope, "internal/process/execution") {
        let result = scope.escape(|scope| {
            let error = scope.copy(error);
            let from_promise = scope.boolean(from_promise);
            builtins::call(scope, "internal/process/execution", "onUncaughtException", &[error, from_promise])
        });
        match result {
            Ok(handled) if handled.as_number() == Some(f64::from(NO_HANDLER)) => {
                report(scope, state, error);
                state.exit.set(Some(NO_HANDLER));
                return;
            }
            Ok(handled) if handled.truthy() => return,
            Ok(_) => {}
            Err(exc) => {
                code = 7;
                if let Some(second) = scope.take_exception(exc) {
                    if state.is_worker() {
                        tell_parent(scope, second);
                        code = 1;
                    } else {
                        report(scope, state, second);
                    }
                    state.exit.set(Some(code));
                    return;
                }
                if state.exit.get().is_some() {
                    return;
                }
            }
        }
    }
    if let Some(tell) = state.on_uncaught.get() {
        tell(scope, error);
    }
    if state.is_worker() {
        // The parent gets it as an "error" event.
        tell_parent(scope, error);
    } else {
        report(scope, state, error);
    }
    if state.options.hot.is_some() {
        // The next version of the file may be better.
        return;
    }
    if state.process_used.get() {
        let result = scope.escape(|scope| {
            let number = scope.int(code);
            builtins::call(scope, "internal/process/execution", "emitExit", &[number])
        });
        if let Ok(value) = result
            && let Some(number) = value.as_number()
        {
            code = number as i32;
        }
    }
    state.exit.set(Some(code));
}

/// Tells the parent of a worker of an error that nothing in the worker has caught.
fn tell_parent(scope: &mut Scope<'_>, error: Local<'_>) {
    let told = scope.nested(|scope| {
        let error = scope.copy(error);
        builtins::call(scope, "internal/worker/child", "reportError", &[error]).map(drop)
    });
    if let Err(exc) = told {
        scope.take_exception(exc);
    }
}

/// Prints an uncaught error: the line it came from with a caret, then the error as `console.error` shows it.
pub fn report(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>) {
    let text = report_text(scope, state, error);
    let _ = write_all(2, text.as_bytes());
}

fn report_text(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>) -> String {
    let mut out = String::new();
    let has_excerpt = error.is_object() && scope.has_own(error, "\u{0}excerpt").unwrap_or(false);
    if !has_excerpt && let Some(excerpt) = excerpt_of(scope, state, error) {
        out.push_str(&excerpt);
    }
    let inspected = scope.escape(|scope| {
        let error = scope.copy(error);
        builtins::call(scope, "internal/util/inspect", "inspect", &[error])
    });
    let inspected = match inspected {
        Ok(text) => scope.display(text),
        Err(exc) => {
            scope.take_exception(exc);
            scope.display(error)
        }
    };
    if error.is_object() {
        // An error without any frame prints in brackets inside other values; alone it needs none.
        let is_error = matches!(scope.error_stack(error), Ok(Some(_)));
        let bare = inspected.strip_prefix('[').filter(|_| is_error).and_then(|text| match text.split_once("] {\n") {
            Some((head, properties)) => Some(format!("{head} {{\n{properties}")),
            None => text.strip_suffix(']').filter(|text| !text.contains('\n')).map(str::to_string),
        });
        out.push_str(bare.as_deref().unwrap_or(&inspected));
    } else {
        out.push_str("Uncaught:\n");
        out.push_str(&inspected);
        out.push_str("\n(a value that is no Error was thrown, so there is no stack)");
    }
    if let Some(note) = tried_note(scope, state, error) {
        out.push_str(&note);
    }
    out.push_str(&format!("\n\nbao {} (Node.js {} API)\n", env!("CARGO_PKG_VERSION"), NODE_VERSION));
    out
}

/// What a failed import was looked for under.
fn tried_note(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>) -> Option<String> {
    const SHOWN: usize = 8;
    let failed = state.failed_import.borrow();
    let failed = failed.as_ref().filter(|failed| failed.error.get(scope).same(error) && !failed.tried.is_empty())?;
    // One line for a path and all the extensions it was tried with.
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in &failed.tried {
        match lines.last_mut() {
            Some((base, extensions)) if path.strip_prefix(*base).is_some_and(|rest| rest.starts_with('.')) => {
                extensions.push(&path[base.len()..]);
            }
            _ => lines.push((path, Vec::new())),
        }
    }
    let mut note = String::from("\n\nlooked for:");
    for (path, extensions) in lines.iter().take(SHOWN) {
        note.push_str(&format!("\n  {path}"));
        if !extensions.is_empty() {
            note.push_str(&format!(" (also with {})", extensions.join(" ")));
        }
    }
    if lines.len() > SHOWN {
        note.push_str(&format!("\n  and {} more", lines.len() - SHOWN));
    }
    Some(note)
}

fn import_place(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>) -> Option<StackFrame> {
    let failed = state.failed_import.borrow();
    let failed = failed.as_ref().filter(|failed| failed.error.get(scope).same(error))?;
    let (source, line, column) = failed.place.clone()?;
    Some(StackFrame { function: String::new(), source, line, column, is_async: false })
}

fn excerpt_of(scope: &mut Scope<'_>, state: &RuntimeState, error: Local<'_>) -> Option<String> {
    if let Some(frame) = import_place(scope, state, error) {
        return excerpt_at(state, &frame);
    }
    let frames = error_frames(scope, error).ok().flatten()?;
    let mut frames = visible_frames(state, frames);
    // A syntax error found by the engine has its place in properties, not in the stack.
    if let Some(frame) = syntax_place(scope, error) {
        frames = visible_frames(state, vec![frame]);
    }
    excerpt_at(state, &frames.into_iter().find(|frame| frame.source != VISIBLE_MODULE)?)
}

/// Where a module waits in a top-level await: `URL:LINE`, then the line and a mark below the `await` before `column`, from 1.
pub(crate) fn await_place(state: &RuntimeState, url: &str, line: u32, column: u32) -> String {
    let frame = StackFrame { function: String::new(), source: url.into(), line, column, is_async: false };
    let Some(frame) = visible_frames(state, vec![frame]).into_iter().next() else { return format!("{url}:{line}\n") };
    let Ok(Some(text)) = line_of(state, &frame) else { return format!("{url}:{}\n", frame.line) };
    // The engine's place is that of what is awaited.
    let chars: Vec<char> = text.chars().collect();
    let before: String = chars.iter().take(frame.column.saturating_sub(1) as usize).collect();
    let column = before.rfind("await").map_or(frame.column, |at| before[..at].chars().count() as u32 + 1);
    format!("{url}:{}\n{}\n\n\n\n", frame.line, marked(&text, column))
}

/// The path of a frame's file, which stands there as a URL if it is an ES module.
fn path_of(frame: &StackFrame) -> Cow<'_, str> {
    frame.source.strip_prefix("file://").map_or(Cow::Borrowed(frame.source.as_str()), percent_decode)
}

fn excerpt_at(state: &RuntimeState, frame: &StackFrame) -> Option<String> {
    let path = path_of(frame);
    let place = format!("{path}:{}", frame.line);
    match line_of(state, frame) {
        Ok(line) => Some(format!("{place}\n{}\n\n", marked(&line?, frame.column))),
        Err(_) => Some(format!("{place}\n\n")),
    }
}

/// The text of a frame's line; `None` if there is no such line.
fn line_of(state: &RuntimeState, frame: &StackFrame) -> std::io::Result<Option<String>> {
    let path = &*path_of(frame);
    let program = state.program_text.borrow();
    let text = match &*program {
        Some((name, text)) if name == path => text.clone().into_bytes(),
        _ => match state.modules.borrow().original_text(path).or_else(|| state.program_maps.text_of(path)) {
            Some(text) => text,
            None => crate::prepare::read_bytes(path)?,
        },
    };
    let Some(index) = frame.line.checked_sub(1) else { return Ok(None) };
    let line = text.split(|b| *b == b'\n').nth(index as usize);
    Ok(line.map(|line| String::from_utf8_lossy(line).trim_end().to_string()))
}

/// A line and a mark below a column, from 1. Very long lines (minified code) are cut around the place.
fn marked(line: &str, column: u32) -> String {
    let column = column.saturating_sub(1) as usize;
    let chars: Vec<char> = line.chars().collect();
    let start = column.saturating_sub(60).min(chars.len());
    let end = (start + 120).min(chars.len());
    let cut: String = chars[start..end].iter().collect();
    let pad: String = chars[start..column.min(end)].iter().map(|c| if *c == '\t' { '\t' } else { ' ' }).collect();
    format!("{cut}\n{pad}^")
}

fn syntax_place(scope: &mut Scope<'_>, error: Local<'_>) -> Option<StackFrame> {
    let name = scope.get(error, "name").ok()?;
    if scope.display(name) != "SyntaxError" {
        return None;
    }
    let file = scope.get(error, "fileName").ok()?;
    let line = scope.get(error, "lineNumber").ok()?.as_number()?;
    let column = scope.get(error, "columnNumber").ok()?.as_number()?;
    let source = file.is_string().then(|| scope.display(file))?;
    if is_internal(&source) || line < 1.0 {
        return None;
    }
    let (line, column) = written_place(scope, &source, line as u32, column as u32);
    Some(StackFrame { function: String::new(), source, line, column, is_async: false })
}

/// The place of what is missing at the end of a file: behind its last line, not on the empty one that follows.
fn written_place(scope: &mut Scope<'_>, source: &str, line: u32, column: u32) -> (u32, u32) {
    let path = source.strip_prefix("file://").unwrap_or(source);
    let state = RuntimeState::of(scope);
    let program = state.program_text.borrow();
    let text = match &*program {
        Some((name, text)) if name == path => text.clone(),
        _ => match crate::prepare::read_bytes(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => return (line, column),
        },
    };
    let written = text.trim_end();
    let lines = written.split('\n').count();
    if written.is_empty() || line as usize <= lines {
        return (line, column);
    }
    let last = written.rsplit('\n').next().unwrap_or_default();
    (lines as u32, last.encode_utf16().count() as u32 + 1)
}
