use std::path::PathBuf;

use super::*;

/// A folder below the temporary one that is removed at the end.
struct Tree(PathBuf);

impl Tree {
    fn path(&self, path: &str) -> String {
        self.0.join(path).to_string_lossy().into_owned()
    }

    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("bao-tsconfig-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(root)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn nearest_file_with_comments() {
    let tree = Tree::new(
        "nearest",
        &[
            (
                "tsconfig.json",
                "{ // comment\n \"compilerOptions\": { \"jsx\": \"react\", /* c */ \"strict\": true, }, }",
            ),
            ("a/b/x.ts", ""),
            ("c/jsconfig.json", "{ \"compilerOptions\": { \"verbatimModuleSyntax\": true } }"),
            ("empty/tsconfig.json", " \n"),
        ],
    );
    let config = TsConfig::load(&tree.0.join("a/b")).unwrap().unwrap();
    assert_eq!(config.path, tree.0.join("tsconfig.json"));
    assert_eq!((config.jsx, config.strict), (Some(JsxSetting::React), Some(true)));
    assert_eq!(TsConfig::load(&tree.0.join("c")).unwrap().unwrap().verbatim_module_syntax, Some(true));
    assert_eq!(TsConfig::load(&tree.0.join("empty")).unwrap().unwrap().jsx, None);
}

#[test]
fn extends_files_packages_and_lists() {
    let tree = Tree::new(
        "extends",
        &[
            (
                "tsconfig.json",
                r#"{ "extends": ["./base", "pkg", "@scope/configs/strict.json", "exp/sub"], "compilerOptions": { "jsxFactory": "h" } }"#,
            ),
            (
                "base.json",
                r#"{ "extends": "./config/deep.json", "compilerOptions": { "jsx": "react", "jsxFactory": "x", "experimentalDecorators": true } }"#,
            ),
            (
                "config/deep.json",
                r#"{ "compilerOptions": { "paths": { "@/*": ["./src/*", "../lib/*"], "exact": ["e.ts"] }, "useDefineForClassFields": false } }"#,
            ),
            ("node_modules/pkg/package.json", r#"{ "tsconfig": "conf.json" }"#),
            ("node_modules/pkg/conf.json", r#"{ "compilerOptions": { "jsx": "react-jsx" } }"#),
            ("node_modules/@scope/configs/strict.json", r#"{ "compilerOptions": { "strict": true } }"#),
            ("node_modules/exp/package.json", r#"{ "exports": { "./sub": { "default": "./real.json" } } }"#),
            ("node_modules/exp/real.json", r#"{ "compilerOptions": { "emitDecoratorMetadata": true } }"#),
        ],
    );
    let config = TsConfig::load(&tree.0).unwrap().unwrap();
    assert_eq!(config.warnings, []);
    assert_eq!(config.jsx, Some(JsxSetting::ReactJsx));
    assert_eq!(config.jsx_factory.as_deref(), Some("h"));
    assert_eq!((config.strict, config.emit_decorator_metadata), (Some(true), Some(true)));
    assert_eq!(config.use_define_for_class_fields, Some(false));
    assert_eq!(config.files.len(), 6);
    assert_eq!(config.paths.candidates("@/a/b"), [tree.path("config/src/a/b"), tree.path("lib/a/b")]);
    assert_eq!(config.paths.candidates("exact"), [tree.path("config/e.ts")]);
    assert_eq!(config.paths.candidates("other"), Vec::<String>::new());
}

#[test]
fn backslashes_are_slashes() {
    let text = r#"{ "compilerOptions": { "baseUrl": "${configDir}\\lib", "paths": { "w/*": ["win\\*", "${configDir}\\src\\*"] } } }"#;
    let tree = Tree::new("backslashes", &[("tsconfig.json", text)]);
    let config = TsConfig::load(&tree.0).unwrap().unwrap();
    assert_eq!(config.paths.base_url(), Some(&*tree.path("lib")));
    assert_eq!(config.paths.candidates("w/a"), [tree.path("lib/win/a"), tree.path("src/a")]);
}

#[test]
fn base_url_and_config_dir() {
    let tree = Tree::new(
        "base",
        &[
            ("app/tsconfig.json", r#"{ "extends": "../shared/base.json", "compilerOptions": { "baseUrl": "./src" } }"#),
            (
                "shared/base.json",
                r#"{ "compilerOptions": { "paths": { "*": ["types/*"], "a*c": ["x*y"], "ab*": ["z*"], "own/*": ["${configDir}/own/*"] } } }"#,
            ),
        ],
    );
    let config = TsConfig::load(&tree.0.join("app")).unwrap().unwrap();
    assert_eq!(config.paths.base_url(), Some(&*tree.path("app/src")));
    assert_eq!(config.paths.candidates("foo"), [tree.path("app/src/types/foo")]);
    assert_eq!(config.paths.candidates("abc"), [tree.path("app/src/zc")], "longest prefix wins");
    assert_eq!(config.paths.candidates("own/x"), [tree.path("app/own/x")]);
}

#[test]
fn problems() {
    let tree = Tree::new(
        "problems",
        &[
            ("bad/tsconfig.json", "{\n  \"a\": }"),
            ("cycle/tsconfig.json", r#"{ "extends": "./tsconfig.json", "compilerOptions": { "strict": true } }"#),
            ("missing/tsconfig.json", r#"{ "extends": "nowhere", "compilerOptions": { "strict": true } }"#),
        ],
    );
    let error = TsConfig::load(&tree.0.join("bad")).unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
    for folder in ["cycle", "missing"] {
        let config = TsConfig::load(&tree.0.join(folder)).unwrap().unwrap();
        assert_eq!((config.strict, config.warnings.len()), (Some(true), 1), "{folder}");
    }
}
