//! `bunfig.toml`: the keys that concern running programs, scripts and tests. Tables of other commands (`install`,
//! ...) are those commands' business and are passed over.

use std::ops::Range;
use std::path::Path;

use run_options::{Jsx, JsxMode};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::args::LOADERS;
use crate::output::{Failure, Outcome};
use crate::test_command::TestConfig;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bunfig {
    pub preload: Vec<String>,
    pub smol: Option<bool>,
    /// `env = false`: no automatic `.env` files.
    pub no_env_file: bool,
    pub define: Vec<(String, String)>,
    pub loaders: Vec<(String, String)>,
    pub console_depth: Option<u32>,
    pub jsx: Jsx,
    /// `[serve] port`.
    pub port: Option<u16>,
    pub run: Run,
    pub test: TestConfig,
}

/// `[run]`
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub silent: bool,
    pub bun: bool,
    pub elide_lines: Option<usize>,
    /// `shell = "bun"`, which bao does not have.
    pub bun_shell: bool,
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
}

type Value<'a> = Spanned<DeValue<'a>>;

/// Reads the text of a file; `path` is for messages.
pub fn parse(text: &str, path: &Path) -> Outcome<Bunfig> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let reader = Reader { text, path };
    let table = DeTable::parse(text).map_err(|error| reader.error(error.span().unwrap_or(0..0), error.message()))?;
    let mut bunfig = Bunfig::default();
    for (key, value) in table.get_ref() {
        reader.top(&mut bunfig, key.get_ref(), value)?;
    }
    Ok(bunfig)
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, message: &str) -> Failure {
        let before = &self.text[..self.text.floor_char_boundary(span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Failure::new(format!("{}:{line}:{column}: {message}", self.path.display()))
    }

    fn expected(&self, value: &Value<'_>, key: &str, what: &str) -> Failure {
        let got = value.get_ref().type_str();
        self.error(value.span(), &format!("{key} must be {what}, not {got}"))
    }

    fn top(&self, bunfig: &mut Bunfig, key: &str, value: &Value<'_>) -> Outcome<()> {
        match key {
            "preload" => bunfig.preload = self.strings(value, key)?,
            "smol" => bunfig.smol = Some(self.boolean(value, key)?),
            "env" => match value.get_ref() {
                DeValue::Boolean(on) => bunfig.no_env_file = !on,
                DeValue::Table(table) => {
                    if let Some(file) = table.get("file") {
                        bunfig.no_env_file = !self.boolean(file, "env.file")?;
                    }
                }
                _ => return Err(self.expected(value, key, "true or false")),
            },
            "define" => {
                for (name, value) in self.table(value, key)? {
                    bunfig.define.push((name.get_ref().to_string(), self.string(value, "a value of [define]")?));
                }
            }
            "loader" => {
                for (extension, value) in self.table(value, key)? {
                    let loader = self.string(value, "a value of [loader]")?;
                    if !LOADERS.contains(&loader.as_str()) {
                        return Err(self
                            .error(value.span(), &format!("invalid loader \"{loader}\""))
                            .hint(format!("loaders are {}", LOADERS.join(", "))));
                    }
                    bunfig.loaders.push((extension.get_ref().to_string(), loader));
                }
            }
            "console" => {
                if let Some(depth) = self.table(value, key)?.get("depth") {
                    bunfig.console_depth = Some(self.integer(depth, "console.depth")?);
                }
            }
            "serve" => {
                if let Some(port) = self.table(value, key)?.get("port") {
                    let number = self.integer(port, "serve.port")?;
                    let number = u16::try_from(number)
                        .map_err(|_| self.error(port.span(), "serve.port must be at most 65535"))?;
                    bunfig.port = Some(number);
                }
            }
            "run" => self.run(&mut bunfig.run, self.table(value, key)?)?,
            "test" => self.test(&mut bunfig.test, self.table(value, key)?)?,
            "jsx" => {
                let mode = match self.string(value, key)?.as_str() {
                    "react" => JsxMode::Classic,
                    "react-jsx" | "automatic" => JsxMode::Automatic,
                    "react-jsxdev" | "react-jsxDEV" => JsxMode::AutomaticDev,
                    _ => {
                        return Err(
                            self.error(value.span(), "jsx must be \"react\", \"react-jsx\" or \"react-jsxdev\"")
                        );
                    }
                };
                bunfig.jsx.mode = Some(mode);
            }
            "jsxImportSource" => bunfig.jsx.import_source = Some(self.string(value, key)?),
            "jsxFactory" => bunfig.jsx.factory = Some(self.string(value, key)?),
            "jsxFragment" => bunfig.jsx.fragment = Some(self.string(value, key)?),
            _ => {}
        }
        Ok(())
    }

    fn run(&self, run: &mut Run, table: &DeTable<'_>) -> Outcome<()> {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "silent" => run.silent = self.boolean(value, "run.silent")?,
                "bun" => run.bun = self.boolean(value, "run.bun")?,
                "elide-lines" => run.elide_lines = Some(self.integer(value, "run.elide-lines")? as usize),
                "shell" => match self.string(value, "run.shell")?.as_str() {
                    "system" => run.bun_shell = false,
                    "bun" => run.bun_shell = true,
                    _ => return Err(self.error(value.span(), "run.shell must be \"system\" or \"bun\"")),
                },
                "noOrphans" if self.boolean(value, "run.noOrphans")? => {
                    return Err(self.error(value.span(), "run.noOrphans is not implemented yet"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn test(&self, test: &mut TestConfig, table: &DeTable<'_>) -> Outcome<()> {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "root" => test.root = Some(self.string(value, "test.root")?),
                "preload" => test.preload = self.strings(value, "test.preload")?,
                "smol" => test.smol = self.boolean(value, "test.smol")?,
                "pathIgnorePatterns" => {
                    test.path_ignore_patterns = self.strings(value, "test.pathIgnorePatterns")?;
                }
                "coverage" => test.coverage = self.boolean(value, "test.coverage")?,
                "coverageThreshold" => test.coverage_threshold = Some(self.threshold(value)?),
                "coverageSkipTestFiles" => {
                    test.coverage_skip_test_files = Some(self.boolean(value, "test.coverageSkipTestFiles")?);
                }
                // What is counted is what was loaded, maps of other tools or not.
                "coverageIgnoreSourcemaps" => {
                    self.boolean(value, "test.coverageIgnoreSourcemaps")?;
                }
                "coverageInclude" => test.coverage_include = self.strings(value, "test.coverageInclude")?,
                "coverageAll" => test.coverage_all = self.boolean(value, "test.coverageAll")?,
                "coveragePathIgnorePatterns" => {
                    test.coverage_path_ignore_patterns = self.strings(value, "test.coveragePathIgnorePatterns")?;
                }
                "coverageReporter" => {
                    test.coverage_reporter = self.strings(value, "test.coverageReporter")?;
                    for name in &test.coverage_reporter {
                        crate::test_command::check_coverage_reporter(name)?;
                    }
                }
                "coverageDir" => test.coverage_dir = Some(self.string(value, "test.coverageDir")?),
                "randomize" => test.randomize = self.boolean(value, "test.randomize")?,
                "seed" => test.seed = Some(self.integer(value, "test.seed")?),
                "rerunEach" => test.rerun_each = Some(self.integer(value, "test.rerunEach")?),
                "retry" => test.retry = Some(self.integer(value, "test.retry")?),
                "timeout" => test.timeout = Some(self.integer(value, "test.timeout")?),
                "concurrentTestGlob" => {
                    test.concurrent_test_glob = self.strings(value, "test.concurrentTestGlob")?;
                }
                "onlyFailures" => test.only_failures = self.boolean(value, "test.onlyFailures")?,
                "reporter" => {
                    let table = self.table(value, "test.reporter")?;
                    if let Some(dots) = table.get("dots") {
                        test.dots = self.boolean(dots, "test.reporter.dots")?;
                    }
                    if let Some(junit) = table.get("junit") {
                        test.junit = Some(self.string(junit, "test.reporter.junit")?);
                    }
                }
                _ => {}
            }
        }
        let at = |key: &str| table.get(key).map_or(0..0, |value| value.span());
        if test.seed.is_some() && !test.randomize {
            return Err(self.error(at("seed"), "test.seed is of use with test.randomize = true only"));
        }
        if test.retry.is_some() && test.rerun_each.is_some() {
            return Err(self.error(at("retry"), "test.retry and test.rerunEach exclude each other"));
        }
        if table.contains_key("concurrentTestGlob") && test.concurrent_test_glob.is_empty() {
            return Err(self.error(at("concurrentTestGlob"), "test.concurrentTestGlob must not be empty"));
        }
        Ok(())
    }

    /// A number, or a table of `lines`, `functions`, `statements` and `branches`; as JSON.
    fn threshold(&self, value: &Value<'_>) -> Outcome<String> {
        let number = |value: &Value<'_>| -> Outcome<f64> {
            let number = match value.get_ref() {
                DeValue::Integer(number) => number.as_str().parse().ok(),
                DeValue::Float(number) => number.as_str().parse().ok(),
                _ => None,
            };
            number.ok_or_else(|| self.expected(value, "test.coverageThreshold", "a number or a table of numbers"))
        };
        let DeValue::Table(table) = value.get_ref() else { return Ok(number(value)?.to_string()) };
        let mut parts = Vec::new();
        for (key, value) in table {
            let key = key.get_ref();
            let name = match key.as_ref() {
                "lines" | "line" => "line",
                "functions" | "function" => "function",
                "statements" | "statement" => "statement",
                "branches" | "branch" => "branch",
                _ => continue,
            };
            parts.push(format!("\"{name}\":{}", number(value)?));
        }
        Ok(format!("{{{}}}", parts.join(",")))
    }

    fn string(&self, value: &Value<'_>, key: &str) -> Outcome<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.expected(value, key, "a string")),
        }
    }

    fn strings(&self, value: &Value<'_>, key: &str) -> Outcome<Vec<String>> {
        match value.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(items) => items.iter().map(|item| self.string(item, key)).collect(),
            _ => Err(self.expected(value, key, "a string or an array of strings")),
        }
    }

    fn boolean(&self, value: &Value<'_>, key: &str) -> Outcome<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.expected(value, key, "true or false"))
    }

    fn integer(&self, value: &Value<'_>, key: &str) -> Outcome<u32> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.expected(value, key, "a whole number of at least 0"))
    }

    fn table<'v>(&self, value: &'v Value<'_>, key: &str) -> Outcome<&'v DeTable<'v>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.expected(value, key, "a table")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Outcome<Bunfig> {
        parse(text, Path::new("bunfig.toml"))
    }

    #[test]
    fn reads_what_concerns_programs() {
        let bunfig = read(
            r#"
            preload = ["./a.ts", "b"]
            smol = true
            jsx = "react"
            env.file = false
            logLevel = "warn"
            [define]
            "process.env.A" = "'x'"
            [loader]
            ".svg" = "text"
            [console]
            depth = 4
            [serve]
            port = 0x10
            [run]
            silent = true
            bun = true
            elide-lines = 1_0
            [install]
            linker = "isolated"
            "#,
        )
        .expect("good");
        assert_eq!(bunfig.preload, ["./a.ts", "b"]);
        assert_eq!((bunfig.smol, bunfig.no_env_file, bunfig.console_depth), (Some(true), true, Some(4)));
        assert_eq!(bunfig.jsx.mode, Some(JsxMode::Classic));
        assert_eq!(bunfig.define, [("process.env.A".into(), "'x'".into())]);
        assert_eq!(bunfig.loaders, [(".svg".into(), "text".into())]);
        assert_eq!(bunfig.port, Some(16));
        assert_eq!(bunfig.run, Run { silent: true, bun: true, elide_lines: Some(10), bun_shell: false });
        assert_eq!(read("").expect("good"), Bunfig::default());
        assert_eq!(read("preload = 'x'").expect("good").preload, ["x"]);
    }

    #[test]
    fn names_the_place_of_a_mistake() {
        let message = |text: &str| read(text).expect_err("bad").message;
        assert_eq!(message("\nsmol = 'x'"), "bunfig.toml:2:8: smol must be true or false, not string");
        assert_eq!(
            message("preload = 5"),
            "bunfig.toml:1:11: preload must be a string or an array of strings, not integer"
        );
        assert!(message("bad toml").starts_with("bunfig.toml:1:"));
        assert!(message("[loader]\n'.x' = 'foo'").starts_with("bunfig.toml:2:8: invalid loader"));
        assert!(message("env = 5").starts_with("bunfig.toml:1:7: env must be"));
        assert!(message("jsx = 'foo'").starts_with("bunfig.toml:1:7: jsx must be"));
        assert!(message("[console]\ndepth = 'x'").starts_with("bunfig.toml:2:9: console.depth must be a whole number"));
    }
}
