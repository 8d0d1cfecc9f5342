//! Keys for programs, scripts and tests.

use run_options::{Jsx, JsxMode};
use toml::de::{DeTable, DeValue};

use crate::reader::{Outcome, Reader, Value};
use crate::{AutoInstall, Bunfig, COVERAGE_REPORTERS, LOADERS};

/// `[run]`
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub silent: bool,
    pub bun: bool,
    pub elide_lines: Option<usize>,
    /// `shell = "bun"`: scripts run in Bun's shell.
    pub bun_shell: bool,
    /// No process outlives the one that started it.
    pub no_orphans: bool,
}

/// Keys of `[test]`: https://bun.com/docs/test/configuration
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Test {
    pub root: Option<String>,
    pub preload: Vec<String>,
    pub smol: bool,
    pub path_ignore_patterns: Vec<String>,
    pub coverage: bool,
    /// The value as written, in JSON: a number, or a table of numbers.
    pub coverage_threshold: Option<String>,
    /// `None`: they are left out.
    pub coverage_skip_test_files: Option<bool>,
    pub coverage_path_ignore_patterns: Vec<String>,
    pub coverage_include: Vec<String>,
    pub coverage_all: bool,
    pub coverage_reporter: Vec<String>,
    pub coverage_dir: Option<String>,
    pub randomize: bool,
    pub seed: Option<u32>,
    pub rerun_each: Option<u32>,
    pub retry: Option<u32>,
    pub timeout: Option<u32>,
    pub concurrent_test_glob: Vec<String>,
    pub only_failures: bool,
    pub dots: bool,
    /// File of the JUnit report.
    pub junit: Option<String>,
}

impl Reader<'_> {
    pub(crate) fn program(&self, bunfig: &mut Bunfig, key: &str, value: &Value<'_>) -> Outcome<()> {
        match key {
            "preload" => bunfig.preload = self.strings(value, key)?,
            "smol" => bunfig.smol = Some(self.boolean(value, key)?),
            "env" => {
                let file = match value.get_ref() {
                    DeValue::Table(table) => table.get("file").map(|file| (file, "env.file")),
                    _ => Some((value, key)),
                };
                if let Some((value, key)) = file {
                    bunfig.no_env_file = !self.boolean(value, key)?;
                }
            }
            "define" => {
                for (name, value) in self.table(value, key)? {
                    bunfig.define.push((name.get_ref().to_string(), self.string(value, "a value of [define]")?));
                }
            }
            "loader" => self.loaders(&mut bunfig.loaders, self.table(value, key)?)?,
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
            "install" => {
                let table = self.table(value, key)?;
                if let Some(auto) = table.get("auto") {
                    let mode = match auto.get_ref() {
                        DeValue::Boolean(true) => Some(AutoInstall::Auto),
                        DeValue::Boolean(false) => Some(AutoInstall::Disable),
                        DeValue::String(name) => AutoInstall::of(name),
                        _ => None,
                    };
                    let names = "true, false, \"auto\", \"fallback\", \"force\" or \"disable\"";
                    bunfig.auto_install = Some(mode.ok_or_else(|| self.wrong(auto, "install.auto", names))?);
                }
                bunfig.prefer_offline =
                    table.get("prefer").and_then(|value| value.get_ref().as_str()) == Some("offline");
            }
            "run" => self.run(&mut bunfig.run, self.table(value, key)?)?,
            "test" => self.test(&mut bunfig.test, self.table(value, key)?)?,
            "jsx" => self.jsx(&mut bunfig.jsx, value)?,
            "jsxImportSource" => bunfig.jsx.import_source = Some(self.string(value, key)?),
            "jsxFactory" => bunfig.jsx.factory = Some(self.string(value, key)?),
            "jsxFragment" => bunfig.jsx.fragment = Some(self.string(value, key)?),
            _ => {}
        }
        Ok(())
    }

    fn loaders(&self, loaders: &mut Vec<(String, String)>, table: &DeTable<'_>) -> Outcome<()> {
        for (extension, value) in table {
            let loader = self.string(value, "a value of [loader]")?;
            if !LOADERS.contains(&loader.as_str()) {
                return Err(self
                    .error(value.span(), &format!("invalid loader \"{loader}\""))
                    .hint(format!("loaders are {}", LOADERS.join(", "))));
            }
            loaders.push((extension.get_ref().to_string(), loader));
        }
        Ok(())
    }

    fn jsx(&self, jsx: &mut Jsx, value: &Value<'_>) -> Outcome<()> {
        jsx.mode = Some(match self.string(value, "jsx")?.as_str() {
            "react" => JsxMode::Classic,
            "react-jsx" | "automatic" => JsxMode::Automatic,
            "react-jsxdev" | "react-jsxDEV" => JsxMode::AutomaticDev,
            _ => return Err(self.wrong(value, "jsx", "\"react\", \"react-jsx\" or \"react-jsxdev\"")),
        });
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
                    _ => return Err(self.wrong(value, "run.shell", "\"system\" or \"bun\"")),
                },
                "noOrphans" => run.no_orphans = self.boolean(value, "run.noOrphans")?,
                _ => {}
            }
        }
        Ok(())
    }

    fn test(&self, test: &mut Test, table: &DeTable<'_>) -> Outcome<()> {
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
                    let known = |name: &String| COVERAGE_REPORTERS.contains(&name.as_str());
                    if let Some(name) = test.coverage_reporter.iter().find(|name| !known(name)) {
                        let names = COVERAGE_REPORTERS.join(", ");
                        let message = format!("invalid coverage reporter '{name}'. Available options: {names}");
                        return Err(self.error(value.span(), &message));
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
        self.check_test(test, table)
    }

    /// Keys that exclude or need each other.
    fn check_test(&self, test: &Test, table: &DeTable<'_>) -> Outcome<()> {
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
}
