//! What the development server (ext/bundle/dev) asks of the bundler: where a specifier leads in a browser, and style sheets.
//! Modules are turned into functions by libs/transpile; nothing is linked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use oxc_resolver::{ResolveError, ResolveOptions, Resolver, TsconfigDiscovery};

use crate::assets::Asset;
use crate::external::{Externals, browser_packages};
use crate::messages::Message;
use crate::options::{BuildOptions, Target as Platform};
use crate::polyfills::{self, NAMESPACE};
use crate::settings;
use crate::shared::Shared;
use crate::{css, css_modules};

/// Where specifiers lead. It remembers what is on the disk until [`DevResolver::clear`].
#[derive(Debug)]
pub struct DevResolver {
    import: Resolver,
    require: Resolver,
    externals: Externals,
    /// Whether built-in modules of Node are those of the process, not packages or empty modules.
    has_builtins: bool,
}

/// What a specifier leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file, absolute; a query may follow.
    File(PathBuf),
    /// A module without exports: a built-in module of Node that browsers have nothing of, or one that package.json turns off for
    /// them.
    Empty,
    /// The module that stands for a built-in module of Node in browsers, by its namespace and id, see [`dev_polyfill`].
    Polyfill(String),
    /// The browser loads it itself.
    External,
}

impl DevResolver {
    /// A resolver for a build with these options.
    pub fn new(options: &BuildOptions) -> DevResolver {
        let conditions = settings::conditions(options);
        let strings = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let is_browser = options.target == Platform::Browser;
        let with = |kind: &str| ResolveOptions {
            cwd: Some(options.cwd.clone()),
            tsconfig: Some(TsconfigDiscovery::Auto),
            alias_fields: if is_browser { vec![strings(&["browser"])] } else { Vec::new() },
            condition_names: conditions.iter().cloned().chain([kind.to_string(), "default".to_string()]).collect(),
            extensions: settings::extensions(),
            extension_alias: settings::extension_alias(),
            main_fields: strings(if is_browser { &["browser", "module", "main"] } else { &["module", "main"] }),
            ..ResolveOptions::default()
        };
        let import = Resolver::new(with("import"));
        let require = import.clone_with_options(with("require"));
        DevResolver { import, require, externals: Externals::new(options), has_builtins: !is_browser }
    }

    /// Where `specifier` leads from the file `importer`.
    ///
    /// # Errors
    /// The resolver's text about a specifier that leads nowhere.
    pub fn resolve(&self, importer: &Path, specifier: &str, is_require: bool) -> Result<Target, String> {
        if self.externals.is_external(specifier) {
            return Ok(Target::External);
        }
        let resolver = if is_require { &self.require } else { &self.import };
        let found = |specifier: &str| resolver.resolve_file(importer, specifier);
        if self.externals.builtin(specifier).is_some() {
            if self.has_builtins {
                return Ok(Target::External);
            }
            // What package.json says in its field `browser` comes first, then packages for browsers.
            for package in browser_packages(specifier) {
                match found(&package) {
                    Ok(found) => return Ok(Target::File(found.full_path())),
                    Err(ResolveError::Ignored(_)) => return Ok(Target::Empty),
                    Err(_) => {}
                }
            }
            let own = polyfills::of_builtin(specifier);
            return Ok(own.map_or(Target::Empty, |module| Target::Polyfill(format!("{NAMESPACE}:{}", module.id))));
        }
        match found(specifier) {
            Ok(found) => Ok(Target::File(found.full_path())),
            Err(ResolveError::Ignored(_)) => Ok(Target::Empty),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Forgets what is on the disk.
    pub fn clear(&self) {
        self.import.clear_cache();
    }
}

/// The code of a module that [`Target::Polyfill`] names, a CommonJS module, with its imports: specifiers, and what they lead to.
pub fn dev_polyfill(id: &str) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let module = polyfills::module(id)?;
    let imports = module.imports.iter().map(|(specifier, id)| (*specifier, format!("{NAMESPACE}:{id}"))).collect();
    Some((module.code, imports))
}

/// A style sheet with all that it imports.
#[derive(Debug, Clone)]
pub struct DevSheet {
    pub code: String,
    /// If it is a module of CSS, the module of JavaScript with its class names, which imports the sheets that it is composed of.
    pub module: Option<String>,
    /// The files that were read.
    pub inputs: Vec<PathBuf>,
    /// Files that it refers to: name of the copy, path.
    pub assets: Vec<(String, String)>,
}

/// Puts a style sheet together with the sheets that it imports. `texts` are sheets that plugins have loaded, by path. URLs of
/// files become `options.public_path` and a name by `options.naming.asset`.
///
/// # Errors
/// The first mistake, with its place if it is known.
pub fn dev_sheet(options: BuildOptions, path: &Path, texts: BTreeMap<String, String>) -> Result<DevSheet, Message> {
    let root = options.cwd.clone();
    let mut shared = Shared::new(options.into(), root, None).map_err(Message::error)?;
    shared.texts = std::sync::Mutex::new(texts);
    shared.inlines = false;
    let name = path.to_string_lossy().into_owned();
    let code = css::bundle(&shared, std::slice::from_ref(&name)).map_err(|mut errors| errors.swap_remove(0))?.code;
    let texts = std::mem::take(&mut *shared.texts.lock().unwrap_or_else(PoisonError::into_inner));
    let module = match texts.get(&name) {
        Some(text) => css_modules::module_of(&shared, &name, text)?,
        None => None,
    };
    let assets = shared.assets.take().into_iter().map(|(name, Asset { source, .. })| (name, source));
    Ok(DevSheet { code, module, inputs: texts.into_keys().map(PathBuf::from).collect(), assets: assets.collect() })
}
