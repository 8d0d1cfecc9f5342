//! Which native functions the permission model (`--permission`) takes away. Here is the whole list for an audit; what depends on a path
//! is checked where the path is used: `ext/fs/native/sys` for the program's files, `prepare` for modules, `ext/process/native/sys.rs` for
//! `chdir`.
//!
//! A function that is denied as a whole is replaced when its family's object is made, so that no way from JavaScript leads to it.

use base::permission::{self, Area, Denied};
use engine::{Exc, JsResult, Local, OpDecl, OpError, PropertyAttributes, Scope, op};
use run_options::{NodeOption, RunOptions};

/// What has to be given for some functions of a family: all its areas; for files all paths.
struct Gate {
    family: &'static str,
    /// Names as JavaScript has them; none: all functions of the family.
    functions: &'static [&'static str],
    areas: &'static [Area],
}

const FILES: &[Area] = &[Area::Read, Area::Write];

/// Families whose functions do not begin their arguments with a name of what is denied, but with options.
const WITHOUT_RESOURCE: &[&str] = &["bundle"];

const GATES: &[Gate] = &[
    Gate { family: "child", functions: &["spawn", "spawnSync", "terminalOpen"], areas: &[Area::Child] },
    Gate { family: "process", functions: &["execve"], areas: &[Area::Child] },
    Gate { family: "worker", functions: &["start"], areas: &[Area::Worker] },
    Gate { family: "napi", functions: &["loadAddon"], areas: &[Area::Addon] },
    // Native code does what it wants.
    Gate { family: "ffi", functions: &[], areas: &[Area::Ffi] },
    Gate { family: "secrets", functions: &[], areas: &[Area::Addon] },
    Gate { family: "wasi", functions: &[], areas: &[Area::Wasi] },
    Gate {
        family: "net",
        functions: &[
            "connectTcp",
            "connectUnix",
            "bindTcp",
            "bindUnix",
            "udpBind",
            "udpConnect",
            "udpSend",
            "udpSendSome",
            "h3Listen",
            "h3Open",
            "h3Connect",
            "getAddrInfo",
            "getAddrInfoNow",
            "getNameInfo",
        ],
        areas: &[Area::Net],
    },
    // A server sends files by their paths.
    Gate { family: "net", functions: &["httpRespondFile", "httpSendFile"], areas: &[Area::Read] },
    // SQL can attach files and load libraries.
    Gate { family: "sqlite", functions: &["open", "deserialize"], areas: FILES },
    Gate { family: "sqlite", functions: &["loadExtension"], areas: &[Area::Addon] },
    Gate { family: "bun", functions: &["globScan", "globScanSync", "which"], areas: &[Area::Read] },
    Gate { family: "bun", functions: &["mapFile"], areas: FILES },
    Gate { family: "archive", functions: &["extract"], areas: &[Area::Write] },
    Gate { family: "archive", functions: &["openReader"], areas: &[Area::Read] },
    Gate { family: "bundle", functions: &[], areas: FILES },
    Gate { family: "test", functions: &["coverageShape"], areas: &[Area::Read] },
    Gate { family: "loader", functions: &["enableCompileCache"], areas: &[Area::Write] },
];

// Functions that throw `ERR_ACCESS_DENIED`; their first argument is the resource if it is a text.

#[op]
fn deny_read<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Read, resource))
}

#[op]
fn deny_write<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Write, resource))
}

#[op]
fn deny_child<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Child, resource))
}

#[op]
fn deny_worker<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Worker, resource))
}

#[op]
fn deny_addon<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Addon, resource))
}

#[op]
fn deny_wasi<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Wasi, resource))
}

#[op]
fn deny_net<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Net, resource))
}

#[op]
fn deny_inspector<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Inspector, resource))
}

#[op]
fn deny_ffi<'s>(scope: &mut Scope<'s>, resource: Local<'s>) -> Result<(), Exc> {
    Err(throw(scope, Area::Ffi, resource))
}

// The same without a resource.

#[op]
fn deny_read_unnamed(scope: &mut Scope<'_>) -> Result<(), Exc> {
    Err(scope.throw_op_error(&error_of(&Denied { area: Area::Read, resource: String::new() })))
}

#[op]
fn deny_write_unnamed(scope: &mut Scope<'_>) -> Result<(), Exc> {
    Err(scope.throw_op_error(&error_of(&Denied { area: Area::Write, resource: String::new() })))
}

fn denial(family: &str, area: Area) -> OpDecl {
    match area {
        Area::Read if WITHOUT_RESOURCE.contains(&family) => OP_deny_read_unnamed,
        Area::Write if WITHOUT_RESOURCE.contains(&family) => OP_deny_write_unnamed,
        Area::Read => OP_deny_read,
        Area::Write => OP_deny_write,
        Area::Child => OP_deny_child,
        Area::Worker => OP_deny_worker,
        Area::Addon => OP_deny_addon,
        Area::Wasi => OP_deny_wasi,
        Area::Net => OP_deny_net,
        Area::Inspector => OP_deny_inspector,
        Area::Ffi => OP_deny_ffi,
    }
}

fn throw(scope: &mut Scope<'_>, area: Area, resource: Local<'_>) -> Exc {
    let resource = if resource.is_string() { scope.display(resource) } else { String::new() };
    scope.throw_op_error(&error_of(&Denied { area, resource }))
}

/// `ERR_ACCESS_DENIED`.
pub fn error_of(denied: &Denied) -> OpError {
    OpError::error(denied.message())
        .code("ERR_ACCESS_DENIED")
        .field("permission", denied.area.name())
        .field("resource", denied.resource.as_str())
}

/// Takes the functions that are denied off the object of a family.
pub(crate) fn restrict(scope: &mut Scope<'_>, family: &str, object: Local<'_>) -> JsResult<()> {
    if !permission::is_on() {
        return Ok(());
    }
    for gate in GATES.iter().filter(|gate| gate.family == family) {
        let Some(area) = gate.areas.iter().find(|area| !permission::has_all(**area)) else { continue };
        let all;
        let names: Vec<&str> = match gate.functions {
            [] => {
                all = scope.own_keys(object, true)?;
                all.iter().map(String::as_str).collect()
            }
            some => some.to_vec(),
        };
        for name in names {
            let function = scope.native_function(name, 1, denial(family, *area).native)?;
            scope.define(object, name, function, PropertyAttributes::ALL)?;
        }
    }
    Ok(())
}

/// The area of an option that gives one.
const FLAGS: &[(&str, &[Area])] = &[
    ("--allow-child-process", &[Area::Child]),
    ("--allow-worker", &[Area::Worker]),
    ("--allow-addons", &[Area::Addon, Area::Ffi]),
    ("--allow-wasi", &[Area::Wasi]),
    ("--allow-net", &[Area::Net]),
    ("--allow-inspector", &[Area::Inspector]),
];

/// Switches the model on if the options say so; to be called before the program is looked for.
pub fn enable(options: &RunOptions) {
    if options.node_option("--permission").is_none() {
        return;
    }
    let list = |name: &str| match options.node_option(name) {
        Some(NodeOption::List(list)) => list.clone(),
        _ => Vec::new(),
    };
    let given: Vec<Area> = FLAGS
        .iter()
        .filter(|(name, _)| options.node_option(name).is_some())
        .flat_map(|(_, areas)| areas.iter().copied())
        .collect();
    let (read, write) = (list("--allow-fs-read"), list("--allow-fs-write"));
    let mut text = String::from("--permission");
    for (name, values) in [("--allow-fs-read", &read), ("--allow-fs-write", &write)] {
        for value in values {
            // Relative paths are those of this process.
            let path = if value == "*" || value.starts_with('/') { value.clone() } else { absolute(value) };
            let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!(" {name}=\"{quoted}\""));
        }
    }
    for (name, _) in FLAGS.iter().filter(|(name, _)| options.node_option(name).is_some()) {
        text.push_str(&format!(" {name}"));
    }
    permission::enable(&read, &write, &given, text);
    // What the command line itself names is meant to be read.
    for path in options.preload.iter().chain(&options.imports) {
        permission::allow_read(path);
    }
}

fn absolute(path: &str) -> String {
    let cwd = std::env::current_dir().unwrap_or_else(|_| "/".into());
    cwd.join(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_have_areas() {
        for gate in GATES {
            assert!(!gate.areas.is_empty(), "{}", gate.family);
        }
    }
}
