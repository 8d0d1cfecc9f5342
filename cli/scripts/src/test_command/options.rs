//! Options of `bao test`.

use bunfig::{COVERAGE_REPORTERS, Test};

use super::Object;
use crate::output::{Failure, Outcome};

/// Options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestOptions {
    pub filters: Vec<String>,
    pub timeout: Option<u32>,
    pub update_snapshots: bool,
    pub rerun_each: Option<u32>,
    pub retry: Option<u32>,
    pub todo: bool,
    pub only: bool,
    pub pass_with_no_tests: bool,
    pub concurrent: bool,
    pub randomize: bool,
    pub seed: Option<u32>,
    pub coverage: bool,
    pub coverage_reporter: Vec<String>,
    pub coverage_dir: Option<String>,
    pub coverage_include: Vec<String>,
    pub coverage_all: bool,
    pub bail: Option<u32>,
    pub name_pattern: Option<String>,
    pub reporters: Vec<String>,
    pub reporter_outfile: Option<String>,
    pub dots: bool,
    pub only_failures: bool,
    pub max_concurrency: Option<u32>,
    pub path_ignore_patterns: Vec<String>,
    /// `Some("")`: what git says has changed.
    pub changed: Option<String>,
    pub isolate: Option<bool>,
    /// `Some(0)`: as many as there are processors.
    pub parallel: Option<u32>,
    pub parallel_delay: Option<u32>,
    /// The first line of the output where the runner is to write it.
    pub header: Option<String>,
    /// `--test-worker`: files come from the process that started this one.
    pub worker: bool,
    /// Index from 1, and count.
    pub shard: Option<(u32, u32)>,
    pub timings: Vec<String>,
    pub update_timings: bool,
    /// Milliseconds that a file may take to be loaded.
    pub load_timeout: Option<u32>,
    pub detect_open_handles: bool,
    pub no_orphans: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    /// Only with `=`.
    Optional,
}

/// Long name, letter, value, its name, help.
const FLAGS: &[(&str, Option<char>, Takes, &str, &str)] = &[
    ("--timeout", None, Takes::Value, "MS", "Time limit of each test in milliseconds (5000)"),
    ("--load-timeout", None, Takes::Value, "MS", "Time limit of loading each file (10 times --timeout); 0: none"),
    ("--update-snapshots", Some('u'), Takes::Nothing, "", "Write snapshots anew"),
    ("--rerun-each", None, Takes::Value, "N", "Run each file N times"),
    ("--retry", None, Takes::Value, "N", "Try a failing test up to N more times"),
    ("--todo", None, Takes::Nothing, "", "Run the tests marked test.todo() too"),
    ("--only", None, Takes::Nothing, "", "Run only tests marked test.only() or describe.only()"),
    ("--pass-with-no-tests", None, Takes::Nothing, "", "Exit code 0 where no tests are found"),
    ("--concurrent", None, Takes::Nothing, "", "Treat all tests as test.concurrent()"),
    ("--randomize", None, Takes::Nothing, "", "Run tests in random order"),
    ("--seed", None, Takes::Value, "N", "Seed of that order"),
    ("--bail", None, Takes::Optional, "N", "End after N failures (1)"),
    ("--test-name-pattern", Some('t'), Takes::Value, "REGEX", "Run only tests whose name matches"),
    (
        "--reporter",
        None,
        Takes::Value,
        "NAME",
        "default, dots, tap, json, junit (with --reporter-outfile), or a module",
    ),
    ("--reporter-outfile", None, Takes::Value, "FILE", "File of the report"),
    ("--dots", None, Takes::Nothing, "", "--reporter=dots"),
    ("--only-failures", None, Takes::Nothing, "", "Show failing tests only"),
    ("--max-concurrency", None, Takes::Value, "N", "Concurrent tests at a time (20)"),
    ("--path-ignore-patterns", None, Takes::Value, "GLOB", "Files that are no test files"),
    ("--changed", None, Takes::Optional, "REF", "Only files that changed files (since REF, by git) have an effect on"),
    ("--isolate", None, Takes::Nothing, "", "Fresh modules and globals for each file"),
    ("--no-isolate", None, Takes::Nothing, "", "With --parallel: keep modules between files"),
    ("--parallel", None, Takes::Optional, "N", "Run files in N processes (number of processors)"),
    ("--parallel-delay", None, Takes::Value, "MS", "Start the others when the first was busy for MS (5)"),
    ("--test-worker", None, Takes::Nothing, "", ""),
    ("--shard", None, Takes::Value, "I/N", "Run the I-th of N parts of the files"),
    ("--timings", None, Takes::Value, "FILE", "JSON of the files' durations, for --shard and --parallel"),
    ("--update-timings", None, Takes::Nothing, "", "Write durations to the first --timings file"),
    ("--detect-open-handles", None, Takes::Nothing, "", "Say what each file leaves open, and where it was made"),
    (
        "--no-orphans",
        None,
        Takes::Nothing,
        "",
        "End with the parent process, and end all processes that tests have started",
    ),
    ("--coverage", None, Takes::Nothing, "", "Report which lines ran"),
    ("--coverage-reporter", None, Takes::Value, "NAME", "text, html, lcov, json, json-summary"),
    ("--coverage-dir", None, Takes::Value, "DIR", "Directory of coverage files (coverage)"),
    ("--coverage-all", None, Takes::Nothing, "", "Count files that no test loads, too"),
    ("--coverage-include", None, Takes::Value, "GLOB", "Count files that match, loaded or not, and no others"),
];

/// `bao test --help`
pub(crate) fn help() -> Vec<(String, &'static str)> {
    let shown = FLAGS.iter().filter(|(.., help)| !help.is_empty());
    shown
        .map(|(name, letter, takes, what, help)| {
            let letter = letter.map_or("    ".to_string(), |letter| format!("-{letter}, "));
            let value = match takes {
                Takes::Nothing => String::new(),
                Takes::Value => format!(" {what}"),
                Takes::Optional => format!("={what}"),
            };
            (format!("{letter}{name}{value}"), *help)
        })
        .collect()
}

impl TestOptions {
    /// Takes a word that is an option of `bao test`, with its value; `false`: it is none.
    pub(crate) fn take(
        &mut self,
        word: &str,
        words: &mut std::iter::Peekable<std::vec::IntoIter<String>>,
    ) -> Outcome<bool> {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (word, None),
        };
        let mut inline = inline;
        let flag = FLAGS.iter().find(|(long, letter, takes, ..)| {
            *long == name
                || letter.is_some_and(|letter| {
                    let Some(rest) = name.strip_prefix('-').and_then(|rest| rest.strip_prefix(letter)) else {
                        return false;
                    };
                    rest.is_empty() || (*takes == Takes::Value && !name.starts_with("--"))
                })
        });
        let Some(&(long, _, takes, what, _)) = flag else { return Ok(false) };
        // `-tNAME`
        if !name.starts_with("--") && name.len() > 2 {
            inline = Some(word[2..].to_string());
        }
        let value = match (takes, inline) {
            (Takes::Nothing, Some(_)) => return Err(Failure::new(format!("option \"{long}\" takes no value"))),
            (Takes::Value, None) => Some(words.next().ok_or_else(|| {
                Failure::new(format!("option \"{long}\" needs a value")).hint(format!("write {long} {what}"))
            })?),
            (_, value) => value,
        };
        self.set(long, value)?;
        Ok(true)
    }

    fn set(&mut self, name: &str, value: Option<String>) -> Outcome<()> {
        let text = || value.clone().unwrap_or_default();
        let count = |what: &str| -> Outcome<u32> {
            text().parse::<f64>().ok().filter(|n| *n >= 0.0 && *n <= f64::from(u32::MAX)).map(|n| n as u32).ok_or_else(
                || match what {
                    "bail" => Failure::new(format!("--bail expects a number greater than 0, not \"{}\"", text())),
                    _ => Failure::new(format!("Invalid {what}: \"{}\"", text())),
                },
            )
        };
        match name {
            "--timeout" => self.timeout = Some(count("timeout")?),
            "--load-timeout" => self.load_timeout = Some(count("load-timeout")?),
            "--detect-open-handles" => self.detect_open_handles = true,
            "--no-orphans" => self.no_orphans = true,
            "--update-snapshots" => self.update_snapshots = true,
            "--rerun-each" => self.rerun_each = Some(count("rerun-each")?),
            "--retry" => self.retry = Some(count("retry")?),
            "--todo" => self.todo = true,
            "--only" => self.only = true,
            "--pass-with-no-tests" => self.pass_with_no_tests = true,
            "--concurrent" => self.concurrent = true,
            "--randomize" => self.randomize = true,
            "--seed" => {
                self.seed = Some(text().parse().map_err(|_| Failure::new(format!("Invalid seed value: {}", text())))?);
                self.randomize = true;
            }
            "--bail" => {
                let bail = if value.is_some() { count("bail")? } else { 1 };
                if bail == 0 {
                    return Err(Failure::new("--bail expects a number greater than 0"));
                }
                self.bail = Some(bail);
            }
            "--test-name-pattern" => self.name_pattern = Some(text()),
            "--reporter" => match text().as_str() {
                "dots" => self.dots = true,
                other => self.reporters.push(other.to_string()),
            },
            "--reporter-outfile" => self.reporter_outfile = Some(text()),
            "--dots" => self.dots = true,
            "--only-failures" => self.only_failures = true,
            "--max-concurrency" => self.max_concurrency = Some(count("max-concurrency")?),
            "--path-ignore-patterns" => self.path_ignore_patterns.push(text()),
            "--changed" => self.changed = Some(text()),
            "--isolate" => self.isolate = Some(true),
            "--no-isolate" => self.isolate = Some(false),
            "--parallel" => {
                self.parallel = Some(if value.is_some() { count("parallel")? } else { 0 });
                if value.is_some() && self.parallel == Some(0) {
                    return Err(Failure::new("--parallel expects a positive integer, received \"0\""));
                }
            }
            "--parallel-delay" => self.parallel_delay = Some(count("parallel-delay")?),
            "--test-worker" => self.worker = true,
            "--shard" => self.shard = Some(shard(&text())?),
            "--timings" => self.timings.push(text()),
            "--update-timings" => self.update_timings = true,
            "--coverage" => self.coverage = true,
            "--coverage-reporter" => {
                for name in text().split(',') {
                    check_coverage_reporter(name)?;
                    self.coverage_reporter.push(name.to_string());
                }
                self.coverage = true;
            }
            "--coverage-dir" => self.coverage_dir = Some(text()),
            "--coverage-all" => {
                self.coverage_all = true;
                self.coverage = true;
            }
            "--coverage-include" => {
                self.coverage_include.push(text());
                self.coverage = true;
            }
            _ => unreachable!("all names of the table are above"),
        }
        Ok(())
    }

    /// Whether a report for programs goes to standard output.
    pub(crate) fn prints_report(&self) -> bool {
        self.reporter_outfile.is_none() && self.reporters.iter().any(|name| name == "json" || name == "tap")
    }

    /// What only shows when all words are read.
    pub(crate) fn check(&self) -> Outcome<()> {
        if self.reporters.iter().any(|name| name == "junit") && self.reporter_outfile.is_none() {
            return Err(Failure::new(
                "--reporter=junit requires --reporter-outfile [file] to specify where to save the XML report",
            ));
        }
        if self.retry.is_some() && self.rerun_each.is_some() {
            return Err(Failure::new("--retry cannot be used with --rerun-each"));
        }
        if self.update_timings && self.timings.is_empty() {
            return Err(Failure::new(
                "--update-timings requires --timings, e.g. --timings=.bun-test-timings.json --update-timings",
            ));
        }
        Ok(())
    }

    /// Writes what is set, the command line before bunfig.toml.
    pub(super) fn write(&self, config: &Test, out: &mut Object) {
        out.number("timeout", self.timeout.or(config.timeout));
        out.number("loadTimeout", self.load_timeout);
        out.flag("detectOpenHandles", self.detect_open_handles);
        out.flag("noOrphans", self.no_orphans);
        out.flag("updateSnapshots", self.update_snapshots);
        out.number("rerunEach", self.rerun_each.or(config.rerun_each));
        out.number("retry", self.retry.or(config.retry));
        out.flag("todo", self.todo);
        out.flag("only", self.only);
        out.flag("passWithNoTests", self.pass_with_no_tests);
        out.flag("concurrent", self.concurrent);
        out.flag("randomize", self.randomize || config.randomize);
        out.number("seed", self.seed.or(config.seed));
        out.number("bail", self.bail);
        out.string("namePattern", self.name_pattern.as_deref());
        out.strings("reporters", &self.reporters);
        out.string("reporterOutfile", self.reporter_outfile.as_deref());
        out.string("junit", config.junit.as_deref());
        out.flag("dots", self.dots || config.dots);
        out.flag("onlyFailures", self.only_failures || config.only_failures);
        out.number("maxConcurrency", self.max_concurrency);
        out.string("changed", self.changed.as_deref());
        if let Some(isolate) = self.isolate {
            out.raw("isolate", if isolate { "true" } else { "false" });
        }
        out.number("parallel", self.parallel);
        out.number("parallelDelay", self.parallel_delay);
        out.string("header", self.header.as_deref());
        out.flag("worker", self.worker);
        if let Some((index, count)) = self.shard {
            out.raw("shard", &format!("[{index},{count}]"));
        }
        out.strings("timings", &self.timings);
        out.flag("updateTimings", self.update_timings);
        out.strings("concurrentTestGlob", &config.concurrent_test_glob);
        if self.coverage || config.coverage {
            let reporters =
                if self.coverage_reporter.is_empty() { &config.coverage_reporter } else { &self.coverage_reporter };
            let mut coverage = Object::new();
            coverage.strings("reporters", reporters);
            coverage.string("dir", self.coverage_dir.as_deref().or(config.coverage_dir.as_deref()));
            if let Some(threshold) = &config.coverage_threshold {
                coverage.raw("threshold", threshold);
            }
            coverage.flag("countsTests", config.coverage_skip_test_files == Some(false));
            coverage.flag("all", self.coverage_all || config.coverage_all);
            let include =
                if self.coverage_include.is_empty() { &config.coverage_include } else { &self.coverage_include };
            coverage.strings("include", include);
            coverage.strings("ignore", &config.coverage_path_ignore_patterns);
            out.raw("coverage", &coverage.end());
        }
    }
}

/// Whether there is a coverage reporter of this name.
fn check_coverage_reporter(name: &str) -> Outcome<()> {
    if COVERAGE_REPORTERS.contains(&name) {
        return Ok(());
    }
    let names = COVERAGE_REPORTERS.join(", ");
    Err(Failure::new(format!("invalid coverage reporter '{name}'. Available options: {names}")))
}

fn shard(text: &str) -> Outcome<(u32, u32)> {
    let Some((index, count)) = text.split_once('/') else {
        return Err(Failure::new("--shard expects 'index/count', e.g. --shard=1/3"));
    };
    let number = |name: &str, text: &str| {
        text.parse().map_err(|_| Failure::new(format!("--shard {name} must be a positive integer, got \"{text}\"")))
    };
    let (index, count): (u32, u32) = (number("index", index)?, number("count", count)?);
    if count == 0 {
        return Err(Failure::new("--shard count must be greater than 0"));
    }
    if index < 1 || index > count {
        return Err(Failure::new(format!("--shard index must be between 1 and {count}, got {index}")));
    }
    Ok((index, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Outcome<TestOptions> {
        let mut options = TestOptions::default();
        let mut words = words.iter().map(|word| word.to_string()).collect::<Vec<_>>().into_iter().peekable();
        while let Some(word) = words.next() {
            if !options.take(&word, &mut words)? {
                options.filters.push(word);
            }
        }
        Ok(options)
    }

    #[test]
    fn words() {
        let options =
            read(&["a", "-t", "x y", "--bail", "b", "--timeout=5", "-u", "--shard", "2/3", "--parallel=4", "-tq"])
                .expect("good");
        assert_eq!(options.filters, ["a", "b"]);
        assert_eq!(options.name_pattern.as_deref(), Some("q"));
        assert_eq!((options.bail, options.timeout, options.shard), (Some(1), Some(5), Some((2, 3))));
        assert_eq!((options.parallel, options.update_snapshots), (Some(4), true));
        assert_eq!(read(&["--shard=4/3"]).expect_err("bad").message, "--shard index must be between 1 and 3, got 4");
        assert_eq!(read(&["--timeout", "abc"]).expect_err("bad").message, "Invalid timeout: \"abc\"");
        assert!(read(&["--only=1"]).is_err());
        assert!(read(&["--timeout"]).is_err());
        assert!(read(&["--reporter=junit"]).expect("read").check().is_err());
    }
}
