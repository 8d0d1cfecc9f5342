//! The C interface of native plugins (<https://bun.com/docs/bundler/plugins#native-plugins>): functions of addons that see modules
//! before they are parsed, on the bundler's threads. The layouts are those of Bun's `bundler_plugin.h`.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::slice;

use bundle::{Fetch, Level, Loaded, Loader, Message, Position, Prepared};
use ext_napi::PluginFunction;

/// `OnBeforeParseArguments`
#[repr(C)]
struct Arguments {
    size: usize,
    /// The [`Question`].
    context: *mut c_void,
    path: *const u8,
    path_length: usize,
    namespace: *const u8,
    namespace_length: usize,
    default_loader: u8,
    external: *mut c_void,
}

/// `OnBeforeParseResult`
#[repr(C)]
struct Answer {
    size: usize,
    source: *mut u8,
    source_length: usize,
    loader: u8,
    fetch: unsafe extern "C" fn(*const Arguments, *mut Answer) -> c_int,
    source_context: *mut c_void,
    free_source_context: Option<unsafe extern "C" fn(*mut c_void)>,
    log: unsafe extern "C" fn(*const Arguments, *const LogOptions),
}

/// `BunLogOptions`
#[repr(C)]
struct LogOptions {
    size: usize,
    message: *const u8,
    message_length: usize,
    path: *const u8,
    path_length: usize,
    line_text: *const u8,
    line_text_length: usize,
    level: i8,
    line: c_int,
    end_line: c_int,
    column: c_int,
    end_column: c_int,
}

const _: () = {
    assert!(size_of::<Arguments>() == 64 && std::mem::offset_of!(Arguments, default_loader) == 48);
    assert!(size_of::<Answer>() == 64 && std::mem::offset_of!(Answer, fetch) == 32);
    assert!(size_of::<LogOptions>() == 80 && std::mem::offset_of!(LogOptions, level) == 56);
};

type Plugin = unsafe extern "C" fn(*const Arguments, *mut Answer);

/// The numbers by which plugins know loaders: those that Bun gives and takes. Its header has other ones from 7 to 12.
const LOADERS: [(u8, Loader); 20] = [
    (0, Loader::Jsx),
    (1, Loader::Js),
    (2, Loader::Ts),
    (3, Loader::Tsx),
    (4, Loader::Css),
    (5, Loader::File),
    (6, Loader::Json),
    (7, Loader::Jsonc),
    (8, Loader::Toml),
    (9, Loader::Wasm),
    (10, Loader::Napi),
    (11, Loader::Base64),
    (12, Loader::Dataurl),
    (13, Loader::Text),
    (15, Loader::Sqlite),
    (16, Loader::SqliteEmbedded),
    (17, Loader::Html),
    (18, Loader::Yaml),
    (19, Loader::Json5),
    (20, Loader::Md),
];

/// The number of a loader. What has none is a file; a plugin that leaves the number alone leaves the loader.
fn number_of(loader: Loader) -> u8 {
    LOADERS.iter().find(|(_, known)| *known == loader).map_or(5, |(number, _)| *number)
}

/// What the callbacks of one module need.
struct Question<'a, 'b> {
    namespace: &'a str,
    fetch: &'a mut Fetch<'b>,
    /// The bytes of the module with a zero behind them, once a plugin has asked. They stay where they are.
    source: Option<Vec<u8>>,
    is_unreadable: bool,
    messages: Vec<Message>,
}

/// Bytes that a plugin points to; none where it points nowhere.
///
/// # Safety
/// If `start` is not null, so many bytes are there while they are used.
unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's word.
    unsafe { slice::from_raw_parts(start, length) }
}

/// `fetchSourceCode`: 0 if the answer has the bytes of the module now.
///
/// # Safety
/// Called by a plugin with what it was given.
unsafe extern "C" fn fetch_source(arguments: *const Arguments, answer: *mut Answer) -> c_int {
    if arguments.is_null() || answer.is_null() {
        return 1;
    }
    // SAFETY: what the plugin was called with, which nobody else uses while it runs.
    let (question, answer) = unsafe { (&mut *(*arguments).context.cast::<Question<'_, '_>>(), &mut *answer) };
    if question.is_unreadable || question.messages.iter().any(Message::is_error) {
        return 1;
    }
    if !answer.source.is_null() {
        return 0;
    }
    if question.source.is_none() {
        match (question.fetch)() {
            Ok(mut bytes) => {
                // Plugins written in C look for texts in it.
                bytes.push(0);
                question.source = Some(bytes);
            }
            Err(()) => {
                question.is_unreadable = true;
                return 1;
            }
        }
    }
    if let Some(source) = &mut question.source {
        answer.source_length = source.len() - 1;
        answer.source = source.as_mut_ptr();
        answer.source_context = ptr::null_mut();
        answer.free_source_context = None;
    }
    0
}

/// `log`
///
/// # Safety
/// Called by a plugin with what it was given, and options whose texts are as long as they say.
unsafe extern "C" fn log(arguments: *const Arguments, options: *const LogOptions) {
    if arguments.is_null() || options.is_null() {
        return;
    }
    // SAFETY: what the plugin was called with, which nobody else uses while it runs. Bun's own helpers for C leave the size of the
    // options as it was in memory, so that it says nothing.
    let (question, options) = unsafe { (&mut *(*arguments).context.cast::<Question<'_, '_>>(), &*options) };
    // SAFETY: the plugin's word.
    let text = |start, length| unsafe { String::from_utf8_lossy(bytes(start, length)).into_owned() };
    let level = match options.level {
        0 => Level::Verbose,
        1 => Level::Debug,
        2 => Level::Info,
        3 => Level::Warning,
        _ => Level::Error,
    };
    let number = |number: c_int| usize::try_from(number).unwrap_or(0);
    let position = Position {
        file: text(options.path, options.path_length),
        namespace: question.namespace.to_string(),
        line: number(options.line),
        column: number(options.column),
        length: number(options.end_column.saturating_sub(options.column)),
        offset: 0,
        line_text: text(options.line_text, options.line_text_length),
    };
    let message = text(options.message, options.message_length);
    question.messages.push(Message { level, position: Some(position), ..Message::error(message) });
}

/// Gives a module to plugins in turn, until one has changed it or said that something is wrong.
pub(crate) fn before_parse<'p>(
    plugins: impl Iterator<Item = &'p PluginFunction>,
    path: &str,
    namespace: &str,
    loader: Loader,
    fetch: &mut Fetch<'_>,
) -> Prepared {
    let mut question = Question { namespace, fetch, source: None, is_unreadable: false, messages: Vec::new() };
    let mut loaded = None;
    for plugin in plugins {
        match ask(plugin, &mut question, path, loader) {
            Ok(found) => loaded = found,
            Err(text) => question.messages.push(Message::error(text)),
        }
        let is_failed = question.is_unreadable || question.messages.iter().any(Message::is_error);
        if loaded.is_some() || is_failed {
            break;
        }
    }
    // A plugin may have written into what it has fetched.
    let fetched = question.source.map(|mut source| {
        source.pop();
        Loaded { contents: source, loader: None, side_effects: None }
    });
    Prepared { loaded: loaded.or(fetched), messages: question.messages, is_unreadable: question.is_unreadable }
}

/// Asks one plugin; `None` if the module stays as it is. The error is what is wrong with the answer.
fn ask(
    plugin: &PluginFunction,
    question: &mut Question<'_, '_>,
    path: &str,
    loader: Loader,
) -> Result<Option<Loaded>, String> {
    let given = number_of(loader);
    let namespace = question.namespace;
    let context: *mut Question<'_, '_> = &raw mut *question;
    let mut answer = Answer {
        size: size_of::<Answer>(),
        source: ptr::null_mut(),
        source_length: 0,
        loader: given,
        fetch: fetch_source,
        source_context: ptr::null_mut(),
        free_source_context: None,
        log,
    };
    plugin
        .with(|address, external| {
            let arguments = Arguments {
                size: size_of::<Arguments>(),
                context: context.cast(),
                path: path.as_ptr(),
                path_length: path.len(),
                namespace: namespace.as_ptr(),
                namespace_length: namespace.len(),
                default_loader: given,
                external,
            };
            // SAFETY: the addon offers this function as one of this type; what it points to lives through the call.
            unsafe { std::mem::transmute::<*mut c_void, Plugin>(address)(&raw const arguments, &raw mut answer) };
        })
        .ok_or("the thread of the plugin has ended")?;
    let found = contents_of(plugin, question, &answer, (given, loader));
    if let Some(free) = answer.free_source_context.filter(|_| !answer.source_context.is_null()) {
        // SAFETY: the addon's own function with what goes with it; what it has pointed to was copied.
        plugin.with(|_, _| unsafe { free(answer.source_context) });
    }
    found
}

/// What a plugin has answered. `before`: number and loader that it was given.
fn contents_of(
    plugin: &PluginFunction,
    question: &Question<'_, '_>,
    answer: &Answer,
    before: (u8, Loader),
) -> Result<Option<Loaded>, String> {
    if answer.free_source_context.is_some() && answer.source_context.is_null() {
        return Err("Native plugin set the `free_plugin_source_code_context` field without setting the \
                    `plugin_source_code_context` field."
            .into());
    }
    if answer.source.is_null() {
        return Ok(None);
    }
    let loader = match answer.loader {
        same if same == before.0 => before.1,
        number => LOADERS.iter().find(|(known, _)| *known == number).map(|(_, loader)| *loader).ok_or_else(|| {
            format!("the native plugin \"{}\" has set the loader {number}, which there is not", plugin.name())
        })?,
    };
    let own = question.source.as_ref().filter(|source| ptr::eq(source.as_ptr(), answer.source));
    // What was fetched and left alone is for the next plugin, unless it is of another kind now.
    if let Some(own) = own {
        if answer.source_length >= own.len() {
            return Err(format!("the native plugin \"{}\" has set a length beyond the source", plugin.name()));
        }
        let is_same = loader == before.1 && answer.source_length == own.len() - 1;
        return Ok((!is_same).then(|| Loaded {
            contents: own[..answer.source_length].to_vec(),
            loader: Some(loader),
            side_effects: None,
        }));
    }
    // SAFETY: the plugin's word.
    let contents = unsafe { bytes(answer.source, answer.source_length) }.to_vec();
    Ok(Some(Loaded { contents, loader: Some(loader), side_effects: None }))
}
