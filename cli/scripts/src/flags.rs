//! The options of `bao` and `bao run`, in one table: names, values, what they do, their line of help.

/// What follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// A value, `--x=value` or `--x value`; the text names it in help.
    Value(&'static str),
    /// A value only as `--x=value`.
    Optional(&'static str),
}

/// Options that the command line itself acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    Help,
    Version,
    Revision,
    Silent,
    IfPresent,
    Filter,
    Workspaces,
    Parallel,
    Sequential,
    NoExitOnError,
    ElideLines,
    Bun,
    Shell,
    Cwd,
    Config,
    EnvFile,
    EnvFileIfExists,
    NoEnvFile,
    NoOrphans,
    Watch,
    Hot,
    WatchKillSignal,
    NoClearScreen,
    Preload,
    /// `--import`: as ES modules, after what `--require` names.
    Import,
    Eval,
    Print,
    Interactive,
    Install,
    NoInstall,
    Smol,
    Define,
    Conditions,
    Loader,
    TsconfigOverride,
    ConsoleDepth,
    PreserveSymlinks,
    PreserveSymlinksMain,
    UnhandledRejections,
    StackSize,
    Drop,
    JsxFactory,
    JsxFragment,
    JsxImportSource,
    JsxRuntime,
    CronTitle,
    CronPeriod,
    /// `node --run NAME`.
    NodeRun,
    /// `node --test`: the words that follow are patterns of files.
    NodeTest,
    Check,
}

/// What an option does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Own(Id),
    /// Given to the runtime under its name; JavaScript asks for it.
    Node,
    /// The same under another name: that of the option this one is an alias of.
    NodeAlias(&'static str),
    /// The same, given several times.
    NodeList,
    /// The same, a whole number of at least 0.
    NodeNumber,
    /// Asks for what bao always does.
    Always,
    /// Known and not there yet: refused.
    Planned,
}

/// Headings of the help text. `Hidden` options work but are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    General,
    Scripts,
    Program,
    Reload,
    Environment,
    Code,
    Tests,
    Permissions,
    Warnings,
    Engine,
    Network,
    Hidden,
}

#[derive(Debug)]
pub struct Flag {
    /// With the dashes.
    pub long: &'static str,
    pub short: Option<char>,
    pub takes: Takes,
    pub effect: Effect,
    pub group: Group,
    pub help: &'static str,
}

const fn flag(long: &'static str, takes: Takes, effect: Effect, group: Group, help: &'static str) -> Flag {
    Flag { long, short: None, takes, effect, group, help }
}

const fn short(letter: char, mut flag: Flag) -> Flag {
    flag.short = Some(letter);
    flag
}

const fn own(long: &'static str, takes: Takes, id: Id, group: Group, help: &'static str) -> Flag {
    flag(long, takes, Effect::Own(id), group, help)
}

const fn node(long: &'static str, takes: Takes, group: Group, help: &'static str) -> Flag {
    flag(long, takes, Effect::Node, group, help)
}

const fn alias(long: &'static str, takes: Takes, of: &'static str) -> Flag {
    flag(long, takes, Effect::NodeAlias(of), Hidden, "")
}

const fn always(long: &'static str) -> Flag {
    flag(long, Nothing, Effect::Always, Hidden, "")
}

const fn planned(long: &'static str, takes: Takes) -> Flag {
    flag(long, takes, Effect::Planned, Hidden, "")
}

use Group::{
    Code, Engine, Environment, General, Hidden, Network, Permissions, Program, Reload, Scripts, Tests, Warnings,
};
use Takes::{Nothing, Optional, Value};

pub static FLAGS: &[Flag] = &[
    short('h', own("--help", Nothing, Id::Help, General, "Show this help")),
    short('v', own("--version", Nothing, Id::Version, General, "Print the version")),
    own("--revision", Nothing, Id::Revision, General, "Print the version with the revision it was built from"),
    own("--cwd", Value("DIR"), Id::Cwd, General, "Work in DIR, as if started there"),
    short('c', own("--config", Optional("FILE"), Id::Config, General, "Read FILE instead of ./bunfig.toml")),
    // Scripts.
    own("--silent", Nothing, Id::Silent, Scripts, "Do not print the commands of scripts"),
    own("--if-present", Nothing, Id::IfPresent, Scripts, "No error if there is no such script or file"),
    short(
        'F',
        own(
            "--filter",
            Value("PATTERN"),
            Id::Filter,
            Scripts,
            "Run the script in the workspace packages that match: a name (@scope/*), a path (./packages/*), name... (with its dependencies), ...name (with its dependents), !PATTERN (not these)",
        ),
    ),
    own("--workspaces", Nothing, Id::Workspaces, Scripts, "Run the script in all workspace packages"),
    own(
        "--parallel",
        Nothing,
        Id::Parallel,
        Scripts,
        "Run several scripts at the same time; names may be globs (build:*)",
    ),
    own(
        "--sequential",
        Nothing,
        Id::Sequential,
        Scripts,
        "Run several scripts one after another, with prefixed output",
    ),
    own(
        "--no-exit-on-error",
        Nothing,
        Id::NoExitOnError,
        Scripts,
        "Go on with the other scripts when one fails (--parallel, --sequential)",
    ),
    own(
        "--elide-lines",
        Value("N"),
        Id::ElideLines,
        Scripts,
        "On a terminal, show only the last N lines of each script of --filter (0: all)",
    ),
    short(
        'b',
        own("--bun", Nothing, Id::Bun, Scripts, "Let `node` (and `bun`) in scripts and package binaries be bao"),
    ),
    own(
        "--shell",
        Value("NAME"),
        Id::Shell,
        Scripts,
        "Shell for scripts: \"system\" (/bin/sh) or \"bun\" (that of `$`)",
    ),
    // The program.
    short('e', own("--eval", Value("CODE"), Id::Eval, Program, "Run CODE")),
    short('p', own("--print", Value("CODE"), Id::Print, Program, "Run CODE and print its value")),
    own("--interactive", Nothing, Id::Interactive, Program, "Type JavaScript, see results, as in Node (node:repl)"),
    short(
        'r',
        own("--preload", Value("MODULE"), Id::Preload, Program, "Load MODULE before the program (also --require)"),
    ),
    own("--require", Value("MODULE"), Id::Preload, Hidden, ""),
    own("--import", Value("MODULE"), Id::Import, Program, "Import MODULE before the program and wait for it"),
    flag(
        "--experimental-loader",
        Value("MODULE"),
        Effect::NodeList,
        Program,
        "Ask the resolve and load hooks of MODULE for every module",
    ),
    node(
        "--input-type",
        Value("TYPE"),
        Program,
        "What --eval and standard input are: module, commonjs, ...-typescript",
    ),
    own("--check", Nothing, Id::Check, Program, "Only say whether the syntax of the program is right"),
    node("--entry-url", Nothing, Program, "Take the program's name as a URL"),
    node("--no-experimental-require-module", Nothing, Program, "Refuse to require() ES modules"),
    node("--no-experimental-detect-module", Nothing, Program, "Take what does not say that it is a module as CommonJS"),
    node("--no-experimental-strip-types", Nothing, Program, "Refuse TypeScript"),
    alias("--no-strip-types", Nothing, "--no-experimental-strip-types"),
    node("--trace-require-module", Optional("MODE"), Warnings, "Warn where an ES module is loaded by require()"),
    node("--experimental-print-required-tla", Nothing, Hidden, ""),
    // Tests: https://nodejs.org/api/cli.html#--test
    own("--test", Nothing, Id::NodeTest, Tests, "Run the files of tests that the arguments name, each in a process"),
    node("--test-only", Nothing, Tests, "Run only tests with the option `only`"),
    flag("--test-name-pattern", Value("PATTERN"), Effect::NodeList, Tests, "Run only tests whose name matches"),
    flag("--test-skip-pattern", Value("PATTERN"), Effect::NodeList, Tests, "Skip tests whose name matches"),
    flag(
        "--test-reporter",
        Value("NAME"),
        Effect::NodeList,
        Tests,
        "spec (default), tap, dot, junit, lcov, or a module",
    ),
    flag(
        "--test-reporter-destination",
        Value("FILE"),
        Effect::NodeList,
        Tests,
        "Where the reporter of the same place writes",
    ),
    flag("--test-concurrency", Value("N"), Effect::NodeNumber, Tests, "Files at a time (default: processors - 1)"),
    flag("--test-timeout", Value("MS"), Effect::NodeNumber, Tests, "Time limit of each test"),
    node("--test-shard", Value("I/N"), Tests, "Run the I-th of N parts of the files"),
    node("--test-isolation", Value("MODE"), Tests, "process (default), or none: all files in this process"),
    alias("--experimental-test-isolation", Value("MODE"), "--test-isolation"),
    node("--test-force-exit", Nothing, Tests, "End the process when all known tests are over"),
    node("--test-update-snapshots", Nothing, Tests, "Write the snapshots anew"),
    node("--test-global-setup", Value("FILE"), Tests, "Module with globalSetup() and globalTeardown()"),
    node("--experimental-test-module-mocks", Nothing, Tests, "Let tests mock modules (mock.module)"),
    node("--experimental-test-coverage", Nothing, Tests, "Report which lines the tests ran"),
    flag("--test-coverage-include", Value("GLOB"), Effect::NodeList, Tests, "Files that count for coverage"),
    flag("--test-coverage-exclude", Value("GLOB"), Effect::NodeList, Tests, "Files that do not"),
    flag("--test-coverage-lines", Value("PERCENT"), Effect::Node, Tests, "Least coverage of lines"),
    flag("--test-coverage-branches", Value("PERCENT"), Effect::Node, Tests, "Least coverage of branches"),
    flag("--test-coverage-functions", Value("PERCENT"), Effect::Node, Tests, "Least coverage of functions"),
    short(
        'C',
        own("--conditions", Value("NAME"), Id::Conditions, Program, "An additional condition for package exports"),
    ),
    own("--preserve-symlinks", Nothing, Id::PreserveSymlinks, Program, "Name modules by the links they were found by"),
    own("--preserve-symlinks-main", Nothing, Id::PreserveSymlinksMain, Program, "The same for the program itself"),
    own(
        "--tsconfig-override",
        Value("FILE"),
        Id::TsconfigOverride,
        Program,
        "Use FILE instead of the nearest tsconfig.json",
    ),
    own(
        "--console-depth",
        Value("N"),
        Id::ConsoleDepth,
        Program,
        "Depth of objects in console.log (default 2, 0: no limit)",
    ),
    node("--title", Value("TEXT"), Program, "Set process.title"),
    node("--localstorage-file", Value("FILE"), Program, "Keep the items of localStorage in FILE"),
    // What the lines of a crontab say that `Bun.cron(path, schedule, title)` writes.
    own("--cron-title", Value("TITLE"), Id::CronTitle, Hidden, ""),
    own("--cron-period", Value("PERIOD"), Id::CronPeriod, Hidden, ""),
    // `-i` is `--install=fallback`, and where bao is called `node`, `--interactive` (args).
    own(
        "--install",
        Value("MODE"),
        Id::Install,
        Program,
        "Install packages that the program imports: auto (default: where no node_modules is), fallback (those that are missing; also -i), force (all), disable",
    ),
    own("--no-install", Nothing, Id::NoInstall, Program, "Install nothing that the program imports"),
    node("--prefer-offline", Nothing, Program, "Ask the registry for nothing that is in the cache (--install)"),
    own(
        "--no-orphans",
        Nothing,
        Id::NoOrphans,
        Program,
        "End when the parent process ends, and end all processes below this one at the end",
    ),
    own("--smol", Nothing, Id::Smol, Program, "Use less memory, collect garbage more often"),
    // Reloading.
    own("--watch", Nothing, Id::Watch, Reload, "Restart the program when a file it loaded changes"),
    own("--hot", Nothing, Id::Hot, Reload, "Load the modules anew in the same process when a file changes"),
    own(
        "--watch-kill-signal",
        Value("SIGNAL"),
        Id::WatchKillSignal,
        Reload,
        "Signal that ends the program before a restart (default SIGTERM)",
    ),
    own("--no-clear-screen", Nothing, Id::NoClearScreen, Reload, "Keep the terminal's contents on a restart"),
    own("--watch-preserve-output", Nothing, Id::NoClearScreen, Hidden, ""),
    // Environment.
    own(
        "--env-file",
        Value("FILE"),
        Id::EnvFile,
        Environment,
        "Read variables from FILE instead of the .env files; several are possible",
    ),
    own("--env-file-if-exists", Value("FILE"), Id::EnvFileIfExists, Hidden, ""),
    own("--no-env-file", Nothing, Id::NoEnvFile, Environment, "Do not read .env files"),
    // Transpiling.
    short(
        'd',
        own("--define", Value("KEY=VALUE"), Id::Define, Code, "Replace KEY by VALUE (JSON or a name) in the source"),
    ),
    flag("--feature", Value("NAME"), Effect::NodeList, Code, "feature(\"NAME\") of \"bun:bundle\" is true"),
    short(
        'l',
        own(
            "--loader",
            Value(".EXT:NAME"),
            Id::Loader,
            Code,
            "Read files ending in .EXT as NAME (js, ts, json, toml, text, file, ...)",
        ),
    ),
    own("--drop", Value("NAME"), Id::Drop, Code, "Remove calls of NAME (console, debugger, ...)"),
    own("--jsx-runtime", Value("NAME"), Id::JsxRuntime, Code, "automatic (default) or classic"),
    own(
        "--jsx-import-source",
        Value("PACKAGE"),
        Id::JsxImportSource,
        Code,
        "Package of the automatic JSX runtime (default react)",
    ),
    own("--jsx-factory", Value("NAME"), Id::JsxFactory, Code, "Function of the classic JSX runtime"),
    own("--jsx-fragment", Value("NAME"), Id::JsxFragment, Code, "Fragment of the classic JSX runtime"),
    // Warnings and errors.
    own(
        "--unhandled-rejections",
        Value("MODE"),
        Id::UnhandledRejections,
        Warnings,
        "strict, throw (default), warn, none or warn-with-error-code",
    ),
    node("--no-warnings", Nothing, Warnings, "Do not print process warnings"),
    node("--trace-warnings", Nothing, Warnings, "Print warnings with their stacks"),
    flag("--disable-warning", Value("NAME"), Effect::NodeList, Warnings, "Do not print warnings of this code or type"),
    node("--redirect-warnings", Value("FILE"), Warnings, "Append warnings to FILE instead of printing them"),
    node("--no-deprecation", Nothing, Warnings, "Do not print deprecation warnings"),
    node("--throw-deprecation", Nothing, Warnings, "Throw deprecation warnings as errors"),
    node("--trace-deprecation", Nothing, Warnings, "Print deprecation warnings with their stacks"),
    node("--pending-deprecation", Nothing, Warnings, "Print pending deprecations too"),
    node("--enable-source-maps", Nothing, Warnings, "Show in stacks what the source maps of files lead to"),
    node("--trace-uncaught", Nothing, Warnings, "Print where an uncaught error was thrown"),
    node("--trace-exit", Nothing, Warnings, "Print where the program ends itself"),
    node(
        "--abort-on-uncaught-exception",
        Nothing,
        Warnings,
        "End with SIGABRT, which can leave a core dump, on an uncaught error",
    ),
    flag("--stack-trace-limit", Value("N"), Effect::NodeNumber, Warnings, "Frames in error stacks (default 10)"),
    // Trace events: https://nodejs.org/api/tracing.html
    node("--trace-event-categories", Value("NAMES"), Warnings, "Write trace events of these categories to a file"),
    node("--trace-events-enabled", Nothing, Warnings, "The same, of the categories v8, node and node.async_hooks"),
    node("--trace-event-file-pattern", Value("FILE"), Warnings, "The file (default node_trace.${rotation}.log)"),
    // Diagnostic reports: https://nodejs.org/api/report.html
    node("--report-on-signal", Nothing, Warnings, "Write a diagnostic report when a signal comes"),
    node("--report-signal", Value("SIGNAL"), Warnings, "Which signal that is (default SIGUSR2)"),
    node("--report-uncaught-exception", Nothing, Warnings, "Write a diagnostic report on an uncaught error"),
    node("--report-on-fatalerror", Nothing, Warnings, "Write a diagnostic report when the heap is full"),
    node("--report-dir", Value("DIR"), Warnings, "Where reports are written (also --report-directory)"),
    alias("--report-directory", Value("DIR"), "--report-dir"),
    node("--report-filename", Value("FILE"), Warnings, "The name of reports"),
    node("--report-compact", Nothing, Warnings, "Write reports on one line"),
    node("--report-exclude-network", Nothing, Warnings, "Leave network interfaces out of reports"),
    node("--report-exclude-env", Nothing, Warnings, "Leave the environment out of reports"),
    // The permission model: https://nodejs.org/api/permissions.html
    node("--permission", Nothing, Permissions, "Take from the program what the following options do not give it"),
    flag(
        "--allow-fs-read",
        Value("PATH"),
        Effect::NodeList,
        Permissions,
        "Let it read PATH (* for all; a* for what begins so)",
    ),
    flag("--allow-fs-write", Value("PATH"), Effect::NodeList, Permissions, "Let it write PATH"),
    node("--allow-child-process", Nothing, Permissions, "Let it start programs"),
    node("--allow-worker", Nothing, Permissions, "Let it start workers"),
    node("--allow-addons", Nothing, Permissions, "Let it load native addons and libraries (bun:ffi)"),
    node("--allow-wasi", Nothing, Permissions, "Let it use node:wasi"),
    node("--allow-net", Nothing, Permissions, "Let it use the network"),
    node("--allow-inspector", Nothing, Permissions, "Let it use the inspector"),
    // The inspector: docs/guide/debugger.md
    node("--inspect", Optional("[HOST:]PORT"), Engine, "Let debuggers connect (default 127.0.0.1:9229)"),
    node("--inspect-wait", Optional("[HOST:]PORT"), Engine, "The same, and wait for one"),
    node("--inspect-brk", Optional("[HOST:]PORT"), Engine, "The same, and stop at the first statement"),
    node("--inspect-port", Value("[HOST:]PORT"), Engine, "The address of the three"),
    node("--cpu-prof", Nothing, Engine, "Write a CPU profile (.cpuprofile) at the end"),
    node("--cpu-prof-md", Nothing, Engine, "Write it as tables in Markdown"),
    node("--cpu-prof-dir", Value("DIR"), Engine, "The directory of the two (default: the working directory)"),
    node("--cpu-prof-name", Value("NAME"), Engine, "The name of their file"),
    flag(
        "--cpu-prof-interval",
        Value("MICROSECONDS"),
        Effect::NodeNumber,
        Engine,
        "Time between samples (default 1000)",
    ),
    node("--heap-prof", Nothing, Engine, "Write a profile of the heap (.heapprofile) at the end"),
    node("--heap-prof-dir", Value("DIR"), Engine, "Its directory (default: the working directory)"),
    node("--heap-prof-name", Value("NAME"), Engine, "The name of its file"),
    flag("--heap-prof-interval", Value("BYTES"), Effect::NodeNumber, Engine, "Bytes between samples (default 32768)"),
    // Engine.
    node("--expose-gc", Nothing, Engine, "Make gc() a global function"),
    flag("--max-old-space-size", Value("MIB"), Effect::NodeNumber, Engine, "Limit of the JavaScript heap"),
    flag("--max-heap-size", Value("MIB"), Effect::NodeNumber, Hidden, ""),
    own("--stack-size", Value("KIB"), Id::StackSize, Hidden, ""),
    node("--zero-fill-buffers", Nothing, Engine, "Fill Buffer.allocUnsafe with zeros"),
    node("--no-addons", Nothing, Engine, "Refuse to load native addons"),
    node(
        "--force-node-api-uncaught-exceptions-policy",
        Nothing,
        Engine,
        "Treat exceptions in callbacks of older addons as uncaught",
    ),
    // Network.
    planned("--port", Value("N")),
    node("--user-agent", Value("TEXT"), Network, "User-Agent of fetch"),
    flag(
        "--max-http-header-size",
        Value("BYTES"),
        Effect::NodeNumber,
        Network,
        "Limit of HTTP headers (default 16384)",
    ),
    node("--insecure-http-parser", Nothing, Network, "Accept HTTP that breaks the rules"),
    node("--dns-result-order", Value("ORDER"), Network, "verbatim (default), ipv4first or ipv6first"),
    flag(
        "--fetch-preconnect",
        Value("URL"),
        Effect::NodeList,
        Network,
        "Open a connection for fetch to this server before the program runs",
    ),
    node("--use-system-ca", Nothing, Network, "Trust the system's certificates, too"),
    node(
        "--use-env-proxy",
        Nothing,
        Network,
        "Agents of node:http go through HTTP_PROXY, HTTPS_PROXY and NO_PROXY, too",
    ),
    node("--no-use-env-proxy", Nothing, Hidden, ""),
    node("--use-openssl-ca", Nothing, Network, "Trust the system's certificates and not Mozilla's"),
    node("--use-bundled-ca", Nothing, Network, "Trust Mozilla's certificates (default)"),
    node("--no-network-family-autoselection", Nothing, Network, "Try the first address of a name only"),
    flag(
        "--network-family-autoselection-attempt-timeout",
        Value("MS"),
        Effect::NodeNumber,
        Network,
        "Time for each address of a name but the last (default 500)",
    ),
    always("--network-family-autoselection"),
    node("--tls-cipher-list", Value("LIST"), Network, "Cipher suites of TLS, as OpenSSL writes them"),
    node("--tls-keylog", Value("FILE"), Network, "Append the keys of TLS connections to a file"),
    node("--trace-tls", Nothing, Network, "Say on standard error what TLS connections send and receive"),
    node("--tls-min-v1.0", Nothing, Hidden, ""),
    node("--tls-min-v1.1", Nothing, Hidden, ""),
    node("--tls-min-v1.2", Nothing, Hidden, ""),
    node("--tls-min-v1.3", Nothing, Hidden, ""),
    node("--tls-max-v1.2", Nothing, Hidden, ""),
    node("--tls-max-v1.3", Nothing, Hidden, ""),
    node("--experimental-http2-fetch", Nothing, Network, "Offer HTTP/2 to servers of https: URLs"),
    node("--experimental-http3-fetch", Nothing, Network, "Ask servers over HTTP/3 that say that they speak it"),
    node("--redis-preconnect", Nothing, Network, "Open the connection of Bun.redis before the program runs"),
    node("--sql-preconnect", Nothing, Network, "Open a connection of Bun.sql before the program runs"),
    own("--run", Value("SCRIPT"), Id::NodeRun, Hidden, ""),
    // What Node or Bun switch on with an option and bao always has.
    always("--experimental-strip-types"),
    always("--experimental-transform-types"),
    always("--experimental-modules"),
    always("--experimental-wasi-unstable-preview1"),
    // How V8 calls native functions: no program sees it.
    always("--turbo-fast-api-calls"),
    always("--no-turbo-fast-api-calls"),
    always("--napi-modules"),
    always("--experimental-json-modules"),
    always("--experimental-require-module"),
    always("--experimental-detect-module"),
    always("--experimental-import-meta-resolve"),
    always("--experimental-fetch"),
    always("--experimental-global-webcrypto"),
    always("--experimental-global-customevent"),
    always("--experimental-abortcontroller"),
    always("--experimental-top-level-await"),
    always("--experimental-websocket"),
    always("--experimental-sqlite"),
    always("--experimental-wasm-modules"),
    always("--experimental-shadow-realm"),
    always("--experimental-eventsource"),
    always("--experimental-network-inspection"),
    always("--experimental-storage-inspection"),
    always("--experimental-inspector-network-resource"),
    always("--no-experimental-transform-types"),
    always("--harmony-temporal"),
    always("--test-udp-no-try-send"),
    always("--debug-arraybuffer-allocations"),
    node("--disable-sigusr1", Nothing, Hidden, ""),
    node("--experimental-vm-modules", Nothing, Hidden, ""),
    node("--expose-internals", Nothing, Hidden, ""),
    always("--harmony-import-attributes"),
    always("--harmony-top-level-await"),
    always("--js-source-phase-imports"),
    always("--async-context-frame"),
    always("--no-force-node-api-uncaught-exceptions-policy"),
    always("--no-node-snapshot"),
    always("--no-use-system-ca"),
    always("--no-use-openssl-ca"),
    // How V8 divides its work: no program can tell.
    always("--predictable-gc-schedule"),
    always("--gc-global"),
    always("--no-concurrent-array-buffer-sweeping"),
    always("--noconcurrent-recompilation"),
    always("--stress-compaction"),
    flag("--gc-interval", Value("N"), Effect::Always, Hidden, ""),
    flag("--v8-pool-size", Value("N"), Effect::Always, Hidden, ""),
    // Not there yet.
    planned("--test-rerun-failures", Value("FILE")),
    planned("--prefer-latest", Nothing),
    planned("--heap-prof-md", Nothing),
    planned("--no-ffi-cc", Nothing),
    planned("--main-fields", Value("NAMES")),
    planned("--extension-order", Value("EXTENSIONS")),
    node("--no-macros", Nothing, Code, "Refuse macros: calls of functions imported with { type: \"macro\" }"),
    planned("--jsx-side-effects", Nothing),
    planned("--ignore-dce-annotations", Nothing),
    planned("--experimental-stream-iter", Nothing),
    planned("--disallow-code-generation-from-strings", Nothing),
    planned("--watch-path", Value("PATH")),
];

/// Finds an option by its long name. As in Node, `_` may stand for `-`.
pub fn long(name: &str) -> Option<&'static Flag> {
    if name.contains('_') {
        let name = name.replace('_', "-");
        return FLAGS.iter().find(|flag| flag.long == name);
    }
    FLAGS.iter().find(|flag| flag.long == name)
}

/// Finds an option by its letter.
pub fn letter(letter: char) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.short == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, flag) in FLAGS.iter().enumerate() {
            assert!(flag.long.starts_with("--"), "{}", flag.long);
            for other in &FLAGS[index + 1..] {
                assert_ne!(flag.long, other.long);
                assert!(flag.short.is_none() || flag.short != other.short, "{} {}", flag.long, other.long);
            }
            assert_eq!(flag.group == Hidden, flag.help.is_empty(), "{}", flag.long);
            if let Effect::NodeAlias(of) = flag.effect {
                let named = FLAGS.iter().find(|other| other.long == of).expect("an option");
                assert_eq!((named.effect, named.takes), (Effect::Node, flag.takes), "{}", flag.long);
            }
        }
    }

    #[test]
    fn underscores() {
        assert_eq!(long("--max_old_space_size").map(|f| f.long), Some("--max-old-space-size"));
        assert!(long("--nope").is_none());
    }
}
