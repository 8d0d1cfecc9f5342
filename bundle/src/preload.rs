//! The option `modulePreload`: what a chunk imports is asked for together with the chunk, instead of when the browser has read it
//! (https://html.spec.whatwg.org/multipage/links.html#link-type-modulepreload).

use std::collections::BTreeMap;

use oxc::allocator::Allocator;
use oxc::ast::ast::{Expression, ImportExpression};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::span::{SourceType, Span};
use rustc_hash::FxHashMap;

use crate::public::relative;

/// Adds links for the chunks at `paths`, relative to `base`, unless the page has some already. Does nothing outside of documents.
/// Links have the nonce of the page's `<meta property="csp-nonce">`, as a policy may ask for one.
const HELPER: &str = r#"function __preload(base, paths) {
	const { document } = globalThis;
	if (!document?.head) return;
	const known = (__preload.known ??= new Set(Array.from(document.querySelectorAll("link[rel=modulepreload]"), (link) => link.href)));
	for (const path of paths) {
		const { href } = new URL(path, base);
		if (known.has(href)) continue;
		known.add(href);
		const link = document.createElement("link");
		const meta = document.querySelector("meta[property=csp-nonce]");
		const nonce = meta?.nonce || meta?.getAttribute("nonce");
		link.rel = "modulepreload";
		link.crossOrigin = "";
		if (nonce) link.nonce = nonce;
		link.href = href;
		document.head.appendChild(link);
	}
}
"#;
const NAME: &str = "__preload";

/// The chunks that each chunk of a build imports at once, by their names.
pub(crate) type Graph<'g> = BTreeMap<&'g str, Vec<&'g str>>;

/// The chunks that are loaded before `chunk` runs, without itself: those that it imports at once and what these import, in the
/// order in which they are found.
pub(crate) fn loaded_with<'g>(graph: &Graph<'g>, chunk: &str) -> Vec<&'g str> {
    let mut found: Vec<&'g str> = Vec::new();
    let mut next = 0;
    let mut imports = graph.get(chunk);
    loop {
        for other in imports.into_iter().flatten() {
            if *other != chunk && graph.contains_key(other) && !found.contains(other) {
                found.push(other);
            }
        }
        let Some(other) = found.get(next) else { return found };
        imports = graph.get(other);
        next += 1;
    }
}

/// The code of the chunk `file` in which each `import()` of a chunk of `graph` asks for what that chunk imports; `None` if nothing is
/// to be asked for. Lines stay where they are.
pub(crate) fn preload(code: &str, file: &str, graph: &Graph<'_>, public_path: &str) -> Option<String> {
    let before = loaded_with(graph, file);
    let others = graph.keys().filter(|other| **other != file);
    let wanted: FxHashMap<String, Vec<String>> = others
        .filter_map(|other| {
            let later = loaded_with(graph, other).into_iter().filter(|one| *one != file && !before.contains(one));
            let paths: Vec<String> = later
                .map(|one| if public_path.is_empty() { relative(file, one) } else { format!("{public_path}{one}") })
                .collect();
            (!paths.is_empty()).then(|| (relative(file, other), paths))
        })
        .collect();
    if wanted.is_empty() || !code.contains("import(") {
        return None;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs().with_jsx(true)).parse();
    let mut imports = Imports { wanted, found: Vec::new() };
    imports.visit_program(&parsed.program);
    if imports.found.is_empty() {
        return None;
    }
    let mut name = NAME.to_string();
    for number in 2.. {
        if !code.contains(&name) {
            break;
        }
        name = format!("{NAME}{number}");
    }
    imports.found.sort_unstable_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(code.len() + HELPER.len());
    let mut at = 0;
    // An import() may stand in an argument of another one.
    let mut open: Vec<usize> = Vec::new();
    for (span, paths) in &imports.found {
        close(code, &mut out, &mut at, &mut open, span.start as usize);
        out.push_str(&code[at..span.start as usize]);
        out.push_str(&format!("({name}(import.meta.url, {}), ", serde_json::Value::from(paths.clone())));
        at = span.start as usize;
        open.push(span.end as usize);
    }
    close(code, &mut out, &mut at, &mut open, code.len());
    out.push_str(&code[at..]);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    // A function is there before the code above it runs.
    out.push_str(&HELPER.replace(NAME, &name));
    Some(out)
}

/// Closes what ends up to a place.
fn close(code: &str, out: &mut String, at: &mut usize, open: &mut Vec<usize>, until: usize) {
    while let Some(end) = open.pop_if(|end| *end <= until) {
        out.push_str(&code[*at..end]);
        out.push(')');
        *at = end;
    }
}

/// Looks for `import()` of chunks.
struct Imports {
    /// What is asked for, by specifier.
    wanted: FxHashMap<String, Vec<String>>,
    found: Vec<(Span, Vec<String>)>,
}

impl<'a> Visit<'a> for Imports {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &import.source
            && let Some(paths) = self.wanted.get(source.value.as_str())
        {
            self.found.push((import.span, paths.clone()));
        }
        walk::walk_import_expression(self, import);
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, loaded_with, preload};

    fn graph() -> Graph<'static> {
        Graph::from([
            ("main.js", vec!["shared.js"]),
            ("shared.js", vec![]),
            ("x/lazy.js", vec!["deep.js", "shared.js", "node:fs"]),
            ("deep.js", vec!["deeper.js"]),
            ("deeper.js", vec!["deep.js"]),
            ("leaf.js", vec![]),
        ])
    }

    #[test]
    fn what_is_loaded_with_a_chunk() {
        assert_eq!(loaded_with(&graph(), "x/lazy.js"), ["deep.js", "shared.js", "deeper.js"]);
        assert_eq!(loaded_with(&graph(), "deep.js"), ["deeper.js"]);
        assert!(loaded_with(&graph(), "leaf.js").is_empty());
    }

    #[test]
    fn only_what_is_not_there_is_asked_for() {
        let code = "import(\"./leaf.js\");\nimport(\"./x/lazy.js\", { with: import(\"./x/lazy.js\") }).then();";
        let made = preload(code, "main.js", &graph(), "").unwrap();
        let (first, helper) = made.split_at(made.find("function").unwrap());
        let call = "(__preload(import.meta.url, [\"./deep.js\",\"./deeper.js\"]), import(\"./x/lazy.js\"";
        assert_eq!(first, format!("import(\"./leaf.js\");\n{call}, {{ with: {call})) }})).then();\n"));
        assert!(helper.starts_with("function __preload(base, paths) {"));
        assert!(preload("import(\"./main.js\")", "leaf.js", &graph(), "/p/").unwrap().contains("[\"/p/shared.js\"]"));
        assert!(preload("import(\"./shared.js\")", "main.js", &graph(), "").is_none());
    }

    #[test]
    fn names_of_the_code_stay() {
        let made = preload("let __preload; import(\"./x/lazy.js\")", "main.js", &graph(), "").unwrap();
        assert!(made.contains("(__preload2(import.meta.url, ") && made.contains("__preload2.known"));
    }
}
