//! bao's own bundler core: from entry point to code and map.
//!
//! The modules of a build are read and scanned in parallel, each with an arena of its own. Links between them are numbers; the
//! statements that are needed are marked; each module is printed by itself, in parallel, and the texts are joined once. What this
//! core does not know how to link it declines before anything is made, so that another bundler can do the build.
//!
//! The design follows esbuild's (https://github.com/evanw/esbuild/blob/main/docs/architecture.md): one pass over the files, parts
//! of files as the unit of tree shaking, wrappers only around modules that are required.

mod constants;
mod effects;
mod free_names;
mod graph;
mod index_files;
mod join;
mod later;
mod link;
mod names;
mod print;
mod rewrite;
mod runtime;
mod scan;
mod shake;
mod shorten;

use arcstr::ArcStr;
use oxc::codegen::CommentOptions;
use oxc::semantic::Scoping;
use rolldown_ecmascript::EcmaAst;

pub use free_names::rename_free_names;
pub use names::FIRST_SHARED_NAME;

/// Why a build is none for this core. The text is for who looks for what is missing.
#[derive(Debug, Clone)]
pub struct Declined(pub String);

impl Declined {
    pub(crate) fn because(text: impl Into<String>) -> Declined {
        Declined(text.into())
    }
}

/// How a module asks for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// `import` and `export … from`.
    Import,
    /// `require()`.
    Require,
    /// `import()`.
    Dynamic,
}

/// Where a specifier leads.
#[derive(Debug, Clone)]
pub enum Resolution {
    Module {
        id: ArcStr,
        /// What package.json says of its side effects.
        side_effects: bool,
        /// Whether it is an ES module by its name or by its package.json, so that Node's rules for CommonJS in ES modules hold.
        is_node: bool,
        /// Whether it is CommonJS by its name or by its package.json.
        is_cjs: bool,
    },
    /// An import that stays, by this specifier.
    External(ArcStr),
    /// Nowhere, which only a `require` may whose failure is caught.
    Nowhere,
}

/// A module, ready for linking: JavaScript without JSX or types.
#[derive(Debug)]
pub struct Source {
    pub ast: EcmaAst,
    /// Of the tree as it is.
    pub scoping: Scoping,
}

/// Files and specifiers of a build.
pub trait Host: Sync {
    /// Where a specifier of a module leads.
    ///
    /// # Errors
    /// What another bundler has to do or to report.
    fn resolve(&self, importer: &str, specifier: &str, kind: ImportKind) -> Result<Resolution, Declined>;

    /// The module of an id.
    ///
    /// # Errors
    /// What another bundler has to do or to report.
    fn load(&self, id: &str, is_cjs: bool) -> Result<Source, Declined>;

    /// Whether a module outside of the bundle may do something when it is loaded: an import of it stays although nothing of it is used.
    fn has_effects(&self, specifier: &str) -> bool;

    /// The path of a module in comments.
    fn label(&self, id: &str) -> String;

    /// The name of a module in a source map.
    fn source_name(&self, id: &str) -> String;
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Esm,
    Cjs,
    Iife,
}

/// What becomes of the modules.
#[derive(Debug, Clone)]
pub struct Options {
    pub format: Format,
    /// Whether the result runs where `import.meta` and `createRequire` of "node:module" are.
    pub is_node: bool,
    pub sourcemap: bool,
    pub comments: CommentOptions,
    /// Whether names are as short as can be.
    pub mangle: bool,
    /// Whether declarations beside each other become one.
    pub joins: bool,
    /// Whether white space goes.
    pub whitespace: bool,
    /// What the result begins and ends with.
    pub banner: String,
    pub footer: String,
    /// The file of the result, as its map names it.
    pub file: String,
}

/// A result.
#[derive(Debug)]
pub struct Output {
    pub code: String,
    pub map: Option<String>,
    /// The ids of the modules in it, in their order; none if the next build goes on with what is kept of this one.
    pub modules: Vec<ArcStr>,
    /// The names that it exports.
    pub exports: Vec<String>,
    /// The specifiers of what it imports.
    pub imports: Vec<String>,
}

/// What is kept of a build for the next one of a command line that watches: what modules declare, use and ask for, and their texts
/// in the result, but not their trees.
#[derive(Debug)]
pub struct Kept {
    graph: graph::Graph,
    chunk: print::Chunk,
    joined: join::Joined,
    /// Texts of modules that are not in the result but were in an earlier one, by number.
    printed: Vec<Option<print::Printed>>,
    /// Of a build whose modules declare, use and ask for the same.
    linked: Linked,
    /// The options of both builds.
    options: String,
}

impl Kept {
    /// Gives the texts of the result back, to which others may have added something at the end: the next build changes them where
    /// modules have changed, which is a small part of the work of making them.
    pub fn give_back(&mut self, code: String, map: Option<String>) {
        self.joined.texts = Some((code, map));
    }

    /// The texts of the result, if they were given back.
    pub fn texts(&self) -> Option<(&str, Option<&str>)> {
        self.joined.texts.as_ref().map(|(code, map)| (code.as_str(), map.as_deref()))
    }
}

/// What is found out about the modules of a build together.
#[derive(Debug)]
struct Linked {
    links: link::Links,
    shaken: shake::Shaken,
    names: names::Names,
}

impl Linked {
    fn of(graph: &graph::Graph, options: &Options) -> Result<Linked, Declined> {
        let links = link::link(graph, options)?;
        let shaken = shake::shake(graph, &links, options)?;
        let names = names::assign(graph, &links, &shaken, options);
        Ok(Linked { links, shaken, names })
    }
}

/// Makes one result of the modules below an entry point.
///
/// # Errors
/// What this core cannot do, before anything was made.
pub fn bundle(host: &impl Host, entry: Resolution, options: &Options) -> Result<Output, Declined> {
    make(host, entry, options, None, false).map(|(output, _)| output)
}

/// Makes a result of which the next build is to be made quickly. Of an earlier one's modules only those whose ids are `changed` are
/// read again; others are where they were.
///
/// # Errors
/// What this core cannot do, or not after the earlier build: a build that begins anew may.
pub fn rebuild(
    host: &impl Host,
    entry: Resolution,
    options: &Options,
    earlier: Option<Kept>,
    changed: &[ArcStr],
) -> Result<(Output, Kept), Declined> {
    let (output, kept) = make(host, entry, options, earlier.map(|kept| (kept, changed)), true)?;
    Ok((output, kept.ok_or_else(|| Declined::because("nothing is kept"))?))
}

fn make(
    host: &impl Host,
    entry: Resolution,
    options: &Options,
    earlier: Option<(Kept, &[ArcStr])>,
    keeps: bool,
) -> Result<(Output, Option<Kept>), Declined> {
    let text = if keeps { format!("{options:?}") } else { String::new() };
    let (graph, kept) = match earlier.filter(|(kept, _)| kept.options == text) {
        Some((Kept { graph, chunk, joined, printed, linked, .. }, changed)) => {
            (Some((graph, changed)), Some((chunk, joined, printed, linked)))
        }
        None => (None, None),
    };
    let (mut graph, again) = scan::scan(host, entry, options, graph)?;
    let (mut printed, linked) = match kept {
        Some((mut chunk, mut joined, printed, linked)) if again.is_linked_as_before => {
            let changed = print::print_again(host, &mut graph, &linked, options, &chunk, &again.read)?;
            let output = match join::patch(&mut joined, &mut chunk, changed, options) {
                Some(output) => output,
                None => {
                    let (output, places) = join::join(&mut chunk, &linked, options);
                    joined.places = places;
                    output
                }
            };
            return Ok((output, Some(Kept { graph, chunk, joined, printed, linked, options: text })));
        }
        Some((chunk, _, mut printed, linked)) => {
            printed.resize_with(graph.modules.len(), || None);
            for part in chunk.parts {
                let number = part.number as usize;
                printed[number] = Some(part);
            }
            rayon::spawn(move || drop(linked));
            (printed, Linked::of(&graph, options)?)
        }
        None => (Vec::new(), Linked::of(&graph, options)?),
    };
    let mut chunk = print::print(host, &mut graph, &linked, options, keeps.then_some(&mut printed))?;
    let (mut output, places) = join::join(&mut chunk, &linked, options);
    if !keeps {
        output.modules = chunk.parts.iter().filter(|part| part.number != 0).map(|part| part.id.clone()).collect();
        rayon::spawn(move || drop((graph, linked, chunk)));
        return Ok((output, None));
    }
    let (exports, imports) = (output.exports.clone(), output.imports.clone());
    let joined = join::Joined { places, exports, imports, texts: None };
    Ok((output, Some(Kept { graph, chunk, joined, printed, linked, options: text })))
}
