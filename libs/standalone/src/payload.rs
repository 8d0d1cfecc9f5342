//! What is behind bao's own bytes: options as JSON, what the template looked like, and an archive of `libs/store`.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | [`MAGIC`]; the last byte is the version |
//! | 8..16 | length of everything |
//! | 16..20, 20..24 | lengths of the options and of what undoes the changes of the template |
//! | 24..32 | where the archive begins; it goes to the end |
//!
//! In the archive, `root/` has what programs see below [`ROOT`], `code/` the compiled code of modules and `map/` their source
//! maps as JSON.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use store::{Archive, Kind, Writer};

use crate::elf;

/// Where a program finds its files. The name is Bun's, since programs look for it.
pub const ROOT: &str = "/$bunfs/root";

const MAGIC: &[u8; 8] = b"baoexec\x01";
const HEADER: usize = 32;
const ALIGN: usize = 16;

/// Which files of its surroundings a program reads when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Autoload {
    pub dotenv: bool,
    pub bunfig: bool,
    pub tsconfig: bool,
    pub package_json: bool,
}

/// What a module imports from another: what the loader asks of a text that it does not want to parse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    pub specifier: String,
    pub names: Vec<String>,
    pub namespace: bool,
    pub star: bool,
    pub attributes: Vec<(String, String)>,
}

/// A module of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Below [`ROOT`].
    pub name: String,
    /// An ES module, or else CommonJS.
    pub esm: bool,
    pub imports: Vec<Import>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Options {
    exec_argv: Vec<String>,
    autoload: Autoload,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jit_policy: Option<f64>,
    /// The first one is what runs.
    modules: Vec<Module>,
}

/// A program that is put together.
pub struct Builder {
    options: Options,
    archive: Writer,
}

impl Builder {
    /// `exec_argv`: options of bao's that the program always runs with. `jit_policy`: how many times longer than usual code stays in
    /// the interpreter, if that is not 1.
    pub fn new(exec_argv: Vec<String>, autoload: Autoload, jit_policy: Option<f64>) -> Builder {
        let mut archive = Writer::new();
        archive.add(b"root", Kind::Dir, 0o755, b"");
        Builder { options: Options { exec_argv, autoload, jit_policy, modules: Vec::new() }, archive }
    }

    /// Adds a module, the first one first. `code` is its compiled form, `map` its source map as JSON. False if the name cannot be
    /// one of a file.
    pub fn add_module(&mut self, module: Module, text: &[u8], code: Option<&[u8]>, map: Option<&[u8]>) -> bool {
        let name = module.name.clone();
        self.options.modules.push(module);
        self.add("root", &name, text)
            && code.is_none_or(|code| self.add("code", &name, code))
            && map.is_none_or(|map| self.add("map", &name, map))
    }

    /// Adds a file that is no module.
    pub fn add_file(&mut self, name: &str, content: &[u8]) -> bool {
        self.add("root", name, content)
    }

    fn add(&mut self, folder: &str, name: &str, content: &[u8]) -> bool {
        self.archive.add(format!("{folder}/{name}").as_bytes(), Kind::File, 0o644, content)
    }

    /// The bytes; `undo` is what `elf` wants back.
    pub(crate) fn finish(self, undo: &[u8]) -> Vec<u8> {
        let options = serde_json::to_vec(&self.options).unwrap_or_default();
        let (head, data) = self.archive.finish();
        let start = (HEADER + options.len() + undo.len()).next_multiple_of(ALIGN);
        let length = start + head.len() + data.len();
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(length as u64).to_le_bytes());
        bytes.extend_from_slice(&(options.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(undo.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(start as u64).to_le_bytes());
        bytes.extend_from_slice(&options);
        bytes.extend_from_slice(undo);
        bytes.resize(start, 0);
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&data);
        bytes
    }
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut whole = [0; 8];
    whole[..N].copy_from_slice(bytes.get(at..at + N)?);
    Some(u64::from_le_bytes(whole))
}

/// The parts of a payload: options, undo, archive. Every number is checked.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let body = bytes.get(HEADER..)?;
    if !bytes.starts_with(MAGIC) || number::<8>(bytes, 8)? != bytes.len() as u64 {
        return None;
    }
    let options = usize::try_from(number::<4>(bytes, 16)?).ok()?;
    let undo = usize::try_from(number::<4>(bytes, 20)?).ok()?;
    let (options, rest) = body.split_at_checked(options)?;
    let undo = rest.get(..undo)?;
    let archive = bytes.get(usize::try_from(number::<8>(bytes, 24)?).ok()?..)?;
    Some((options, undo, archive))
}

/// What undoes the changes of the template of an executable with this payload.
pub(crate) fn undo_of(payload: &[u8]) -> Option<&[u8]> {
    parts(payload).map(|(_, undo, _)| undo)
}

/// The program of this executable.
pub struct Program {
    options: Options,
    archive: &'static Archive,
}

static CURRENT: OnceLock<Program> = OnceLock::new();

/// The program of this executable, if it has one and [`activate`] has been called.
pub fn current() -> Option<&'static Program> {
    CURRENT.get()
}

/// Looks whether this executable has a program, and lets its files be seen below [`ROOT`]. To be called before other threads run.
///
/// # Errors
/// A message about a payload that is damaged.
pub fn activate() -> Result<Option<&'static Program>, String> {
    let Some(payload) = elf::payload() else { return Ok(None) };
    let program = Program::read(payload)?;
    let program = CURRENT.get_or_init(|| program);
    store::embed(program.archive, ROOT, "root");
    Ok(Some(program))
}

impl Program {
    fn read(payload: &'static [u8]) -> Result<Program, String> {
        let broken = |what: &str| format!("this executable is damaged: {what}");
        let (options, _, archive) = parts(payload).ok_or_else(|| broken("its program is not whole"))?;
        let archive = Archive::from_static(archive).map_err(|damage| broken(&damage.to_string()))?;
        let options: Options = serde_json::from_slice(options).map_err(|error| broken(&error.to_string()))?;
        if options.modules.is_empty() {
            return Err(broken("it has no module"));
        }
        Ok(Program { options, archive: Box::leak(Box::new(archive)) })
    }

    /// The path of the module that runs.
    pub fn main_path(&self) -> String {
        path_of(&self.options.modules[0].name)
    }

    /// Options of bao's that come before those of the command line.
    pub fn exec_argv(&self) -> &[String] {
        &self.options.exec_argv
    }

    /// How many times longer than usual code stays in the interpreter, if that is not 1.
    pub fn jit_policy(&self) -> Option<f64> {
        self.options.jit_policy
    }

    pub fn autoload(&self) -> Autoload {
        self.options.autoload
    }

    /// The module at a path.
    pub fn module(&self, path: &str) -> Option<&Module> {
        let name = name_of(path)?;
        self.options.modules.iter().find(|module| module.name == name)
    }

    /// Compiled code of a module.
    pub fn code(&'static self, module: &Module) -> Option<&'static [u8]> {
        self.content("code", &module.name)
    }

    /// The text of a module.
    pub fn text(&'static self, module: &Module) -> Option<&'static str> {
        std::str::from_utf8(self.content("root", &module.name)?).ok()
    }

    /// The source map of the module at a path, as JSON.
    pub fn map(&'static self, path: &str) -> Option<&'static str> {
        std::str::from_utf8(self.content("map", name_of(path)?)?).ok()
    }

    fn content(&'static self, folder: &str, name: &str) -> Option<&'static [u8]> {
        let entry = self.archive.get(format!("{folder}/{name}").as_bytes())?;
        self.archive.content(&entry).ok()
    }

    /// Names and sizes of the files that are no modules, sorted by name.
    pub fn files(&self) -> Vec<(String, u64)> {
        let mut files: Vec<(String, u64)> = self
            .archive
            .entries()
            .filter(|entry| entry.kind == Kind::File)
            .filter_map(|entry| {
                let name = std::str::from_utf8(self.archive.name(&entry)).ok()?.strip_prefix("root/")?;
                let is_module = self.options.modules.iter().any(|module| module.name == name);
                (!is_module).then(|| (name.to_string(), entry.size))
            })
            .collect();
        files.sort();
        files
    }

    /// The file that a path stands for: itself, with an ending that was left out, or what a source file has become.
    pub fn find(&self, path: &str) -> Option<String> {
        let name = name_of(path)?;
        let is_there = |name: &str| {
            let entry = self.archive.get(format!("root/{name}").as_bytes());
            entry.is_some_and(|entry| entry.kind == Kind::File)
        };
        if is_there(name) {
            return Some(path.to_string());
        }
        let stem = name
            .rsplit_once('.')
            .filter(|(_, ending)| ["ts", "tsx", "mts", "cts", "jsx", "mjs", "cjs", "js"].contains(ending));
        let stems = [stem.map(|(stem, _)| stem), Some(name)];
        stems
            .into_iter()
            .flatten()
            .map(|stem| format!("{stem}.js"))
            .find(|name| is_there(name))
            .map(|name| path_of(&name))
    }

    /// The same for a specifier as it is written in a module at `importer`, or given to a worker: relative ones count from the
    /// importer, or else from [`ROOT`].
    pub fn resolve(&self, specifier: &str, importer: &str) -> Option<String> {
        let path = if specifier.starts_with('/') {
            specifier.to_string()
        } else if specifier.starts_with("./") || specifier.starts_with("../") {
            let folder =
                name_of(importer).map_or(ROOT, |_| importer.rsplit_once('/').map_or(ROOT, |(folder, _)| folder));
            join(folder, specifier)
        } else {
            return None;
        };
        self.find(&path)
    }
}

/// The name below [`ROOT`] of a path.
fn name_of(path: &str) -> Option<&str> {
    path.strip_prefix(ROOT)?.strip_prefix('/').filter(|name| !name.is_empty())
}

fn path_of(name: &str) -> String {
    format!("{ROOT}/{name}")
}

/// A relative path from a folder, without `.` and `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Autoload = Autoload { dotenv: true, bunfig: true, tsconfig: false, package_json: false };

    fn module(name: &str) -> Module {
        Module { name: name.into(), esm: true, imports: Vec::new() }
    }

    fn built() -> Vec<u8> {
        let mut builder = Builder::new(vec!["--smol".into()], ALL, Some(2.5));
        assert!(builder.add_module(module("app"), b"import './w.js'", Some(b"code"), Some(b"{}")));
        assert!(builder.add_module(module("lib/w.js"), b"", None, None));
        assert!(builder.add_file("a-1234.png", b"png"));
        assert!(!builder.add_file("../x", b""), "names stay below the root");
        builder.finish(b"undo")
    }

    fn program() -> &'static Program {
        Box::leak(Box::new(Program::read(built().leak()).expect("it is whole")))
    }

    #[test]
    fn a_program_comes_back() {
        let program = program();
        assert_eq!(program.main_path(), "/$bunfs/root/app");
        assert_eq!((program.exec_argv(), program.autoload()), (["--smol".to_string()].as_slice(), ALL));
        let main = program.module("/$bunfs/root/app").expect("it is there");
        assert_eq!((program.text(main), program.code(main)), (Some("import './w.js'"), Some(b"code".as_slice())));
        assert_eq!(program.map("/$bunfs/root/app"), Some("{}"));
        assert_eq!(program.jit_policy(), Some(2.5));
        assert_eq!(program.files(), [("a-1234.png".to_string(), 3)]);
        assert_eq!(undo_of(&built()), Some(b"undo".as_slice()));
    }

    #[test]
    fn specifiers_lead_to_what_sources_have_become() {
        let program = program();
        let resolve = |specifier: &str, importer: &str| program.resolve(specifier, importer);
        let worker = Some("/$bunfs/root/lib/w.js".to_string());
        assert_eq!(resolve("./lib/w.ts", "/$bunfs/root/app"), worker);
        assert_eq!(resolve("./lib/w", ""), worker);
        assert_eq!(resolve("/$bunfs/root/lib/w.tsx", "/x/y.js"), worker);
        assert_eq!(resolve("../lib/./w.js", "/$bunfs/root/lib/w.js"), worker);
        assert_eq!(resolve("./w.png", "/$bunfs/root/lib/w.js"), None);
        assert_eq!(resolve("lib/w.js", ""), None);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = built();
        for cut in [0, 8, 31, 40, whole.len() - 1] {
            assert!(Program::read(whole[..cut].to_vec().leak()).is_err(), "{cut} bytes");
        }
        for at in [3, 9, 17, 25, 33] {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            assert!(Program::read(bytes.leak()).is_err(), "byte {at}");
        }
    }
}
