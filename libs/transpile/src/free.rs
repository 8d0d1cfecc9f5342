//! Names that a text uses without declaring them, for values that a host gives to modules by name (`globals` of `Bun.ModuleGraph`).

use oxc_allocator::Allocator;
use oxc_semantic::SemanticBuilder;

use crate::depth::{self, Nesting, Walk};
use crate::options::{Loader, ModuleHint};
use crate::parse;

/// Those of `names` that an ES module reads as global variables, in their order. A direct `eval` may read any that the module does not
/// declare at its top level. None if the text is not JavaScript: who compiles it says so.
#[must_use]
pub fn free_names(source: &str, path: &str, names: &[String]) -> Vec<String> {
    let mentioned: Vec<&String> = names.iter().filter(|name| source.contains(name.as_str())).collect();
    let has_eval = source.contains("eval");
    if mentioned.is_empty() && !has_eval {
        return Vec::new();
    }
    let found = depth::run(Nesting::of(source), Walk::Recursive, || {
        let allocator = Allocator::default();
        let parsed = parse::parse(&allocator, source, path, Loader::Js, ModuleHint::Esm).ok()?;
        let scoping = SemanticBuilder::new().build(&parsed.program).semantic.into_scoping();
        let is_read = |name: &str| scoping.root_unresolved_references().keys().any(|key| key.as_str() == name);
        let declared = scoping.get_bindings(scoping.root_scope_id());
        let is_declared = |name: &str| declared.keys().any(|key| key.as_str() == name);
        let evals = has_eval && is_read("eval");
        // `eval` and `arguments` cannot be declared in a module.
        let may_be = |name: &str| name != "eval" && name != "arguments";
        let wanted = names.iter().filter(|name| may_be(name) && (is_read(name) || (evals && !is_declared(name))));
        Some(wanted.cloned().collect::<Vec<_>>())
    });
    found.flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::free_names;

    fn of(source: &str) -> Vec<String> {
        let names = ["process", "fetch", "X"].map(String::from);
        free_names(source, "a.mjs", &names)
    }

    #[test]
    fn names_that_are_declared_are_not_free() {
        assert_eq!(of("import process from 'process'; const fetch = 1; console.log(process, fetch, X)"), ["X"]);
        assert_eq!(of("function f(X) { return X + process.pid } { let fetch }"), ["process"]);
        assert_eq!(of("typeof fetch; X = 1"), ["fetch", "X"]);
        assert_eq!(of("a.process; ({ fetch: 1 }); 'X'"), [""; 0]);
    }

    #[test]
    fn a_direct_eval_may_read_all_that_is_not_declared() {
        assert_eq!(of("let X; eval('1')"), ["process", "fetch"]);
        assert_eq!(of("a.eval('X')"), [""; 0]);
    }

    #[test]
    fn what_is_no_javascript_has_none() {
        assert_eq!(of("X ("), [""; 0]);
    }
}
