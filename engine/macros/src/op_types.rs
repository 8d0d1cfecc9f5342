//! The TypeScript types of all native functions, written from the Rust signatures of `#[op]`.
//!
//! Every family (`ops!`) becomes a member of `interface Natives` in the file `natives.d.ts` of its folder of ext/; what all
//! of them use is in `ext/natives.d.ts`. The test below fails if a file differs from what the signatures say; with the
//! variable `BAO_WRITE_OP_TYPES` set it writes the files.
//!
//! | Rust | parameter | result |
//! |---|---|---|
//! | `bool` | `boolean` | `boolean` |
//! | `f64`, `i32`, `u8`, ... | `number` | `number` |
//! | `i64`, `u64`, `usize` | `number \| bigint` | `number` |
//! | `String`, `JsStr`, `Utf16String` | `string` | `string` |
//! | `&[u8]`, `Vec<u8>`, `PinnedBytes`, `RawBytes` | `Native.Bytes` | `Uint8Array<ArrayBuffer>` |
//! | `F64Array` | | `Float64Array<ArrayBuffer>` |
//! | `Option<T>` | `T \| null \| undefined` | `T \| undefined` |
//! | `(A, B)`, `Vec<T>` | `T[]` | `[A, B]`, `T[]` |
//! | `Resource<T>`, `Shared<T>` | `Native.T` | `Native.T` |
//! | `Local`, `Global` | `ts(name = "...")`, else `unknown` | `ts(returns = "...")` |
//! | a type with its own conversion | the doc comment of its `impl` says `In TypeScript: \`...\`` | the same |

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use syn::{Attribute, Expr, FnArg, GenericArgument, Item, Lit, Meta, PathArguments, ReturnType, Type};

use crate::{OpOptions, Ops, camel, is_scope, plain_name};

/// All that the sources say.
#[derive(Default)]
struct Sources {
    ops: Vec<Op>,
    families: Vec<FamilyList>,
    /// `type NAME = ...`, by crate and name.
    aliases: HashMap<(PathBuf, String), Type>,
    /// TypeScript of types with a conversion of their own, by crate and name: as a parameter, as a result.
    parameters: HashMap<(PathBuf, String), String>,
    results: HashMap<(PathBuf, String), String>,
    /// Fields of a family's object that are no functions, as lines of an interface.
    fields: BTreeMap<String, Vec<String>>,
}

/// One function with `#[op]`.
struct Op {
    package: PathBuf,
    module: String,
    function: syn::ItemFn,
    options: OpOptions,
}

/// One `ops!` list.
struct FamilyList {
    package: PathBuf,
    module: String,
    list: Ops,
}

#[test]
fn types_of_ops_are_up_to_date() {
    let root = workspace();
    let mut sources = Sources::default();
    for (path, file) in rust_files(&root) {
        read_items(&file.items, &package_of(&path), &module_of(&path), &mut sources);
    }
    let mut errors = Vec::new();
    let files = Writer { sources: &sources, errors: &mut errors, resources: BTreeSet::new() }.files(&root);
    assert!(errors.is_empty(), "native ops without a type: {}\n{}", errors.len(), errors.join("\n"));

    bring_up_to_date(&root, "natives.d.ts", &files);
}

/// The root of the repository.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Compares files of ext/ that are made of Rust sources with what they should be, and fails if one differs; with
/// `BAO_WRITE_OP_TYPES` set it writes them. A file called `name` in a family's folder that is not among them goes.
pub(crate) fn bring_up_to_date(root: &Path, name: &str, files: &BTreeMap<PathBuf, String>) {
    let writes = env::var_os("BAO_WRITE_OP_TYPES").is_some();
    let mut stale = Vec::new();
    for (path, text) in files {
        if fs::read_to_string(path).ok().as_ref() != Some(text) {
            stale.push(path.clone());
            if writes {
                fs::write(path, text).expect("ext/ is writable");
            }
        }
    }
    for entry in fs::read_dir(root.join("ext")).expect("ext/ is there").flatten() {
        let path = entry.path().join(name);
        if path.exists() && !files.contains_key(&path) {
            if writes {
                fs::remove_file(&path).expect("ext/ is writable");
            }
            stale.push(path);
        }
    }
    let how = "BAO_WRITE_OP_TYPES=1 cargo test -p bao-engine-macros";
    assert!(writes || stale.is_empty(), "what TypeScript knows of Rust is not up to date; run {how}: {stale:?}");
}

/// All Rust files that may have ops, parsed, in the order of their paths.
pub(crate) fn rust_files(root: &Path) -> Vec<(PathBuf, syn::File)> {
    let mut files = Vec::new();
    for folder in ["ext", "runtime"] {
        read_folder(&root.join(folder), &mut files);
    }
    files
}

/// Reads all Rust files below a folder.
fn read_folder(folder: &Path, files: &mut Vec<(PathBuf, syn::File)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder is readable").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
                read_folder(&path, files);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source is readable");
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.push((path, file));
        }
    }
}

/// The folder that holds all of a crate's sources, `ext/F/native`.
fn package_of(path: &Path) -> PathBuf {
    let is_root = |folder: &&Path| folder.ends_with("native");
    path.ancestors().find(is_root).unwrap_or(path).to_path_buf()
}

/// The name of a file's module.
fn module_of(path: &Path) -> String {
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let own = name(path);
    if own == "mod" { path.parent().map(name).unwrap_or_default() } else { own }
}

fn read_items(items: &[Item], package: &Path, module: &str, sources: &mut Sources) {
    for item in items {
        match item {
            Item::Mod(inner) => {
                let items = inner.content.as_ref().map_or(&[][..], |(_, items)| items);
                read_items(items, package, &inner.ident.to_string(), sources);
            }
            Item::Fn(function) => {
                for line in doc_lines(&function.attrs) {
                    if let Some((family, field)) = field_line(&line) {
                        sources.fields.entry(family).or_default().push(field);
                    }
                }
                if let Some(options) = op_options(&function.attrs) {
                    let function = function.clone();
                    sources.ops.push(Op { package: package.into(), module: module.into(), function, options });
                }
            }
            Item::Macro(found) if found.mac.path.segments.last().is_some_and(|last| last.ident == "ops") => {
                let list = found.mac.parse_body::<Ops>().expect("a list of ops");
                sources.families.push(FamilyList { package: package.into(), module: module.into(), list });
            }
            Item::Type(alias) => {
                let key = (package.to_path_buf(), alias.ident.to_string());
                sources.aliases.insert(key, (*alias.ty).clone());
            }
            Item::Impl(found) => read_conversion(found, package, sources),
            _ => {}
        }
    }
}

/// What the doc comment of `impl IntoJs for X` or `impl FromJs for X` says about X.
fn read_conversion(found: &syn::ItemImpl, package: &Path, sources: &mut Sources) {
    let Some((_, path, _)) = &found.trait_ else { return };
    let Some(name) = path.segments.last().map(|last| last.ident.to_string()) else { return };
    let prefix = "In TypeScript: `";
    let text = doc_lines(&found.attrs).iter().find_map(|line| {
        let rest = &line[line.find(prefix)? + prefix.len()..];
        rest.find('`').map(|end| rest[..end].to_string())
    });
    let (Some(text), Some(target)) = (text, type_name(&found.self_ty)) else { return };
    let key = (package.to_path_buf(), target);
    match name.as_str() {
        "IntoJs" => sources.results.insert(key, text),
        "FromJs" | "FromJsAsync" => sources.parameters.insert(key, text),
        _ => None,
    };
}

fn op_options(attributes: &[Attribute]) -> Option<OpOptions> {
    let attribute = attributes.iter().find(|it| it.path().segments.last().is_some_and(|last| last.ident == "op"))?;
    match &attribute.meta {
        Meta::Path(_) => Some(OpOptions::default()),
        _ => Some(attribute.parse_args().expect("options of an op")),
    }
}

/// The lines of a doc comment.
pub(crate) fn doc_lines(attributes: &[Attribute]) -> Vec<String> {
    let text = |attribute: &Attribute| {
        let Meta::NameValue(pair) = &attribute.meta else { return None };
        let Expr::Lit(literal) = &pair.value else { return None };
        let Lit::Str(text) = &literal.lit else { return None };
        pair.path.is_ident("doc").then(|| text.value().strip_prefix(' ').map_or_else(|| text.value(), str::to_string))
    };
    attributes.iter().filter_map(text).collect()
}

/// `In TypeScript, of "loop": \`readonly tickInfo: Uint32Array\``: a field of a family's object.
fn field_line(line: &str) -> Option<(String, String)> {
    let rest = line.trim().strip_prefix("In TypeScript, of \"")?;
    let (family, rest) = rest.split_once("\": `")?;
    Some((family.to_string(), rest.split('`').next()?.to_string()))
}

/// The last name of a type's path.
fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Reference(reference) => type_name(&reference.elem),
        _ => None,
    }
}

/// The type arguments of a path's last name.
fn type_arguments(ty: &Type) -> Vec<&Type> {
    let Type::Path(path) = ty else { return Vec::new() };
    let Some(PathArguments::AngleBracketed(list)) = path.path.segments.last().map(|last| &last.arguments) else {
        return Vec::new();
    };
    let types = list.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// A union as an element of an array or of another union needs parentheses.
fn grouped(text: &str) -> String {
    if text.contains('|') || text.contains("=>") { format!("({text})") } else { text.to_string() }
}

/// The names after `Native.` in a text that are not those of [`COMMON`].
fn opaque_names(text: &str) -> impl Iterator<Item = String> {
    let names = text.split("Native.").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        rest[..end].to_string()
    });
    names.filter(|name| !COMMON.contains(&format!("type {name}")) && !COMMON.contains(&format!("interface {name}")))
}

/// A line of a doc comment with the Rust names in backticks as they are in TypeScript.
pub(crate) fn in_typescript(line: &str) -> String {
    let line = line.replace("*/", "* /").replace("[`", "`").replace("`]", "`");
    let is_rust = |word: &str| word.contains('_') && word.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    let parts = line.split('`').enumerate();
    let parts: Vec<String> =
        parts.map(|(at, part)| if at % 2 == 1 && is_rust(part) { camel(part) } else { part.to_string() }).collect();
    parts.join("`")
}

struct Writer<'a> {
    sources: &'a Sources,
    errors: &'a mut Vec<String>,
    /// Names of native objects.
    resources: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    /// All files by their paths.
    fn files(mut self, root: &Path) -> BTreeMap<PathBuf, String> {
        let mut bodies: BTreeMap<PathBuf, BTreeMap<String, String>> = BTreeMap::new();
        for family in &self.sources.families {
            let folder = family.package.parent().filter(|_| family.package.ends_with("native"));
            let file = folder.map_or_else(|| root.join("ext"), Path::to_path_buf).join("natives.d.ts");
            let name = family.list.family.value();
            let body = self.family(family);
            bodies.entry(file).or_default().insert(name, body);
        }
        let common = root.join("ext/natives.d.ts");
        bodies.entry(common.clone()).or_default();
        let mut resources = std::mem::take(&mut self.resources);
        for body in bodies.values().flat_map(BTreeMap::values) {
            resources.extend(opaque_names(body));
        }
        let head = "// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.\n";
        let text = |(path, families): (PathBuf, BTreeMap<String, String>)| {
            let mut text = String::from(head);
            if path == common {
                text.push_str(COMMON);
                for name in &resources {
                    let _ = write!(text, "\n  interface {name} {{\n    readonly [resource]: \"{name}\";\n  }}\n");
                }
                text.push_str("}\n");
            }
            if !families.is_empty() {
                let bodies: Vec<String> = families.into_values().collect();
                let _ = write!(text, "\ninterface Natives {{\n{}}}\n", bodies.join("\n"));
            }
            (path, text)
        };
        bodies.into_iter().map(text).collect()
    }

    /// The member of `Natives` for one family.
    fn family(&mut self, family: &FamilyList) -> String {
        let name = family.list.family.value();
        let mut text = format!("  {name}: {{\n");
        for field in self.sources.fields.get(&name).into_iter().flatten() {
            let _ = writeln!(text, "    {field};");
        }
        for path in &family.list.ops {
            match self.find(family, path) {
                Some(op) => text.push_str(&self.op(op, &name)),
                None => {
                    let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                    self.errors.push(format!("{name}: no function with #[op] is called {last}"));
                }
            }
        }
        text.push_str("  };\n");
        text
    }

    /// The function that a path in `ops!` names: of that module if the path says one, else of the file of the list, else
    /// of the crate.
    fn find(&self, family: &FamilyList, path: &syn::Path) -> Option<&'a Op> {
        let sources: &'a Sources = self.sources;
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let name = names.next()?;
        let module = names.next().filter(|name| name != "crate" && name != "self" && name != "super");
        let module = module.unwrap_or_else(|| family.module.clone());
        let named = |op: &&Op| op.package == family.package && op.function.sig.ident == name;
        let mut all = sources.ops.iter().filter(named);
        sources.ops.iter().filter(named).find(|op| op.module == module).or_else(|| all.next())
    }

    /// The declaration of one op, with its doc comment.
    fn op(&mut self, op: &Op, family: &str) -> String {
        let name = camel(&op.function.sig.ident.to_string());
        let parameters = self.parameters(op, family);
        let result = self.result(op, family, &name);
        let mut text = comment(&doc_lines(&op.function.attrs));
        if op.options.mode.is_empty() {
            let generic = op.options.type_of("generic").map(|list| format!("<{list}>")).unwrap_or_default();
            let _ = writeln!(text, "    {name}{generic}({}): {result};", list(&parameters));
        } else {
            let mut with_callback = parameters.clone();
            with_callback.push(("callback".into(), format!("Native.Callback<{result}>")));
            let _ = writeln!(text, "    {name}({}): void;", list(&with_callback));
            let _ = writeln!(text, "    {name}({}): Promise<{result}>;", list(&parameters));
        }
        text
    }

    /// Names and types of an op's parameters.
    fn parameters(&mut self, op: &Op, family: &str) -> Vec<(String, String)> {
        let mut parameters = Vec::new();
        for (index, input) in op.function.sig.inputs.iter().enumerate() {
            let FnArg::Typed(typed) = input else { continue };
            if index == 0 && is_scope(&typed.ty) {
                continue;
            }
            let written = plain_name(&typed.pat).map(|name| name.to_string());
            let given = written.as_deref().and_then(|name| op.options.type_of(name));
            let ty = given.unwrap_or_else(|| self.parameter(&typed.ty, op, family));
            let name = written.unwrap_or_else(|| format!("unused{index}"));
            parameters.push((parameter_name(&name), ty));
        }
        parameters
    }

    /// The TypeScript type of a parameter.
    fn parameter(&mut self, ty: &Type, op: &Op, family: &str) -> String {
        if let Type::Reference(reference) = ty {
            return match &*reference.elem {
                Type::Slice(_) => "Native.Bytes".into(),
                inner => self.parameter(inner, op, family),
            };
        }
        let name = type_name(ty).unwrap_or_default();
        let key = (op.package.clone(), name.clone());
        if let Some(text) = self.sources.parameters.get(&key) {
            return text.clone();
        }
        if let Some(alias) = self.sources.aliases.get(&key) {
            return self.parameter(&alias.clone(), op, family);
        }
        let arguments = type_arguments(ty);
        match (name.as_str(), &arguments[..]) {
            ("bool", _) => "boolean".into(),
            ("u8" | "u16" | "u32" | "i8" | "i16" | "i32" | "f64", _) => "number".into(),
            ("u64" | "i64" | "usize", _) => "number | bigint".into(),
            ("String" | "JsStr" | "Utf16String", _) => "string".into(),
            ("PinnedBytes" | "RawBytes", _) => "Native.Bytes".into(),
            ("Vec", [item]) if type_name(item).is_some_and(|name| name == "u8") => "Native.Bytes".into(),
            ("Vec", [item]) => format!("readonly {}[]", grouped(&self.parameter(item, op, family))),
            ("Option", [inner]) => format!("{} | null | undefined", self.parameter(inner, op, family)),
            ("Resource" | "Shared", [inner]) => self.resource(inner),
            ("Local" | "Global", _) => "unknown".into(),
            _ => {
                self.errors.push(format!("{family}.{}: parameter of type {name}", op.function.sig.ident));
                "unknown".into()
            }
        }
    }

    /// The TypeScript type of an op's result.
    fn result(&mut self, op: &Op, family: &str, name: &str) -> String {
        if let Some(given) = op.options.type_of("returns") {
            return given;
        }
        match &op.function.sig.output {
            ReturnType::Default => "void".into(),
            ReturnType::Type(_, ty) => self.returned(ty, op).unwrap_or_else(|what| {
                self.errors.push(format!(
                    "{family}.{name} ({}): the result is of type {what}: #[op(ts(returns = \"...\"))]",
                    op.module
                ));
                "unknown".into()
            }),
        }
    }

    /// The TypeScript type of a result; the error is the Rust type that says nothing.
    fn returned(&mut self, ty: &Type, op: &Op) -> Result<String, String> {
        match ty {
            Type::Reference(reference) => return self.returned(&reference.elem, op),
            Type::Tuple(tuple) if tuple.elems.is_empty() => return Ok("void".into()),
            Type::Tuple(tuple) => {
                let items: Result<Vec<String>, String> =
                    tuple.elems.iter().map(|item| self.returned(item, op)).collect();
                return Ok(format!("[{}]", items?.join(", ")));
            }
            _ => {}
        }
        let name = type_name(ty).unwrap_or_default();
        let key = (op.package.clone(), name.clone());
        if let Some(text) = self.sources.results.get(&key) {
            return Ok(text.clone());
        }
        if let Some(alias) = self.sources.aliases.get(&key) {
            return self.returned(&alias.clone(), op);
        }
        let arguments = type_arguments(ty);
        Ok(match (name.as_str(), &arguments[..]) {
            ("bool", _) => "boolean".into(),
            ("u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "f64", _) => "number".into(),
            ("String" | "str" | "Latin1String" | "Utf16String", _) => "string".into(),
            ("F64Array", _) => "Float64Array<ArrayBuffer>".into(),
            ("Vec", [item]) if type_name(item).is_some_and(|name| name == "u8") => "Uint8Array<ArrayBuffer>".into(),
            ("Vec", [item]) => format!("{}[]", grouped(&self.returned(item, op)?)),
            ("Option", [inner]) => format!("{} | undefined", self.returned(inner, op)?),
            ("Result" | "JsResult", [inner, ..]) => self.returned(inner, op)?,
            ("Resource" | "Shared", [inner]) => self.resource(inner),
            _ => return Err(name),
        })
    }

    /// The type of a native object, which is opaque: that of the innermost name.
    fn resource(&mut self, ty: &Type) -> String {
        let mut ty = ty;
        while let [inner] = type_arguments(ty)[..] {
            ty = inner;
        }
        let name = type_name(ty).unwrap_or_default();
        self.resources.insert(name.clone());
        format!("Native.{name}")
    }
}

/// Parameters as they are declared; those at the end that may be undefined may be left out.
fn list(parameters: &[(String, String)]) -> String {
    let may_be_left_out = |ty: &str| ty == "unknown" || ty.ends_with("| undefined");
    let needed = parameters.iter().rposition(|(_, ty)| !may_be_left_out(ty)).map_or(0, |index| index + 1);
    let text = |(index, (name, ty)): (usize, &(String, String))| {
        format!("{name}{}: {ty}", if index < needed { "" } else { "?" })
    };
    parameters.iter().enumerate().map(text).collect::<Vec<_>>().join(", ")
}

/// The name of a parameter in TypeScript.
fn parameter_name(name: &str) -> String {
    let name = camel(name.trim_start_matches('_'));
    let reserved = ["function", "new", "default", "in", "var", "this", "delete", "class", "export", "import", "with"];
    if reserved.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// A doc comment of TypeScript.
fn comment(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| in_typescript(line)).collect();
    match &lines[..] {
        [] => String::new(),
        [line] => format!("    /** {} */\n", line.trim()),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("     * {line}").trim_end().to_string() + "\n").collect();
            format!("    /**\n{body}     */\n")
        }
    }
}

/// What all families share.
const COMMON: &str = "
/** The native halves of the API families by name. */
interface Natives {}

declare namespace Native {
  /** An ArrayBuffer, a SharedArrayBuffer or a view on one. */
  type Bytes = ArrayBufferView | ArrayBufferLike;

  /** An error of the system or of a native function. */
  interface NativeError extends Error {
    code?: string;
    errno?: number;
    syscall?: string;
    path?: string;
    dest?: string;
  }

  /** The last argument of an asynchronous op; after an error there is no value. */
  type Callback<T> = (error: NativeError | undefined, value: T) => void;

  /** Marks native objects, which JavaScript only passes on. */
  const resource: unique symbol;
";
