//! Pages in a build: the module that stands for a page, the page itself among the results, and the manifest that a server gets.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use serde_json::json;

use crate::archived;
use crate::assets::{Parts, hash_of, name_of, relative};
use crate::html::{self, Change, ReferenceKind, quoted};
use crate::job::{Artifact, ArtifactKind, Built};
use crate::messages::Message;
use crate::metafile;
use crate::options::{BuildOptions, Format, Loader, Naming, Target};
use crate::shared::{Shared, is_data_url, join};

/// A page whose module has been loaded.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    text: String,
    /// Names of copies by the reference of the page.
    assets: BTreeMap<String, String>,
}

/// The file that a reference of a page means, with what follows its path. One that begins with `/` starts at the working
/// directory, or else at the root of the entry points.
fn file_of(shared: &Shared, page: &Path, url: &str) -> Option<(PathBuf, String)> {
    let (path, tail) = url.find(['?', '#']).map_or((url, ""), |at| url.split_at(at));
    let folder = page.parent().unwrap_or(Path::new("/"));
    let bases = match path.strip_prefix('/') {
        Some(_) => vec![shared.options.cwd.as_path(), shared.root.as_path()],
        None => vec![folder],
    };
    let bases = bases.into_iter().map(|base| join(base, path.trim_start_matches('/')));
    bases
        .into_iter()
        .find(|file| store::is_file(file) || shared.options.files.contains_key(file))
        .map(|file| (file, tail.into()))
}

/// The module that stands for a page: it imports the scripts and the sheets of the page in their order.
///
/// # Errors
/// A file that is not there, and a page that cannot be read.
pub(crate) fn script_of(shared: &Shared, path: &str, text: String) -> anyhow::Result<String> {
    let page = Path::new(path);
    let failed = |text: String| shared.failed(text, "file", path);
    let mut assets = BTreeMap::new();
    let mut code = String::new();
    for reference in html::scan(&text).map_err(failed)? {
        let found = file_of(shared, page, &reference.url);
        if reference.kind != ReferenceKind::Asset {
            let specifier = found.map_or_else(
                || reference.url.clone(),
                |(file, tail)| {
                    let path = reference.url.strip_suffix(&tail).unwrap_or(&reference.url);
                    let query = if tail.starts_with('?') { tail.as_str() } else { "" };
                    // Plugins see what is written; what begins at the root of the site leads to a file of the project.
                    if path.starts_with("./") || path.starts_with("../") {
                        format!("{path}{query}")
                    } else {
                        format!("{}{query}", file.to_string_lossy())
                    }
                },
            );
            let _ = writeln!(code, "import {};", json!(specifier));
            continue;
        }
        if assets.contains_key(&reference.url) || shared.externals.is_external(&reference.url) {
            continue;
        }
        let Some((file, tail)) = found else {
            return Err(failed(format!("Could not resolve: \"{}\"", reference.url)));
        };
        let bytes = match shared.options.files.get(&file) {
            Some(text) => text.clone().into_bytes(),
            None => {
                archived::read(&file).map_err(|error| failed(format!("cannot read \"{}\": {error}", file.display())))?
            }
        };
        assets.insert(reference.url, shared.add_file(&file, bytes, &tail)?);
    }
    shared.pages.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_string(), Page { text, assets });
    Ok(code)
}

/// How a page refers to a result.
fn reference(options: &BuildOptions, page: &str, name: &str) -> String {
    if is_data_url(name) {
        return name.to_string();
    }
    if !options.public_path.is_empty() {
        return format!("{}{name}", options.public_path);
    }
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let path = relative(folder, Path::new(name));
    if path.starts_with("..") { path } else { format!("./{path}") }
}

/// What stands for the scripts or the sheets of a page: the name of a result, or its text in a page that is one file.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Name(String),
    Text(String),
}

/// The text of a script as it can stand in a page (https://html.spec.whatwg.org/#restrictions-for-contents-of-script-elements).
fn script_text(code: &str) -> String {
    // Both stand in strings, templates, regular expressions and comments only, where the escapes mean the same.
    let code = replaced_ignoring_case(code.trim_end(), "</script", "<\\/");
    let may_open = code.contains("<!--") && code.to_ascii_lowercase().contains("<script");
    if may_open { code.replace("<!--", "\\x3C!--") } else { code }
}

/// A text in which each place of a word begins with `beginning` instead of its first two characters; letters are the same in both
/// cases.
fn replaced_ignoring_case(text: &str, word: &str, beginning: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower[from..].find(word) {
        out.push_str(&text[from..from + found]);
        out.push_str(beginning);
        from += found + 2;
        rest = &text[from..];
    }
    out.push_str(rest);
    out
}

/// The page as a result. `script` and `sheets` are what stands for its scripts and sheets, `preloaded` the names of the chunks that
/// the script imports.
///
/// # Errors
/// The parser's text.
pub(crate) fn artifact(
    shared: &Shared,
    path: &str,
    parts: &Parts,
    script: Option<&Part>,
    sheets: &[Part],
    preloaded: &[String],
) -> Result<Artifact, String> {
    let page = shared.pages.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    let Some(Page { text, assets }) = page else { return Err(format!("the page \"{path}\" has not been loaded")) };
    let options = &shared.options;
    let parts = Parts { ext: "html".into(), ..parts.clone() };
    // References depend on the folder of the page alone, which no hash changes.
    let place = name_of(&options.naming.entry, &parts, "00000000");
    let mut head = String::new();
    for sheet in sheets {
        let _ = match sheet {
            Part::Name(name) => write!(
                head,
                "<link rel=\"stylesheet\" crossorigin href=\"{}\">",
                quoted(&reference(options, &place, name))
            ),
            Part::Text(text) => {
                write!(head, "<style>{}</style>", replaced_ignoring_case(text.trim_end(), "</style", "<\\/"))
            }
        };
    }
    if let Some(Part::Text(code)) = script
        && !code.trim().is_empty()
    {
        let _ = write!(head, "<script type=\"module\">{}</script>", script_text(code));
    }
    if let Some(Part::Name(script)) = script {
        let kind = if options.format == Format::Esm { "type=\"module\"" } else { "defer" };
        let _ = write!(
            head,
            "<script {kind} crossorigin src=\"{}\"></script>",
            quoted(&reference(options, &place, script))
        );
    }
    for name in preloaded {
        let _ = write!(
            head,
            "<link rel=\"modulepreload\" crossorigin href=\"{}\">",
            quoted(&reference(options, &place, name))
        );
    }
    let text = html::rewrite(&text, &head, &mut |found| match (found.kind, assets.get(&found.url)) {
        (ReferenceKind::Asset, Some(name)) => Change::Url(reference(options, &place, name)),
        (ReferenceKind::Asset, None) => Change::Keep,
        _ if shared.externals.is_external(&found.url) => Change::Keep,
        _ => Change::Remove,
    })?;
    let hash = hash_of(text.as_bytes());
    Ok(Artifact {
        path: name_of(&options.naming.entry, &parts, &hash),
        kind: ArtifactKind::EntryPoint,
        loader: Loader::Html,
        hash,
        bytes: text.into_bytes(),
        sourcemap: None,
        details: metafile::Details::of_source(path),
        source: Some(path.to_string()),
        is_entry: true,
        description: None,
    })
}

fn content_type(artifact: &Artifact) -> String {
    let extension = artifact.path.rsplit('.').next().unwrap_or_default();
    match extension {
        "js" => "text/javascript;charset=utf-8".into(),
        "css" => "text/css;charset=utf-8".into(),
        "html" => "text/html;charset=utf-8".into(),
        "map" => "application/json;charset=utf-8".into(),
        _ => rolldown_utils::mime::guess_mime(Path::new(&artifact.path), &artifact.bytes)
            .map_or_else(|_| "application/octet-stream".into(), |mime| mime.to_string()),
    }
}

/// The module of a page that a module for a server imports: the page is built for browsers beside it, and the module's default
/// is `{ index, files: [{ input, path, loader, isEntry, headers: { etag, "content-type" } }] }`, as `Bun.serve` takes it.
///
/// # Errors
/// The first error of the page's build; all of its messages are among those of the build.
pub(crate) async fn manifest_of(shared: &Arc<Shared>, path: &str) -> anyhow::Result<String> {
    let given = &shared.options;
    let is_executable = given.executable.is_some();
    let naming = Naming {
        // The name of the server's only result is none for the page.
        entry: match is_executable || given.outfile.is_some() {
            true => "[dir]/[name].[ext]".to_string(),
            false => given.naming.entry.clone(),
        },
        ..given.naming.clone()
    };
    // In an executable it is the place of the program's own files; the server of the page has them at its root.
    let public_path = if is_executable { "/".to_string() } else { given.public_path.clone() };
    let options = BuildOptions {
        entrypoints: vec![path.to_string()],
        outfile: None,
        executable: None,
        standalone: false,
        bytecode: false,
        declarations: false,
        naming,
        public_path,
        root: Some(shared.root.clone()),
        target: Target::Browser,
        format: Format::Esm,
        metafile: false,
        changed: None,
        banner: String::new(),
        footer: String::new(),
        ..BuildOptions::clone(given)
    };
    let build: Pin<Box<dyn Future<Output = Built> + Send>> = Box::pin(crate::job::build(options, shared.hooks.clone()));
    let built = build.await;
    let (errors, warnings): (Vec<Message>, Vec<Message>) = built.messages.into_iter().partition(Message::is_error);
    shared.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings);
    if let Some(first) = errors.first() {
        let error = anyhow::Error::msg(first.text.clone());
        shared.failures.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
        return Err(error);
    }
    let mut files = Vec::new();
    let mut index = String::new();
    for artifact in built.artifacts.iter().filter(|artifact| artifact.kind != ArtifactKind::Sourcemap) {
        if artifact.path.ends_with(".html") && artifact.kind == ArtifactKind::EntryPoint {
            index = format!("./{}", artifact.path);
        }
        let is_entry = artifact.source.as_deref() == Some(path);
        let loader = match artifact.path.rsplit('.').next() {
            Some("js") => "js",
            Some("css") => "css",
            Some("html") => "html",
            _ => "file",
        };
        files.push(json!({
            "input": artifact.source.as_deref().map(|source| relative(&shared.root, Path::new(source))),
            "path": format!("./{}", artifact.path),
            "loader": loader,
            "isEntry": is_entry,
            "headers": { "etag": hash_of(&artifact.bytes), "content-type": content_type(artifact) },
        }));
    }
    for input in &built.inputs {
        shared.note(input, |_| ());
    }
    // What belongs to a page is no module of the executable, but a file that its server sends.
    let nested = built.artifacts.into_iter().map(|artifact| match artifact.kind {
        ArtifactKind::EntryPoint | ArtifactKind::Chunk if is_executable => {
            Artifact { kind: ArtifactKind::Asset, ..artifact }
        }
        _ => artifact,
    });
    shared.nested.lock().unwrap_or_else(PoisonError::into_inner).extend(nested);
    let manifest = json!({ "index": index, "files": files }).to_string();
    Ok(format!("export default JSON.parse({});", json!(manifest)))
}
