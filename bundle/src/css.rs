//! The style sheets of chunks, by lightningcss.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use lightningcss::bundler::{Bundler, ResolveResult, SourceProvider};
use lightningcss::dependencies::{Dependency, DependencyOptions};
use lightningcss::error::Error;
use lightningcss::printer::PrinterOptions;
use lightningcss::properties::custom::TokenList;
use lightningcss::rules::unknown::UnknownAtRule;
use lightningcss::rules::{CssRule, Location};
use lightningcss::stylesheet::{MinifyOptions, ParserFlags, ParserOptions, StyleSheet};
use lightningcss::targets::{Browsers, Targets};
use rustc_hash::FxHashSet;

use crate::archived;
use crate::assets::relative;
use crate::css_join;
use crate::css_modules::{is_module, localized, modules_config};
use crate::depth;
use crate::messages::{Message, Position, Unresolved, position_at, unresolved_text};
use crate::options::Loader;
use crate::plugin::BaoPlugin;
use crate::shared::{Shared, data_url, join};
use crate::wide_colors;

/// A mistake in a sheet, with its place.
pub(crate) fn worded<T: Display>(error: &Error<T>, shared: &Shared) -> Message {
    let text = error.kind.to_string();
    let Some(place) = error.loc.as_ref().filter(|place| place.filename != ENTRY) else { return Message::error(text) };
    // Lines count from 0 there.
    let position = position_in(shared, &place.filename, place.line, place.column);
    Message { position: Some(position), ..Message::error(text) }
}

/// A place in a sheet: lines count from 0, columns from 1.
pub(crate) fn position_in(shared: &Shared, file: &str, line: u32, column: u32) -> Position {
    let known = shared.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(file).cloned();
    let source = known.or_else(|| archived::read_to_string(Path::new(file)).ok()).unwrap_or_default();
    let start: usize = source.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let units = (column as usize).saturating_sub(1);
    let mut width = 0;
    let before: usize = source
        .get(start..)
        .unwrap_or_default()
        .chars()
        .take_while(|c| {
            width += c.len_utf16();
            width <= units
        })
        .map(char::len_utf8)
        .sum();
    position_at(&source, "file", file, start + before, start + before)
}

pub(crate) fn parser_options<'i>(path: &str, modules: bool) -> ParserOptions<'i> {
    ParserOptions {
        filename: path.to_string(),
        css_modules: modules.then(modules_config),
        flags: ParserFlags::NESTING,
        error_recovery: false,
        ..ParserOptions::default()
    }
}

/// Gives lightningcss the sheets of a build.
pub(crate) struct Sheets<'a> {
    pub(crate) shared: &'a Shared,
    /// The sheet that imports the sheets of a chunk in their order.
    entry: &'a str,
    /// Imports that lead back to a sheet above, as importer and imported; they bring nothing.
    cut: FxHashSet<(PathBuf, PathBuf)>,
    texts: std::sync::Mutex<Vec<*mut String>>,
}

// SAFETY: the pointers are boxes that only `drop` takes back; in between they are read through shared references.
unsafe impl Send for Sheets<'_> {}
// SAFETY: as above; the list itself is behind a lock.
unsafe impl Sync for Sheets<'_> {}

impl Drop for Sheets<'_> {
    fn drop(&mut self) {
        for text in self.texts.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).drain(..) {
            // SAFETY: each pointer was made by Box::into_raw in `keep` and is taken back once.
            drop(unsafe { Box::from_raw(text) });
        }
    }
}

impl<'a> Sheets<'a> {
    pub(crate) fn new(shared: &'a Shared, entry: &'a str) -> Sheets<'a> {
        Sheets { shared, entry, cut: FxHashSet::default(), texts: std::sync::Mutex::default() }
    }

    /// Finds the imports that close a circle: lightningcss would leave out the rules of the sheet where it begins.
    fn cut_circles(&mut self, paths: &[String]) {
        let mut cut = FxHashSet::default();
        let mut done = FxHashSet::default();
        for path in paths {
            self.visit(Path::new(path), &mut Vec::new(), &mut done, &mut cut);
        }
        self.cut = cut;
    }

    /// `open`: the sheets that lead to this one.
    fn visit(
        &self,
        path: &Path,
        open: &mut Vec<PathBuf>,
        done: &mut FxHashSet<PathBuf>,
        cut: &mut FxHashSet<(PathBuf, PathBuf)>,
    ) {
        if !done.insert(path.to_path_buf()) {
            return;
        }
        let Some(text) = self.read(path).ok().filter(|text| text.contains("@import")) else { return };
        open.push(path.to_path_buf());
        for specifier in imports_of(text) {
            match self.find(&specifier, path) {
                Ok(ResolveResult::File(file)) if open.contains(&file) => {
                    cut.insert((path.to_path_buf(), file));
                }
                Ok(ResolveResult::File(file)) => self.visit(&file, open, done, cut),
                // Told when the sheet is bundled.
                Ok(ResolveResult::External(_)) | Err(_) => {}
            }
        }
        open.pop();
    }

    fn keep(&self, text: String) -> &str {
        let text = Box::into_raw(Box::new(text));
        self.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(text);
        // SAFETY: the box lives as long as `self`, and nothing changes it.
        unsafe { &*text }
    }
}

/// The specifiers that a sheet imports; nothing if it cannot be parsed.
fn imports_of(css: &str) -> Vec<String> {
    let options = ParserOptions { error_recovery: true, flags: ParserFlags::NESTING, ..ParserOptions::default() };
    let Ok(sheet) = StyleSheet::parse(css, options) else { return Vec::new() };
    let rules = sheet.rules.0.iter();
    rules
        .filter_map(|rule| match rule {
            CssRule::Import(import) => Some(import.url.to_string()),
            _ => None,
        })
        .collect()
}

/// Lets plugins give the texts of sheets and of those that they import, before lightningcss reads them.
pub(crate) async fn load(plugin: &BaoPlugin, paths: &[String]) -> anyhow::Result<()> {
    let shared = &plugin.shared;
    let mut open: Vec<String> = paths.to_vec();
    let mut visited = FxHashSet::default();
    while let Some(path) = open.pop() {
        if !visited.insert(path.clone()) {
            continue;
        }
        let known = shared.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&path).cloned();
        let text = match known {
            Some(text) => text,
            None => {
                let (bytes, ..) = plugin.contents(&path).await?;
                let text = shared.text_of(&bytes, &path);
                depth::check_sheet(&text).map_err(|error| shared.failed(error.to_string(), "file", &path))?;
                plugin.note_sheet(&path, bytes.len());
                shared
                    .texts
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .insert(path.clone(), text.clone());
                text
            }
        };
        let sheets = Sheets::new(shared, "");
        for specifier in imports_of(&text) {
            if let Ok(ResolveResult::File(file)) = sheets.resolve(&specifier, Path::new(&path)) {
                open.push(file.to_string_lossy().into_owned());
            }
        }
    }
    Ok(())
}

/// The name of the sheet that stands for a chunk.
const ENTRY: &str = "/\0bao-chunk.css";
/// The name of a sheet without rules.
const NOTHING: &str = "/\0bao-nothing.css";

impl SourceProvider for Sheets<'_> {
    type Error = std::io::Error;

    fn read<'a>(&'a self, file: &Path) -> Result<&'a str, Self::Error> {
        if file == Path::new(ENTRY) {
            return Ok(self.entry);
        }
        if file == Path::new(NOTHING) {
            return Ok("");
        }
        let path = file.to_string_lossy();
        let known =
            self.shared.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(path.as_ref()).cloned();
        let virtual_file = || self.shared.options.files.get(file).cloned();
        let text = match known.or_else(virtual_file) {
            Some(text) => text,
            None => {
                let text = self.shared.text_of(&archived::read(file)?, &path);
                depth::check_sheet(&text).map_err(std::io::Error::other)?;
                let mut texts = self.shared.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                texts.insert(path.clone().into_owned(), text.clone());
                text
            }
        };
        // Names are local in modules of CSS only, so each is printed with its names by itself.
        let text =
            if is_module(&path) { localized(self.shared, &path, &text).map_err(std::io::Error::other)? } else { text };
        Ok(self.keep(match wide_colors::hide(&text) {
            Cow::Owned(hidden) => hidden,
            Cow::Borrowed(_) => text,
        }))
    }

    fn resolve(&self, specifier: &str, from: &Path) -> Result<ResolveResult, Self::Error> {
        Ok(match self.find(specifier, from)? {
            ResolveResult::File(file)
                if !self.cut.is_empty() && self.cut.contains(&(from.to_path_buf(), file.clone())) =>
            {
                ResolveResult::File(PathBuf::from(NOTHING))
            }
            found => found,
        })
    }
}

impl Sheets<'_> {
    /// Where an import leads, also one that is cut.
    pub(crate) fn find(&self, specifier: &str, from: &Path) -> std::io::Result<ResolveResult> {
        if specifier.starts_with("http:")
            || specifier.starts_with("https:")
            || specifier.starts_with("//")
            || self.shared.externals.is_external(specifier)
        {
            return Ok(ResolveResult::External(specifier.to_string()));
        }
        if let Some(text) = sheet_in_url(specifier) {
            // The URL is the sheet's name, too.
            let mut texts = self.shared.texts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            texts.entry(specifier.to_string()).or_insert(text);
            return Ok(PathBuf::from(specifier).into());
        }
        if specifier.starts_with('/') {
            return Ok(PathBuf::from(specifier).into());
        }
        let folder = from.parent().unwrap_or(Path::new("/"));
        let is_there = |file: &Path| store::is_file(file) || self.shared.options.files.contains_key(file);
        let path = specifier.split(['?', '#']).next().unwrap_or(specifier);
        let mut beside = [specifier.to_string(), path.to_string(), format!("{path}.css")].into_iter();
        if let Some(file) = beside.find_map(|path| Some(join(folder, &path)).filter(|file| is_there(file))) {
            return match foreign(self.shared, &file) {
                Some(error) => Err(std::io::Error::other(error)),
                None => Ok(file.into()),
            };
        }
        // A package: the file itself, or what its package.json calls its style.
        let name = specifier.strip_prefix('~').unwrap_or(specifier);
        for folder in folder.ancestors() {
            let place = folder.join("node_modules").join(name);
            if store::is_file(&place) {
                return Ok(place.into());
            }
            if let Ok(text) = archived::read_to_string(&place.join("package.json"))
                && let Ok(manifest) = serde_json::from_str::<serde_json::Value>(&text)
                && let Some(style) = ["style", "main"]
                    .iter()
                    .find_map(|field| manifest[field].as_str().filter(|file| file.ends_with(".css")))
            {
                return Ok(place.join(style).into());
            }
        }
        Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("Could not resolve: \"{specifier}\"")))
    }
}

/// The sheet of a chunk, and its source map if one is wanted.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub code: String,
}

/// Puts sheets together in their order, with the sheets that they import.
///
/// # Errors
/// The first mistake, with its place, or all references that lead nowhere.
pub(crate) fn bundle(shared: &Shared, paths: &[String]) -> Result<Sheet, Vec<Message>> {
    let entry: String = paths.iter().fold(String::new(), |text, path| text + &format!("@import {path:?};\n"));
    // Lives longer than the sheets that borrow from it.
    let text;
    let mut sheets = Sheets::new(shared, &entry);
    sheets.cut_circles(paths);
    let minify = shared.options.minify;
    let mut bundler = Bundler::new(&sheets, None, parser_options(ENTRY, false));
    let (mut sheet, joined) = match bundler.bundle(Path::new(ENTRY)) {
        Ok(sheet) => (sheet, None),
        Err(error) if css_join::is_about_joining(&error.kind) => {
            let names;
            (text, names) = css_join::joined(&sheets, paths, !minify.whitespace)?;
            let sheet = StyleSheet::parse(&text, parser_options(ENTRY, false));
            (sheet.map_err(|error| vec![worded(&error, shared)])?, Some(names))
        }
        Err(error) => return Err(vec![worded(&error, shared)]),
    };
    let targets = targets(&shared.options.syntax_target);
    if minify.syntax || minify.whitespace {
        sheet
            .minify(MinifyOptions { targets, ..MinifyOptions::default() })
            .map_err(|error| vec![worded(&error, shared)])?;
    }
    // In a joined sheet the marks and the places of files are there.
    let is_joined = joined.is_some();
    let named = match joined {
        Some(named) => named,
        None if minify.whitespace => Vec::new(),
        None => name_sources(&mut sheet, paths),
    };
    let printed = sheet
        .to_css(PrinterOptions {
            minify: minify.whitespace,
            targets,
            analyze_dependencies: (!is_joined).then_some(DependencyOptions { remove_imports: false }),
            ..PrinterOptions::default()
        })
        .map_err(|error| vec![worded(&error, shared)])?;
    let mut code = wide_colors::show(place_urls(shared, printed.code, printed.dependencies)?);
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    Ok(Sheet { code: if named.is_empty() { code } else { with_comments(&code, &named, &shared.options.cwd) } })
}

/// A printed sheet with the places of its files instead of lightningcss's marks.
///
/// # Errors
/// All references that lead nowhere.
pub(crate) fn place_urls(
    shared: &Shared,
    mut code: String,
    dependencies: Option<Vec<Dependency>>,
) -> Result<String, Vec<Message>> {
    let mut errors = Vec::new();
    for dependency in dependencies.into_iter().flatten() {
        let url = match dependency {
            // What stays an import keeps its URL.
            Dependency::Import(import) => {
                code = code.replace(&import.placeholder, &import.url);
                continue;
            }
            Dependency::Url(url) => url,
        };
        match place_of(shared, &url.url, Path::new(&url.loc.file_path)) {
            Ok(place) => code = code.replace(&url.placeholder, &place),
            Err(text) => {
                // The range is what is inside of `url()`.
                let start = &url.loc.start;
                let column = start.column.saturating_sub("url(".len() as u32);
                let position = position_in(shared, &url.loc.file_path, start.line.saturating_sub(1), column);
                let unresolved = text.starts_with(UNRESOLVED).then(|| Unresolved {
                    specifier: url.url.clone(),
                    referrer: url.loc.file_path.clone(),
                    kind: "url-token",
                });
                errors.push(Message { position: Some(position), unresolved, ..Message::error(text) });
            }
        }
    }
    if errors.is_empty() { Ok(code) } else { Err(errors) }
}

/// The name of the rule that stands for a comment with a file's name, before its number.
pub(crate) const SOURCE_MARK: &str = "bao-source-";

/// Puts rules before those of each file that stand for a comment with its name, and gives these names. The last of `paths` has
/// one even if it has no rules.
fn name_sources(sheet: &mut StyleSheet<'_>, paths: &[String]) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    let mut mark = |loc: Location, source: String| {
        named.push(source);
        let name = format!("{SOURCE_MARK}{}", named.len() - 1).into();
        CssRule::Unknown(UnknownAtRule { name, prelude: TokenList(Vec::new()), block: None, loc })
    };
    let mut rules = Vec::with_capacity(sheet.rules.0.len() + sheet.sources.len());
    let mut last = None;
    for rule in sheet.rules.0.drain(..) {
        // Imports that stay come before all else.
        if !matches!(rule, CssRule::Import(_))
            && let Some(loc) = place_of_rule(&rule)
            && last != Some(loc.source_index)
            && let Some(source) = sheet.sources.get(loc.source_index as usize).filter(|source| *source != ENTRY)
        {
            last = Some(loc.source_index);
            rules.push(mark(loc, source.clone()));
        }
        rules.push(rule);
    }
    let last = last.and_then(|index| sheet.sources.get(index as usize));
    if let Some(path) = paths.last().filter(|path| Some(*path) != last) {
        rules.push(mark(Location { source_index: 0, line: 0, column: 1 }, path.clone()));
    }
    sheet.rules.0 = rules;
    named
}

/// Makes comments of the rules that [`name_sources`] has put in, which are printed in their order.
fn with_comments(code: &str, named: &[String], cwd: &Path) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    for (index, path) in named.iter().enumerate() {
        let Some((before, after)) = rest.split_once(format!("@{SOURCE_MARK}{index};\n").as_str()) else { continue };
        let path = if path.starts_with("data:") { format!("dataurl:{path}") } else { relative(cwd, Path::new(path)) };
        let path = path.replace("*/", "* /");
        out.push_str(before);
        out.push_str(&format!("/* {path} */\n"));
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    out.push_str(rest);
    out
}

/// Where a rule was written; of conditions that an `@import` puts around a file, where the file's first rule was.
fn place_of_rule(rule: &CssRule<'_>) -> Option<Location> {
    let inner = |rules: &[CssRule<'_>], loc: Location| Some(rules.iter().find_map(place_of_rule).unwrap_or(loc));
    match rule {
        CssRule::Media(rule) => inner(&rule.rules.0, rule.loc),
        CssRule::Supports(rule) => inner(&rule.rules.0, rule.loc),
        CssRule::LayerBlock(rule) => inner(&rule.rules.0, rule.loc),
        CssRule::Container(rule) => Some(rule.loc),
        CssRule::CounterStyle(rule) => Some(rule.loc),
        CssRule::CustomMedia(rule) => Some(rule.loc),
        CssRule::FontFace(rule) => Some(rule.loc),
        CssRule::FontFeatureValues(rule) => Some(rule.loc),
        CssRule::FontPaletteValues(rule) => Some(rule.loc),
        CssRule::Import(rule) => Some(rule.loc),
        CssRule::Keyframes(rule) => Some(rule.loc),
        CssRule::LayerStatement(rule) => Some(rule.loc),
        CssRule::MozDocument(rule) => Some(rule.loc),
        CssRule::Namespace(rule) => Some(rule.loc),
        CssRule::Nesting(rule) => Some(rule.loc),
        CssRule::NestedDeclarations(rule) => Some(rule.loc),
        CssRule::Page(rule) => Some(rule.loc),
        CssRule::PositionTry(rule) => Some(rule.loc),
        CssRule::Property(rule) => Some(rule.loc),
        CssRule::Scope(rule) => Some(rule.loc),
        CssRule::StartingStyle(rule) => Some(rule.loc),
        CssRule::Style(rule) => Some(rule.loc),
        CssRule::Unknown(rule) => Some(rule.loc),
        CssRule::ViewTransition(rule) => Some(rule.loc),
        CssRule::Viewport(rule) => Some(rule.loc),
        CssRule::Ignored | CssRule::Custom(_) => None,
    }
}

/// The sheet that a `data:` URL is.
fn sheet_in_url(url: &str) -> Option<String> {
    url.starts_with("data:text/css").then(|| transpile::decode_data_url(url)).flatten().map(Cow::into_owned)
}

/// How the text about a file that is not there begins.
const UNRESOLVED: &str = "Could not resolve";

/// Up to this size a file stands in the sheet, as in Bun.
const MAX_INLINED: usize = 128 << 10;

/// The error about a file that has no place in a sheet; `None` if it may have one.
fn foreign(shared: &Shared, file: &Path) -> Option<String> {
    let loader = shared.loader_of(&file.to_string_lossy(), None);
    let is_code = matches!(loader, Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx | Loader::Json);
    is_code.then(|| format!("Cannot import a \".{}\" file into a CSS file", loader.name()))
}

/// What a `url()` becomes: the file itself if it is small, else the name of its copy, or the URL as it is.
fn place_of(shared: &Shared, url: &str, from: &Path) -> Result<String, String> {
    let is_elsewhere = url.starts_with("data:")
        || url.starts_with('#')
        || url.contains("://")
        || url.starts_with("//")
        || url.starts_with('/');
    if is_elsewhere || shared.externals.is_external(url) {
        return Ok(url.to_string());
    }
    let (path, tail) = url.find(['?', '#']).map_or((url, ""), |at| url.split_at(at));
    let folder = from.parent().unwrap_or(Path::new("/"));
    let beside = join(folder, path);
    // `external` may name a file by its place, too: `./src/logo.png` from where the build runs.
    if shared.externals.is_external(&format!("./{}", relative(&shared.options.cwd, &beside))) {
        let out = shared.options.outdir.as_ref().unwrap_or(&shared.options.cwd);
        let place = relative(out, &beside);
        return Ok(if place.starts_with("..") { place } else { format!("./{place}") } + tail);
    }
    // Beside the sheet, or in a package.
    let packages = folder.ancestors().map(|folder| folder.join("node_modules").join(path));
    let places = std::iter::once(beside).chain(packages.filter(|_| !path.starts_with('.')));
    let read = |file: PathBuf| {
        let bytes = match shared.options.files.get(&file) {
            Some(text) => text.clone().into_bytes(),
            None => archived::read(&file).ok()?,
        };
        Some((file, bytes))
    };
    let (file, bytes) = places.into_iter().find_map(read).ok_or_else(|| unresolved_text(url))?;
    if let Some(error) = foreign(shared, &file) {
        return Err(error);
    }
    let place = if shared.inlines && bytes.len() <= MAX_INLINED {
        data_url(&file, &bytes, tail)
    } else {
        shared.add_file(&file, bytes, tail)
    };
    Ok(shared.public(&place.map_err(|error| error.to_string())?))
}

/// The browsers that a list of `chrome100` and the like names.
fn targets(names: &[String]) -> Targets {
    let mut browsers = Browsers::default();
    let mut any = false;
    for name in names {
        let Some(at) = name.find(|c: char| c.is_ascii_digit()) else { continue };
        let mut numbers = name[at..].split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let version = Some((numbers.next().unwrap_or(0) << 16) | (numbers.next().unwrap_or(0) << 8));
        let slot = match &name[..at] {
            "chrome" => &mut browsers.chrome,
            "edge" => &mut browsers.edge,
            "firefox" => &mut browsers.firefox,
            "safari" => &mut browsers.safari,
            "ios" => &mut browsers.ios_saf,
            "opera" => &mut browsers.opera,
            _ => continue,
        };
        *slot = version;
        any = true;
    }
    if any { Targets { browsers: Some(browsers), ..Targets::default() } } else { Targets::default() }
}
