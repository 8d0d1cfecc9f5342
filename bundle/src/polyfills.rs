//! Node's built-in modules in bundles for browsers: bao's own, with what browsers have in the place of the system
//! (ext/bundle/native/browser). build.rs collects them.

/// A module: CommonJS that requires others by the specifiers in `imports`.
pub(crate) struct Module {
    pub id: &'static str,
    pub code: &'static str,
    /// Specifiers, and the ids of the modules that they mean here.
    pub imports: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/polyfills.rs"));

/// The namespace of the modules.
pub(crate) const NAMESPACE: &str = "bao-node";

/// The module with an id.
pub(crate) fn module(id: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.id == id)
}

/// The module that a specifier of a built-in module of Node means, with or without `node:`.
pub(crate) fn of_builtin(specifier: &str) -> Option<&'static Module> {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    MODULES.iter().find(|module| module.id.strip_prefix("node:") == Some(name))
}

/// The module that another of them requires by a specifier.
pub(crate) fn required(importer: &str, specifier: &str) -> Option<&'static Module> {
    let (_, id) = module(importer)?.imports.iter().find(|(name, _)| *name == specifier)?;
    module(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_there() {
        for module in MODULES {
            for (specifier, _) in module.imports {
                assert!(required(module.id, specifier).is_some(), "{} requires {specifier}", module.id);
            }
        }
        assert!(of_builtin("events").is_some() && of_builtin("node:stream/promises").is_some());
        assert!(of_builtin("fs").is_none() && of_builtin("internal/core/errors").is_none());
    }

    #[test]
    fn messages_do_not_bring_inspection_along() {
        let mut open = vec!["node:events"];
        let mut seen = Vec::new();
        while let Some(id) = open.pop() {
            if !seen.contains(&id) {
                seen.push(id);
                open.extend(module(id).unwrap().imports.iter().map(|(_, id)| *id));
            }
        }
        assert!(seen.contains(&"internal/util/brief") && !seen.contains(&"node:util"), "{seen:?}");
    }
}
