//! Between JavaScript values and what the other modules work with.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;

use engine::{FromJsAsync, Local, OpError, PinnedBytes, Scope};

use crate::process::Command;
use crate::stdio::Stdio;
use crate::strings::CStrings;

/// Of a value that has no bytes.
pub(crate) fn no_bytes() -> OpError {
    OpError::type_error("native function expected an ArrayBuffer or a view").code("ERR_INVALID_ARG_TYPE")
}

fn no_nul<E>(_: E) -> OpError {
    OpError::type_error("must be a string without null bytes").code("ERR_INVALID_ARG_VALUE")
}

/// Text for a program: a string, or bytes that need not be UTF-8.
pub(crate) struct ByteText(pub Vec<u8>);

/// In TypeScript: `string | Native.Bytes`.
impl FromJsAsync for ByteText {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        match scope.pin_bytes(value) {
            Some(bytes) => Ok(ByteText(bytes.as_slice().to_vec())),
            None => String::from_js_async(scope, value).map(|text| ByteText(text.into_bytes())),
        }
    }
}

/// Bytes per descriptor, undefined where there are none.
pub(crate) struct Inputs(pub Vec<Option<PinnedBytes>>);

/// In TypeScript: `readonly (Native.Bytes | null | undefined)[] | null | undefined`.
impl FromJsAsync for Inputs {
    fn from_js_async(scope: &mut Scope<'_>, value: Local<'_>) -> Result<Self, OpError> {
        if value.is_nullish() {
            return Ok(Inputs(Vec::new()));
        }
        scope.nested(|scope| {
            let length = scope.array_length(value).map_err(|exc| {
                scope.take_exception(exc);
                no_bytes()
            })?;
            let mut list = Vec::with_capacity(length as usize);
            for index in 0..length {
                let item = scope.get_index(value, index).map_err(|exc| {
                    scope.take_exception(exc);
                    no_bytes()
                })?;
                list.push(if item.is_nullish() { None } else { Some(scope.pin_bytes(item).ok_or_else(no_bytes)?) });
            }
            Ok(Inputs(list))
        })
    }
}

/// A program that is in an archive of the store, which the system cannot start: a script for node or bun is run by this executable,
/// anything else from a real file with its content. `args` are joined with NUL, the first is argv[0].
fn archived(file: String, args: Vec<u8>, cwd: Option<&str>) -> (String, Vec<u8>) {
    if !file.contains('/') {
        return (file, args);
    }
    if store::concerns(file.as_bytes()) && base::permission::has_all(base::permission::Area::Write) {
        let place = cwd.map_or_else(|| file.clone().into(), |cwd| std::path::Path::new(cwd).join(&file));
        if let Err(error) = store::prepare_program(&place) {
            base::stderr_line!(
                "warn: {file} cannot read archives, and packages cannot be put on the disk for it: {error}"
            );
        }
    }
    let path = match cwd {
        Some(cwd) if !file.starts_with('/') => format!("{cwd}/{file}"),
        _ => file.clone(),
    };
    let node = match store::find(path.as_bytes(), true) {
        store::Place::Node(node) if !node.is_dir() => node,
        store::Place::At(path) => return (String::from_utf8(path).unwrap_or(file), args),
        _ => return (file, args),
    };
    let content = node.content().unwrap_or_default();
    let line =
        content.strip_prefix(b"#!").and_then(|rest| rest.split(|&byte| byte == b'\n').next()).unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let ours = line.split([' ', '/', '\t', '\r']).any(|word| matches!(word, "node" | "bun" | "bao"));
    match (std::env::current_exe(), ours) {
        (Ok(executable), true) => {
            let executable = executable.to_string_lossy().into_owned();
            let rest = args.iter().position(|&byte| byte == 0).map_or(&[][..], |at| &args[at..]);
            let args = [executable.as_bytes(), b"\0", path.as_bytes(), rest].concat();
            (executable, args)
        }
        _ => match store::extract(&node) {
            Ok(real) => (real.to_string_lossy().into_owned(), args),
            Err(_) => (file, args),
        },
    }
}

/// The working directory of a child. One that is in an archive is put on the disk, unless this process may not write there; why it
/// cannot be is told by the error of the start.
fn directory(cwd: String) -> String {
    use base::permission::{Area, has};
    if !store::concerns(cwd.as_bytes()) || !has(Area::Write, cwd.as_bytes()) {
        return cwd;
    }
    match store::directory_on_disk(cwd.as_bytes()) {
        Some(Ok(place)) => place.into_os_string().into_string().unwrap_or(cwd),
        Some(Err(error)) => {
            base::stderr_line!(
                "warn: {cwd} is in an archive and cannot be put on the disk to be a working directory: {error}"
            );
            cwd
        }
        None => cwd,
    }
}

/// The entries of `stdio`.
pub(crate) fn stdio(numbers: &[f64]) -> Result<Vec<Stdio>, OpError> {
    Stdio::list(numbers).ok_or_else(|| OpError::type_error("unknown kind of stdio"))
}

/// All variables of this process, joined with NUL.
fn own_variables() -> Vec<u8> {
    let all: Vec<Vec<u8>> =
        std::env::vars_os().map(|(name, value)| [name.as_bytes(), &b"="[..], value.as_bytes()].concat()).collect();
    all.join(&0)
}

/// The environment in which `node` and `npx` are this executable, if the packages of the program are in archives.
fn with_shims(env: Option<ByteText>) -> Option<ByteText> {
    if !store::shims::are_wanted() {
        return env;
    }
    let changed = match &env {
        Some(ByteText(text)) => store::shims::variables_for_child(text),
        None => store::shims::variables_for_child(&own_variables()),
    };
    changed.map(ByteText).or(env)
}

/// The environment with what the process may do in `NODE_OPTIONS`, unless its arguments or that variable say it themselves.
fn with_permissions(env: Option<ByteText>, args: &[u8]) -> Option<ByteText> {
    let Some(flags) = base::permission::inherited() else { return env };
    if args.split(|byte| *byte == 0).any(|arg| arg == b"--permission") {
        return env;
    }
    let text = match env {
        Some(ByteText(text)) => text,
        None => own_variables(),
    };
    const NAME: &[u8] = b"NODE_OPTIONS=";
    let mut list: Vec<Vec<u8>> =
        text.split(|byte| *byte == 0).filter(|one| !one.is_empty()).map(<[u8]>::to_vec).collect();
    match list.iter_mut().find(|one| one.starts_with(NAME)) {
        Some(options) => {
            let words = options[NAME.len()..].split(|byte| *byte == b' ');
            if !words.clone().any(|word| word == b"--permission") {
                options.push(b' ');
                options.extend_from_slice(flags.as_bytes());
            }
        }
        None => list.push([NAME, flags.as_bytes()].concat()),
    }
    Some(ByteText(list.join(&0)))
}

/// A command from the parameters of the ops.
pub(crate) fn command(
    file: String,
    args: ByteText,
    env: Option<ByteText>,
    cwd: Option<String>,
    (flags, cgroup): (u32, i32),
    (uid, gid): (Option<i32>, Option<i32>),
) -> Result<Command, OpError> {
    if file.contains('\0') {
        return Err(no_nul(()));
    }
    // What is in an archive there is met by this.
    let cwd = cwd.map(directory);
    let env = with_permissions(with_shims(env), &args.0);
    let (file, args) = archived(file, args.0, cwd.as_deref());
    Ok(Command {
        file,
        args: CStrings::split(args),
        env: env.map(|ByteText(text)| if text.is_empty() { CStrings::empty() } else { CStrings::split(text) }),
        cwd: cwd.map(CString::new).transpose().map_err(no_nul)?,
        detached: flags & 3 != 0,
        terminal: flags & 2 != 0,
        cgroup: (cgroup >= 0).then_some(cgroup),
        uid: uid.map(|id| id as u32),
        gid: gid.map(|id| id as u32),
    })
}
