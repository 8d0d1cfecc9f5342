//! Prints each module of a result by itself.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use arcstr::ArcStr;
use oxc::allocator::{Allocator, TakeIn};
use oxc::ast::ast::{
    BindingIdentifier, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, Program, Statement,
    VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::VisitJsMut;
use oxc::codegen::{Codegen, CodegenOptions};
use oxc::mangler::{MangleOptions, Mangler};
use oxc::semantic::{ReferenceId, Scoping, SemanticBuilder, SymbolId};
use oxc::span::{SPAN, SourceType};
use oxc::str::{CompactStr, Ident};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rolldown_ecmascript::EcmaCompiler;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::free_names::rename_free_names;
use crate::graph::{Graph, Kind, Module, RUNTIME, SymbolRef, Target, top_of};
use crate::join::State;
use crate::later::{Later, Run};
use crate::link::{Found, Links, Wrap};
use crate::names::Names;
use crate::rewrite::{Call, Plan, Rewriter, Text};
use crate::scan::LARGE;
use crate::shake::{Helper, Shaken};
use crate::shorten;
use crate::{Declined, Format, Host, ImportKind, Linked, Options, Source};

/// A position in a result's part and one in a module; the number of a name, or `u32::MAX`.
pub(crate) type Mapping = [u32; 5];

/// The text of a module.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pub number: u32,
    pub id: ArcStr,
    pub text: String,
    /// How many lines end in it, and the UTF-16 units of what follows the last one.
    pub lines: u32,
    pub last_units: u32,
    pub mappings: Vec<Mapping>,
    /// The number of its names, and these as JSON.
    pub name_count: usize,
    pub names: String,
    /// The module's path for comments, its name in a map and its own text, both as JSON.
    pub label: String,
    pub source_name: String,
    pub content: String,
    /// What it was printed from beside its own text.
    pub key: u64,
    /// Its mappings as a map has them behind what was before them.
    pub encoded: Option<(State, String)>,
}

#[derive(Debug)]
pub(crate) struct Chunk {
    pub parts: Vec<Printed>,
    pub exports: Vec<(CompactStr, Exported)>,
    pub hashbang: Option<String>,
    pub stars: Vec<ArcStr>,
    pub externals: Vec<ArcStr>,
    /// Of each external, whether its import stays if nothing of it is used.
    pub have_effects: Vec<bool>,
    /// The function that runs the entry point, if it is CommonJS.
    pub entry_wrapper: Option<CompactStr>,
    pub is_esm: bool,
    /// Whether the entry point has the syntax of ES modules.
    pub is_module: bool,
    /// The entry point's directives.
    pub directives: Vec<String>,
}

/// What an export of the result is.
#[derive(Debug)]
pub(crate) enum Exported {
    Name { name: CompactStr, is_live: bool },
    Member(CompactStr, CompactStr),
}

/// Parses the text of a module that is bao's own.
pub(crate) fn parse(text: &str) -> Result<Source, Declined> {
    let ast = EcmaCompiler::parse("", text.to_string(), SourceType::mjs())
        .map_err(|_| Declined::because("the runtime cannot be parsed"))?;
    let scoping = ast.make_scoping();
    Ok(Source { ast, scoping })
}

/// Prints modules of a chunk that were read again, of a build whose links are as before. Gives their places in the chunk.
pub(crate) fn print_again<H: Host>(
    host: &H,
    graph: &mut Graph,
    linked: &Linked,
    options: &Options,
    chunk: &Chunk,
    read: &[u32],
) -> Result<Vec<(usize, Printed)>, Declined> {
    let Linked { links, shaken, names } = linked;
    let mut sources: Vec<(u32, Option<Source>)> =
        read.iter().map(|number| (*number, graph.modules[*number as usize].source.take())).collect();
    let context = Context { host, links, shaken, names, options, graph };
    let places = chunk.parts.iter().enumerate().filter(|(_, part)| read.contains(&part.number));
    let chosen: Vec<(usize, u32, Option<Source>)> = places
        .filter_map(|(place, part)| {
            let (_, source) = sources.iter_mut().find(|(number, _)| *number == part.number)?;
            Some((place, part.number, source.take()))
        })
        .collect();
    chosen
        .into_par_iter()
        .map(|(place, number, source)| {
            let key = context.key(number);
            Ok((place, Printed { key, ..context.module(number, source)? }))
        })
        .collect()
}

/// Prints the modules of a result. `earlier` has those of an earlier build by number, and is there if a next build wants them.
pub(crate) fn print<H: Host>(
    host: &H,
    graph: &mut Graph,
    linked: &Linked,
    options: &Options,
    earlier: Option<&mut Vec<Option<Printed>>>,
) -> Result<Chunk, Declined> {
    let Linked { links, shaken, names } = linked;
    let mut sources: Vec<Option<Source>> = graph.modules.iter_mut().map(|module| module.source.take()).collect();
    let graph = &*graph;
    let entry = &graph.modules[graph.entry as usize];
    let hashbang = entry.hashbang.clone();
    let is_module = entry.kind == Kind::Esm;
    let is_kept = |directive: &&String| options.format != Format::Esm || directive.as_str() != "use strict";
    let directives = match links.wraps[graph.entry as usize] {
        Wrap::None => entry.directives.iter().filter(is_kept).cloned().collect(),
        _ => Vec::new(),
    };
    let is_esm = entry.kind != Kind::Cjs && links.wraps[graph.entry as usize] != Wrap::Cjs;
    let entry_wrapper = names.wrappers[graph.entry as usize].clone();
    let stars = links.entry_stars.iter().map(|star| graph.externals[*star as usize].clone()).collect();
    let exports = links
        .entry_exports
        .iter()
        .map(|(name, found)| {
            let text = text_of(found, names, shaken);
            let exported = match (text, found) {
                (Some(Text::Member(object, member)), _) => Exported::Member(object, member),
                (Some(Text::Name(text)), Found::Symbol(symbol)) => {
                    let module = &graph.modules[symbol.module as usize];
                    let is_live = module.own.get(&symbol.symbol).is_some_and(|own| own.is_mutated);
                    Exported::Name { name: text, is_live }
                }
                (Some(Text::Name(text)), _) => Exported::Name { name: text, is_live: false },
                (None, _) => Exported::Name { name: CompactStr::from("undefined"), is_live: false },
            };
            (name.clone(), exported)
        })
        .collect();
    let keeps = earlier.is_some();
    let mut none = Vec::new();
    let earlier = earlier.unwrap_or(&mut none);
    // A module with a tree was read for this build: what it was before is of no use, now or later.
    for (earlier, source) in earlier.iter_mut().zip(&sources) {
        if source.is_some() {
            *earlier = None;
        }
    }
    let chosen: Vec<_> = shaken
        .order
        .iter()
        .map(|number| {
            let index = *number as usize;
            (*number, sources[index].take(), earlier.get_mut(index).and_then(Option::take))
        })
        .collect();
    let context = Context { host, links, shaken, names, options, graph };
    let parts: Result<Vec<Printed>, Declined> = chosen
        .into_par_iter()
        .with_max_len(if keeps { 64 } else { 8 })
        .map(|(number, source, earlier)| {
            let key = if keeps { context.key(number) } else { 0 };
            match earlier {
                Some(earlier) if earlier.key == key => Ok(earlier),
                _ => context.module(number, source).map(|printed| Printed { key, ..printed }),
            }
        })
        .collect();
    // Nobody waits for what is not in the result to be freed.
    rayon::spawn(move || drop(sources));
    let externals = graph.externals.clone();
    let have_effects = externals.iter().map(|specifier| host.has_effects(specifier)).collect();
    Ok(Chunk {
        parts: parts?,
        exports,
        hashbang,
        stars,
        externals,
        have_effects,
        entry_wrapper,
        is_esm,
        is_module,
        directives,
    })
}

/// The name, or the member, that something found is in the result.
fn text_of(found: &Found, names: &Names, shaken: &Shaken) -> Option<Text> {
    Some(match found {
        Found::Symbol(SymbolRef { module, symbol }) => Text::Name(names.own[*module as usize].get(symbol)?.clone()),
        Found::Namespace(module) => Text::Name(names.namespaces[*module as usize].clone()?),
        Found::Member { module, record, name } => {
            let object = names.import_vars.get(&(*module, *record))?.clone();
            match name {
                None => Text::Name(object),
                Some(name) => Text::Member(object, name.clone()),
            }
        }
        Found::External { external, name } => {
            let number = shaken.external_numbers.get(&(*external, name.clone()))?;
            Text::Name(names.externals[*number as usize].clone())
        }
        Found::Missing => return None,
    })
}

struct Context<'c, H> {
    host: &'c H,
    links: &'c Links,
    shaken: &'c Shaken,
    names: &'c Names,
    options: &'c Options,
    graph: &'c Graph,
}

/// Names that stand in a tree until it is renamed.
struct Placeholders {
    is_used: bool,
    renames: FxHashMap<CompactStr, CompactStr>,
}

impl Placeholders {
    fn name(&mut self, name: &CompactStr) -> CompactStr {
        if !self.is_used {
            return name.clone();
        }
        let placeholder = CompactStr::from(format!("$bao_{name}"));
        self.renames.insert(placeholder.clone(), name.clone());
        placeholder
    }

    fn text(&mut self, text: &Text) -> Text {
        match text {
            Text::Name(name) => Text::Name(self.name(name)),
            Text::Member(object, member) => Text::Member(self.name(object), member.clone()),
        }
    }
}

impl<H: Host> Context<'_, H> {
    /// A number that is another if a module would be printed otherwise than before, as far as its own text is the same.
    fn key(&self, number: u32) -> u64 {
        let index = number as usize;
        let module = &self.graph.modules[index];
        let links = &self.links.modules[index];
        let mut hasher = DefaultHasher::new();
        let text = |found: &Found| text_of(found, self.names, self.shaken);
        (self.links.wraps[index] as u8).hash(&mut hasher);
        self.shaken.parts[index].hash(&mut hasher);
        for (symbol, found) in &links.imports {
            (symbol, text(found)).hash(&mut hasher);
        }
        for ((symbol, member), found) in &links.members {
            (symbol, member, text(found)).hash(&mut hasher);
        }
        for (symbol, name) in &self.names.own[index] {
            (symbol, name).hash(&mut hasher);
        }
        (&self.names.namespaces[index], &self.names.wrappers[index]).hash(&mut hasher);
        for (export, found) in self.shaken.namespaces[index].iter().flatten() {
            (export, text(found)).hash(&mut hasher);
        }
        let record = |hasher: &mut DefaultHasher, importer: u32, index: u32| {
            let (target, is_node) = self.record(importer, index);
            (self.names.import_vars.get(&(importer, index)), is_node).hash(hasher);
            match target {
                Target::Module(target) => {
                    let index = target as usize;
                    let (wrapper, namespace) = (&self.names.wrappers[index], &self.names.namespaces[index]);
                    (self.links.wraps[index] as u8, wrapper, namespace, self.wrappers_of(target)).hash(hasher);
                }
                Target::External(external) => self.graph.externals[external as usize].hash(hasher),
            }
        };
        for index in 0..module.records.len() {
            record(&mut hasher, number, index as u32);
        }
        for (importer, index) in self.shaken.runs.get(&number).into_iter().flatten() {
            record(&mut hasher, *importer, *index);
        }
        for helper in Helper::ALL {
            self.names.helper(helper).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Where a record of a module leads, and whether Node's rules for CommonJS in ES modules hold there.
    fn record(&self, number: u32, record: u32) -> (Target, bool) {
        let module = &self.graph.modules[number as usize];
        (module.records[record as usize].target, module.is_node)
    }

    /// The tree of a module that was printed before.
    fn read_again(&self, number: u32, module: &Module) -> Result<Source, Declined> {
        if number == RUNTIME {
            return crate::runtime::source(self.options);
        }
        let source = self.host.load(&module.id, module.is_cjs)?;
        if *source.ast.source() != module.text {
            return Err(Declined(format!("{}: it changes while it is bundled", module.id)));
        }
        Ok(source)
    }

    fn module(&self, number: u32, source: Option<Source>) -> Result<Printed, Declined> {
        let options = self.options;
        let module = &self.graph.modules[number as usize];
        let Source { mut ast, mut scoping } = match source {
            Some(source) => source,
            None => self.read_again(number, module)?,
        };
        let scoping = &mut scoping;
        // The names of its top by number, and its parameters among them.
        let top = top_of(scoping);
        if top.len() != module.symbols as usize {
            return Err(Declined(format!("{}: it changes while it is bundled", module.id)));
        }
        let parameters: Vec<SymbolId> = module.parameters.iter().map(|number| top[*number as usize]).collect();
        let id_of = |number: u32| top.get(number as usize).map_or(number, |symbol| symbol.index() as u32);
        let index = number as usize;
        let wrap = self.links.wraps[index];
        let links = &self.links.modules[index];
        let own = &self.names.own[index];
        // Private members get short names from a table of classes, which is made of the tree as it will be.
        let is_made_anew = options.mangle && module.has_private;
        let mut places = Placeholders { is_used: is_made_anew, renames: FxHashMap::default() };
        let mut plan = Plan {
            has_exports: wrap == Wrap::Cjs || module.kind == Kind::Cjs,
            exports_name: places.name(&CompactStr::from("exports")),
            names: FxHashMap::default(),
            members: FxHashMap::default(),
            calls: FxHashMap::default(),
            promise: places.name(&CompactStr::from("Promise")),
            require: None,
        };
        // Names of local symbols, and names that inner scopes must not have.
        let mut renamed: Vec<(SymbolId, CompactStr)> = Vec::new();
        let mut foreign: FxHashSet<CompactStr> = FxHashSet::default();
        if wrap == Wrap::Cjs {
            // Its own names of the parameters that it gets are others.
            foreign.extend(["exports", "module"].map(CompactStr::from));
        } else if plan.has_exports {
            // What `this` becomes.
            foreign.insert(CompactStr::from("exports"));
        }
        let mut needs_walk = module.has_marks;
        for (symbol, found) in &links.imports {
            let Some(text) = text_of(found, self.names, self.shaken) else {
                continue;
            };
            match &text {
                Text::Name(name) => {
                    let is_renamed = name != module.own_name(*symbol);
                    if is_renamed || options.mangle {
                        foreign.insert(name.clone());
                    }
                    if is_renamed {
                        renamed.push((top[*symbol as usize], name.clone()));
                    }
                }
                Text::Member(object, _) => {
                    foreign.insert(object.clone());
                    plan.names.insert(id_of(*symbol), places.text(&text));
                    needs_walk = true;
                }
            }
        }
        for ((symbol, member), found) in &links.members {
            if let Some(text) = text_of(found, self.names, self.shaken) {
                let (Text::Name(name) | Text::Member(name, _)) = &text;
                foreign.insert(name.clone());
                plan.members.insert((id_of(*symbol), member.clone()), places.text(&text));
            }
        }
        needs_walk |= !plan.members.is_empty();
        for (symbol, name) in own {
            if module.is_made(*symbol) {
                foreign.insert(name.clone());
            } else if name != module.own_name(*symbol) {
                foreign.insert(name.clone());
                renamed.push((top[*symbol as usize], name.clone()));
            }
        }
        if needs_walk {
            let require = CompactStr::from(self.names.helper(Helper::Require));
            let to_esm = CompactStr::from(self.names.helper(Helper::ToEsm));
            let is_renamed = options.format == Format::Esm && number != RUNTIME;
            if is_renamed {
                foreign.insert(require.clone());
                plan.require = Some(places.name(&require));
            }
            for record in &module.records {
                let call = match (record.kind, record.target) {
                    (ImportKind::Import, _) => continue,
                    (ImportKind::Require, Target::External(external)) => Call::Require(
                        is_renamed.then(|| places.name(&require)),
                        CompactStr::from(self.graph.externals[external as usize].as_str()),
                    ),
                    (ImportKind::Dynamic, Target::External(external)) => {
                        Call::Import(CompactStr::from(self.graph.externals[external as usize].as_str()))
                    }
                    (kind, Target::Module(target)) => {
                        let Some(wrapper) = &self.names.wrappers[target as usize] else {
                            continue;
                        };
                        foreign.insert(wrapper.clone());
                        let wrapper = places.name(wrapper);
                        let is_required = kind == ImportKind::Require;
                        if self.links.wraps[target as usize] == Wrap::Esm {
                            let Some(namespace) = &self.names.namespaces[target as usize] else {
                                continue;
                            };
                            foreign.insert(namespace.clone());
                            let namespace = places.name(namespace);
                            if is_required {
                                let helper = CompactStr::from(self.names.helper(Helper::ToCommonJs));
                                foreign.insert(helper.clone());
                                Call::RunModule { wrapper, to_common_js: places.name(&helper), namespace }
                            } else {
                                foreign.insert(CompactStr::from("Promise"));
                                Call::LaterModule { wrapper, namespace }
                            }
                        } else if is_required {
                            Call::Run(wrapper)
                        } else {
                            foreign.extend([to_esm.clone(), CompactStr::from("Promise")]);
                            Call::Later { wrapper, to_esm: places.name(&to_esm), is_node: module.is_node }
                        }
                    }
                };
                plan.calls.insert((record.kind == ImportKind::Require, record.specifier.clone()), call);
            }
        }
        let mut head = String::new();
        self.head(number, &mut head);
        let later = (wrap == Wrap::Esm).then(|| self.later(number, module, own, &top, &mut places));
        let mut parameter_names = ["exports", "module"].map(CompactStr::from);
        if options.mangle && !is_made_anew {
            let is_wrapped = wrap == Wrap::Cjs;
            let made =
                is_wrapped.then(|| ["exports", "module"].map(|name| shorten::declare_free(scoping, name, &parameters)));
            foreign.extend(own.values().cloned());
            let exports = made.map(|made| made[0]);
            let included = &self.shaken.parts[index];
            shorten::shorten(scoping, &module.places, included, is_wrapped, &foreign, exports);
            for (symbol, name) in &renamed {
                scoping.set_symbol_name(*symbol, Ident::from(name.as_str()));
            }
            if let Some(made) = made {
                parameter_names = made.map(|symbol| CompactStr::from(scoping.symbol_name(symbol)));
                plan.exports_name = parameter_names[0].clone();
            }
        }

        let uses_module = module.uses_module;
        let included = &self.shaken.parts[index];
        let default = own.get(&module.symbols).cloned();
        let default = default.map(|name| places.name(&name));
        let path = options.sourcemap.then(|| PathBuf::from("m"));
        let indent = u32::from(options.format == Format::Iife) + u32::from(wrap == Wrap::Cjs);
        let codegen_options = CodegenOptions {
            minify: options.whitespace,
            comments: options.comments.clone(),
            source_map_path: path.filter(|_| number != RUNTIME),
            initial_indent: if options.whitespace { 0 } else { indent },
            ..CodegenOptions::default()
        };
        let mut is_closed = false;
        let mut has_line_comment = false;
        let mut content = String::new();
        let print = || {
            ast.program.with_mut(|fields| {
                let (allocator, program): (&Allocator, &mut Program<'_>) = (fields.allocator, fields.program);
                let builder = AstBuilder::new(allocator);
                program.hashbang = None;
                // Results are strict as modules, or say so themselves.
                if wrap != Wrap::Cjs || options.format == Format::Esm {
                    program.directives.clear();
                }
                has_line_comment = program.comments.iter().any(|comment| comment.is_line());
                keep(program, included, default.as_deref(), allocator, &builder);
                if options.joins && wrap != Wrap::Esm {
                    join_declarations(program, &builder);
                }
                if needs_walk {
                    let has_names = !plan.names.is_empty() || !plan.members.is_empty();
                    let unmarked = (!has_names).then_some(&module.unmarked);
                    let mut rewriter = Rewriter { allocator, builder, scoping, plan: &plan, depth: 0, unmarked };
                    for statement in &mut program.body {
                        rewriter.visit_statement(statement);
                    }
                }
                if let Some(later) = &later {
                    let builder = AstBuilder::new(allocator);
                    let tools = Rewriter { allocator, builder, scoping, plan: &plan, depth: 0, unmarked: None };
                    crate::later::wrap(program, &tools, later);
                }
                is_closed = matches!(
                    program.body.last(),
                    Some(
                        Statement::FunctionDeclaration(_)
                            | Statement::ClassDeclaration(_)
                            | Statement::BlockStatement(_)
                            | Statement::TryStatement(_)
                            | Statement::SwitchStatement(_)
                    )
                );
                if is_made_anew {
                    let mut renames = std::mem::take(&mut places.renames);
                    for (symbol, name) in &renamed {
                        let local = scoping.symbol_name(*symbol);
                        renames.insert(CompactStr::from(local), name.clone());
                    }
                    mangle(program, allocator, &renames, wrap == Wrap::Cjs, codegen_options)
                } else {
                    let mut scoping = std::mem::take(scoping);
                    if !options.mangle {
                        rename(&mut scoping, &renamed, &foreign, wrap == Wrap::Cjs, &parameters);
                    }
                    Codegen::new().with_options(codegen_options).with_scoping(Some(scoping)).build(program)
                }
            })
        };
        let quote = |content: &mut String| {
            content.reserve(module.text.len() + module.text.len() / 16 + 2);
            json::quote(&module.text, content);
        };
        let printed = if options.sourcemap && module.text.len() > LARGE {
            // Others have nothing to do while a large module is printed.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| quote(&mut content));
                print()
            })
        } else {
            print()
        };
        let mut text = printed.code;
        if options.whitespace {
            transpile::prefer_quotes(&mut text);
        }
        let (mut names, mut name_count) = (String::new(), 0);
        let mut mappings: Vec<Mapping> = Vec::new();
        if let Some(map) = &printed.map {
            for name in map.get_names() {
                if name_count > 0 {
                    names.push(',');
                }
                json::quote(name, &mut names);
                name_count += 1;
            }
            mappings = map
                .get_tokens()
                .map(|token| {
                    let name = token.get_name_id().unwrap_or(u32::MAX);
                    [token.get_dst_line(), token.get_dst_col(), token.get_src_line(), token.get_src_col(), name]
                })
                .collect();
        }
        while text.ends_with('\n') {
            text.pop();
        }
        if options.whitespace && has_line_comment && text.rsplit('\n').next().is_some_and(|line| line.contains("//")) {
            // What follows is no comment.
            text.push('\n');
        }
        if options.whitespace && wrap != Wrap::Cjs && !is_closed && !text.is_empty() && !text.ends_with(';') {
            text.push(';');
        }
        if wrap == Wrap::Cjs {
            let (open, close) = self.wrapper(number, uses_module, &parameter_names);
            head.push_str(&open);
            if options.whitespace {
                // On the line of the wrapper's beginning.
            } else if !text.is_empty() {
                head.push('\n');
                text.push('\n');
            }
            text.push_str(&close);
        }
        if !head.is_empty() {
            let lines = memchr::memchr_iter(b'\n', head.as_bytes()).count() as u32;
            let last = head.len() - head.rfind('\n').map_or(0, |at| at + 1);
            let column = head[head.len() - last..].encode_utf16().count() as u32;
            for mapping in &mut mappings {
                if mapping[0] == 0 {
                    mapping[1] += column;
                }
                mapping[0] += lines;
            }
            head.push_str(&text);
            text = head;
        }
        let id = module.id.clone();
        let mut source_name = String::new();
        if mappings.is_empty() {
            content.clear();
        } else {
            json::quote(&self.host.source_name(&id), &mut source_name);
            if content.is_empty() {
                quote(&mut content);
            }
        }
        let label = if number == RUNTIME { "bao:runtime".to_string() } else { self.host.label(&id) };
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        let last_units = text[text.rfind('\n').map_or(0, |at| at + 1)..].encode_utf16().count() as u32;
        Ok(Printed {
            number,
            id,
            text,
            lines,
            last_units,
            mappings,
            name_count,
            names,
            label,
            source_name,
            content,
            key: 0,
            encoded: None,
        })
    }

    /// What a module needs that runs when it is asked for.
    fn later(
        &self,
        number: u32,
        module: &Module,
        own: &FxHashMap<u32, CompactStr>,
        top: &[SymbolId],
        places: &mut Placeholders,
    ) -> Later {
        // Names of the tree, which become those of the result with it.
        let is_mangled = places.is_used;
        let names = own
            .iter()
            .map(|(symbol, name)| {
                let name = match (is_mangled, module.is_made(*symbol)) {
                    (false, _) => name.clone(),
                    (true, true) => places.name(name),
                    (true, false) => CompactStr::from(module.own_name(*symbol)),
                };
                (top.get(*symbol as usize).map_or(u32::MAX, |symbol| symbol.index() as u32), name)
            })
            .collect();
        let mut runs = Vec::new();
        let helper = CompactStr::from(self.names.helper(Helper::ToEsm));
        for (index, record) in module.records.iter().enumerate() {
            if record.kind != ImportKind::Import {
                continue;
            }
            let var = self.names.import_vars.get(&(number, index as u32));
            let value = match record.target {
                Target::Module(target) if var.is_none() => {
                    let wrappers = self.wrappers_of(target).into_iter();
                    runs.extend(wrappers.map(|wrapper| (None, Run::Wrapper(places.name(wrapper)))));
                    continue;
                }
                Target::Module(target) => match &self.names.wrappers[target as usize] {
                    Some(wrapper) => Run::Wrapper(places.name(wrapper)),
                    None => continue,
                },
                Target::External(_) if self.options.format == Format::Esm => continue,
                Target::External(external) if var.is_none() && !self.has_effects(external) => continue,
                Target::External(external) => {
                    Run::Require(CompactStr::from(self.graph.externals[external as usize].as_str()))
                }
            };
            let var = var.map(|var| (places.name(var), places.name(&helper), module.is_node));
            runs.push((var, value));
        }
        let wrapper = self.names.wrappers[number as usize].clone().unwrap_or_else(|| CompactStr::from("init"));
        Later {
            names,
            runs,
            wrapper: places.name(&wrapper),
            helper: places.name(&CompactStr::from(self.names.helper(Helper::Esm))),
        }
    }

    fn has_effects(&self, external: u32) -> bool {
        self.host.has_effects(&self.graph.externals[external as usize])
    }

    /// The functions that an import of a module runs: its own, or those of modules that it passes on and that are in the
    /// result without it. What ES modules declare has no value before they ran, side effects or not.
    fn wrappers_of(&self, target: u32) -> Vec<&CompactStr> {
        let mut wrappers = Vec::new();
        let mut visited = FxHashSet::default();
        let mut stack = vec![target];
        while let Some(number) = stack.pop() {
            let index = number as usize;
            if !visited.insert(number) {
                continue;
            }
            let module = &self.graph.modules[index];
            if self.shaken.modules[index] {
                if self.links.wraps[index] == Wrap::Esm || (number == target && module.side_effects) {
                    wrappers.extend(&self.names.wrappers[index]);
                }
                continue;
            }
            stack.extend(module.records.iter().rev().filter_map(|record| match record.target {
                Target::Module(inner) if record.kind == ImportKind::Import => Some(inner),
                _ => None,
            }));
        }
        wrappers
    }

    /// The beginning and the end of a module that is a function.
    fn wrapper(&self, number: u32, uses_module: bool, [exports, module]: &[CompactStr; 2]) -> (String, String) {
        let helper = self.names.helper(Helper::CommonJs);
        let name = self.names.wrappers[number as usize].as_deref().unwrap_or_default();
        let tab = if self.options.format == Format::Iife && !self.options.whitespace { "\t" } else { "" };
        if self.options.whitespace {
            let parameters = match uses_module {
                true => format!("({exports},{module})"),
                false => exports.to_string(),
            };
            (format!("var {name}={helper}({parameters}=>{{"), "});".to_string())
        } else {
            let parameters = if uses_module { format!("{exports}, {module}") } else { exports.to_string() };
            (format!("{tab}var {name} = /* @__PURE__ */ {helper}((({parameters}) => {{"), format!("{tab}}}));"))
        }
    }

    /// What comes before the statements of a module: the object of its exports, and what it requires.
    fn head(&self, number: u32, head: &mut String) {
        let options = self.options;
        let is_small = options.whitespace;
        let tab = if options.format == Format::Iife && !is_small { "\t" } else { "" };
        if let (Some(exports), Some(name)) =
            (&self.shaken.namespaces[number as usize], &self.names.namespaces[number as usize])
        {
            let helper = self.names.helper(Helper::ExportAll);
            head.push_str(tab);
            head.push_str("var ");
            head.push_str(name);
            head.push_str(if is_small { "=" } else { " = /* @__PURE__ */ " });
            head.push_str(helper);
            head.push_str("({");
            for (index, (export, found)) in exports.iter().enumerate() {
                let value = match text_of(found, self.names, self.shaken) {
                    Some(Text::Name(name)) => name.to_string(),
                    Some(Text::Member(object, member)) => member_text(&object, &member),
                    None => "void 0".to_string(),
                };
                let key = property_text(export);
                if is_small {
                    let comma = if index == 0 { "" } else { "," };
                    let _ = write!(head, "{comma}{key}:()=>{value}");
                } else {
                    let comma = if index == 0 { "" } else { "," };
                    let _ = write!(head, "{comma}\n{tab}\t{key}: () => {value}");
                }
            }
            if !is_small && !exports.is_empty() {
                head.push('\n');
                head.push_str(tab);
            }
            head.push_str(if is_small { "});" } else { "});\n" });
        }
        if self.links.wraps[number as usize] != Wrap::None {
            return;
        }
        let mut done = FxHashSet::default();
        for (importer, record) in self.shaken.runs.get(&number).into_iter().flatten() {
            let var = self.names.import_vars.get(&(*importer, *record));
            let (target, is_node) = self.record(*importer, *record);
            let value = match target {
                Target::Module(target) if var.is_none() => {
                    for wrapper in self.wrappers_of(target) {
                        let value = format!("{wrapper}()");
                        if !done.contains(&value) {
                            let _ = write!(head, "{tab}{value}{}", if is_small { ";" } else { ";\n" });
                            done.insert(value);
                        }
                    }
                    continue;
                }
                Target::Module(target) => match &self.names.wrappers[target as usize] {
                    Some(wrapper) => format!("{wrapper}()"),
                    None => continue,
                },
                Target::External(_) if options.format == Format::Esm => continue,
                Target::External(external) if var.is_none() && !self.has_effects(external) => continue,
                Target::External(external) => {
                    format!("require({})", quoted(&self.graph.externals[external as usize]))
                }
            };
            let end = if is_small { ";" } else { ";\n" };
            match var {
                Some(var) => {
                    let helper = self.names.helper(Helper::ToEsm);
                    let equals = if is_small { "=" } else { " = /* @__PURE__ */ " };
                    let mode = match (is_node, is_small) {
                        (true, true) => ",1",
                        (true, false) => ", 1",
                        _ => "",
                    };
                    let _ = write!(head, "{tab}var {var}{equals}{helper}({value}{mode}){end}");
                }
                None if done.contains(&value) => {}
                None => {
                    let _ = write!(head, "{tab}{value}{end}");
                }
            }
            done.insert(value);
        }
    }
}

/// A text as a literal of JavaScript.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if (c as u32) < 0x20 || c == '\u{2028}' || c == '\u{2029}' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

pub(crate) fn property_text(name: &str) -> String {
    match name {
        // Not the prototype.
        "__proto__" => format!("[{}]", quoted(name)),
        name if oxc::syntax::identifier::is_identifier_name(name) => name.to_string(),
        name => quoted(name),
    }
}

pub(crate) fn member_text(object: &str, member: &str) -> String {
    if oxc::syntax::identifier::is_identifier_name(member) {
        format!("{object}.{member}")
    } else {
        format!("{object}[{}]", quoted(member))
    }
}

/// Leaves the statements that are needed, without `import` and `export`.
fn keep<'a>(
    program: &mut Program<'a>,
    included: &[bool],
    default: Option<&str>,
    allocator: &'a Allocator,
    builder: &AstBuilder<'a>,
) {
    use oxc::allocator::FromIn;
    let mut body = oxc::allocator::Vec::with_capacity_in(program.body.len(), builder);
    for (index, mut statement) in
        std::mem::replace(&mut program.body, oxc::allocator::Vec::new_in(builder)).into_iter().enumerate()
    {
        if !included.get(index).copied().unwrap_or(true) {
            continue;
        }
        match &mut statement {
            Statement::ImportDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_) => continue,
            Statement::ExportDeclaration(export) => {
                let declaration = export.declaration.take_in(builder);
                body.push(Statement::from(declaration));
                continue;
            }
            Statement::ExportDefaultDeclaration(export) => {
                let name = default.map(|name| Ident::from_in(name, allocator));
                let id = || name.map(|name| BindingIdentifier::new(SPAN, name, builder));
                let span = export.span;
                let declaration = match &mut export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        if function.id.is_none() {
                            function.id = id();
                        }
                        let function = function.take_in_box(builder);
                        body.push(Statement::FunctionDeclaration(function));
                        continue;
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                        body.push(Statement::ClassDeclaration(class.take_in_box(builder)));
                        continue;
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        let mut class = class.take_in_box(builder);
                        class.r#type = oxc::ast::ast::ClassType::ClassExpression;
                        Expression::ClassExpression(class)
                    }
                    other => match other.as_expression_mut() {
                        Some(expression) => expression.take_in(builder),
                        None => continue,
                    },
                };
                let Some(id) = id() else { continue };
                let declarator = VariableDeclarator::new(
                    span,
                    BindingPattern::BindingIdentifier(oxc::allocator::Box::new_in(id, builder)),
                    None,
                    Some(declaration),
                    false,
                    builder,
                );
                let declarators = oxc::allocator::Vec::from_iter_in([declarator], builder);
                body.push(Statement::from(Declaration::new_variable_declaration(
                    span,
                    VariableDeclarationKind::Var,
                    declarators,
                    false,
                    builder,
                )));
                continue;
            }
            _ => {}
        }
        body.push(statement);
    }
    program.body = body;
}

/// Makes one declaration of variables of those of a kind that follow each other.
fn join_declarations<'a>(program: &mut Program<'a>, builder: &AstBuilder<'a>) {
    let old = std::mem::replace(&mut program.body, oxc::allocator::Vec::new_in(builder));
    for statement in old {
        match (statement, program.body.last_mut()) {
            (Statement::VariableDeclaration(mut next), Some(Statement::VariableDeclaration(last)))
                if next.kind == last.kind && !next.kind.is_using() =>
            {
                let list = std::mem::replace(&mut next.declarations, oxc::allocator::Vec::new_in(builder));
                last.declarations.extend(list);
            }
            (statement, _) => program.body.push(statement),
        }
    }
}

/// Renames what has another name in the result, and inner names that would hide names of other modules. The names of `parameters`
/// are those of the function around.
fn rename(
    scoping: &mut Scoping,
    renamed: &[(SymbolId, CompactStr)],
    foreign: &FxHashSet<CompactStr>,
    is_wrapped: bool,
    parameters: &[SymbolId],
) {
    if !foreign.is_empty() {
        let root = scoping.root_scope_id();
        let hidden: Vec<SymbolId> = scoping
            .symbol_ids()
            .filter(|symbol| {
                (is_wrapped || scoping.symbol_scope_id(*symbol) != root)
                    && foreign.contains(scoping.symbol_name(*symbol))
                    && !parameters.contains(symbol)
            })
            .collect();
        if !hidden.is_empty() {
            let mut taken: FxHashSet<CompactStr> = scoping.symbol_names().map(CompactStr::from).collect();
            taken.extend(scoping.root_unresolved_references().keys().map(|name| CompactStr::from(name.as_str())));
            taken.extend(foreign.iter().cloned());
            taken.extend(renamed.iter().map(|(_, name)| name.clone()));
            for symbol in hidden {
                let name = CompactStr::from(scoping.symbol_name(symbol));
                let mut count = 1;
                let unique = loop {
                    let candidate = CompactStr::from(format!("{name}${count}"));
                    if taken.insert(candidate.clone()) {
                        break candidate;
                    }
                    count += 1;
                };
                scoping.set_symbol_name(symbol, Ident::from(unique.as_str()));
            }
        }
    }
    for (symbol, name) in renamed {
        scoping.set_symbol_name(*symbol, Ident::from(name.as_str()));
    }
}

/// Prints a module with short names.
fn mangle<'a>(
    program: &mut Program<'a>,
    allocator: &'a Allocator,
    renames: &FxHashMap<CompactStr, CompactStr>,
    is_wrapped: bool,
    options: CodegenOptions,
) -> oxc::codegen::CodegenReturn<'a> {
    let has_private = memchr::memchr(b'#', program.source_text.as_bytes()).is_some();
    let builder = SemanticBuilder::new().with_build_nodes(true).with_class_table(has_private);
    let (scoping, private) = {
        let mut semantic = builder.build(program).semantic;
        let table = semantic.scoping_mut();
        let root = table.root_scope_id();
        let own: Vec<_> = table
            .get_bindings(root)
            .iter()
            .filter_map(|(name, symbol)| Some((*symbol, renames.get(name.as_str())?.clone())))
            .collect();
        let free: Vec<CompactStr> =
            table.root_unresolved_references().keys().filter_map(|name| renames.get(name.as_str()).cloned()).collect();
        for name in own.iter().map(|(_, name)| name).chain(&free) {
            // Only the name counts: an entry of this table is a name that is in use.
            table.add_root_unresolved_reference(Ident::from(name.as_str()), ReferenceId::from_usize(0));
        }
        for (symbol, name) in own {
            table.set_symbol_name(symbol, Ident::from(name.as_str()));
        }
        // A variable of the name of a parameter of the function around is that, but not one of an inner function.
        let hidden: Vec<SymbolId> = table
            .symbol_ids()
            .filter(|symbol| is_wrapped && table.symbol_scope_id(*symbol) != root)
            .filter(|symbol| matches!(table.symbol_name(*symbol), "exports" | "module"))
            .collect();
        table.set_symbol_names(&hidden, Ident::from("$bao_hidden"));
        let reserved = ["exports", "module"].into_iter().filter(|_| is_wrapped).map(CompactStr::from).collect();
        let mangle = MangleOptions { top_level: Some(is_wrapped), reserved, ..MangleOptions::default() };
        let private = Mangler::new().with_options(mangle).build_with_semantic(&mut semantic, program);
        (semantic.into_scoping(), private)
    };
    rename_free_names(program, allocator, &scoping, |name| renames.get(name).map(CompactStr::as_str));
    Codegen::new()
        .with_options(options)
        .with_scoping(Some(scoping))
        .with_private_member_mappings(has_private.then_some(private))
        .build(program)
}

/// The names of an entry point's exports, as far as they can be written without quotes.
pub(crate) fn export_name(name: &str) -> String {
    if oxc::syntax::identifier::is_identifier_name(name) { name.to_string() } else { quoted(name) }
}
