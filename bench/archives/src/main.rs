//! Reading, lexing and parsing the source files of node_modules: from single files, from archives, and from a database. README.md says
//! how it is run.
//!
//! Every way adds up all bytes that it has read, so that the pages of a mapping are really read; the sums must be equal.

mod corpus;
#[cfg_attr(not(feature = "lexers"), path = "no_lexers.rs")]
mod lexers;
mod limits;
#[cfg_attr(not(feature = "parse"), path = "no_parser.rs")]
mod parse;
mod plot;
mod ways;
mod whole;

use std::path::PathBuf;
use std::time::Instant;

use corpus::Corpus;
use ways::Way;

pub(crate) type Failure = Box<dyn std::error::Error>;

/// What was read.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Total {
    pub files: u64,
    pub bytes: u64,
    pub sum: u64,
}

impl Total {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let words = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
        let sum = rest.iter().fold(words, |sum, &byte| sum.wrapping_add(u64::from(byte)));
        self.files += 1;
        self.bytes += bytes.len() as u64;
        self.sum = self.sum.wrapping_add(sum);
    }
}

/// Processor time of this process in seconds: of the program and of the system.
fn cpu() -> (f64, f64) {
    // SAFETY: a valid out pointer.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

fn drop_caches() -> Result<(), Failure> {
    // SAFETY: sync takes nothing and cannot fail.
    unsafe { libc::sync() };
    std::fs::write("/proc/sys/vm/drop_caches", "3").map_err(|error| {
        format!("the page cache cannot be dropped (--cold needs root and a kernel that lets it): {error}").into()
    })
}

/// Milliseconds: less is not told apart from nothing.
const LEAST: f64 = 0.1;

struct Options {
    scratch: PathBuf,
    cold: bool,
    rounds: usize,
    parse: bool,
    limits: bool,
    only: Vec<String>,
    svg: Option<PathBuf>,
}

/// The median of some times.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// How many times less than single files; nothing where what is left is within the noise of what was taken off.
fn times_less(base: f64, own: f64) -> String {
    if own <= LEAST { "-".to_owned() } else { format!("{:.1}", base / own) }
}

/// What a round took, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Round {
    wall: f64,
    cpu: f64,
    system: f64,
}

/// Everything in memory, in the order of the list: what the program does with the bytes, without reading them.
type Memory = Vec<(String, Vec<u8>)>;

/// Reads everything once by a way, or from memory without one.
fn round(options: &Options, corpus: &Corpus, way: Option<&Way>, memory: &Memory) -> Result<(Round, Total), Failure> {
    let mut total = Total::default();
    let mut parsed = 0usize;
    let mut visit = |name: &str, bytes: &[u8]| {
        total.add(bytes);
        if options.parse {
            parsed += parse::parse(name, bytes);
        }
    };
    let (start, before) = (Instant::now(), cpu());
    match way {
        Some(way) => (way.read)(corpus, &mut visit)?,
        None => memory.iter().for_each(|(name, bytes)| visit(name, bytes)),
    }
    let (wall, after) = (start.elapsed().as_secs_f64() * 1e3, cpu());
    if options.parse && parsed == 0 {
        return Err("nothing was parsed (the feature \"parse\" builds the parser in)".into());
    }
    let system = (after.1 - before.1) * 1e3;
    Ok((Round { wall, cpu: (after.0 - before.0) * 1e3 + system, system }, total))
}

fn read(options: &Options) -> Result<(), Failure> {
    let corpus = corpus::load(&options.scratch)?;
    let is_wanted = |way: &&Way| options.only.is_empty() || options.only.iter().any(|part| way.name.contains(part));
    // What all are compared with comes first, also among the limits.
    let is_kind = |way: &&Way| way.is_limit == options.limits || (options.limits && ways::is_base(way));
    let fits = |way: &&Way| !(options.cold && way.only_warm);
    let chosen: Vec<&Way> = ways::ALL.iter().filter(is_kind).filter(is_wanted).filter(fits).collect();
    if chosen.is_empty() {
        return Err("no way has such a name".into());
    }
    let mut memory = Memory::new();
    (chosen[0].read)(&corpus, &mut |name, bytes| memory.push((name.to_owned(), bytes.to_vec())))?;
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); chosen.len()];
    let mut alone: Vec<Round> = Vec::new();
    let mut totals = Total::default();
    for _ in 0..options.rounds {
        let (took, total) = round(options, &corpus, None, &memory)?;
        alone.push(took);
        totals = total;
        for (at, way) in chosen.iter().enumerate() {
            if options.cold {
                drop_caches()?;
            } else {
                // Once without measuring: everything is in the page cache.
                (way.read)(&corpus, &mut |_, _| {})?;
            }
            let (took, total) = round(options, &corpus, Some(way), &memory)?;
            if total != totals {
                return Err(format!("{} read {total:?} instead of {totals:?}", way.name).into());
            }
            rounds[at].push(took);
        }
    }
    let middle = |rounds: &[Round], value: fn(&Round) -> f64| median(&mut rounds.iter().map(value).collect::<Vec<_>>());
    let (alone_wall, alone_cpu) = (middle(&alone, |round| round.wall), middle(&alone, |round| round.cpu));
    let kind = if options.cold { "cold" } else { "warm" };
    let what = if options.parse { "read and parsed" } else { "read" };
    let title = format!(
        "{} source files of {} packages ({:.0} MB) {what}, {kind} page cache",
        totals.files,
        corpus.packages.len(),
        totals.bytes as f64 / 1e6
    );
    let does = if options.parse { "adding up and parsing" } else { "adding up" };
    println!(
        "{title}; median of {} interleaved rounds; {does} in memory takes {alone_wall:.0} ms (CPU {alone_cpu:.0}), which I/O is without\n",
        options.rounds
    );
    println!(
        "| from | all: ms | I/O: ms | I/O: CPU ms | system ms | I/O: CPU us a file | faster: all | I/O | I/O, CPU |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut rows = Vec::new();
    let mut first: Option<[f64; 3]> = None;
    for (way, rounds) in chosen.iter().zip(&rounds) {
        let all = middle(rounds, |round| round.wall);
        let io = (all - alone_wall).max(LEAST);
        let cpu = (middle(rounds, |round| round.cpu) - alone_cpu).max(LEAST);
        let base = *first.get_or_insert([all, io, cpu]);
        println!(
            "| {} | {all:.0} | {io:.0} | {cpu:.0} | {:.0} | {:.2} | {:.1} | {} | {} |",
            way.name,
            middle(rounds, |round| round.system),
            cpu * 1e3 / totals.files as f64,
            base[0] / all,
            times_less(base[1], io),
            times_less(base[2], cpu)
        );
        rows.push((way.name.to_owned(), if options.cold || options.parse { all } else { cpu }));
    }
    if let Some(file) = &options.svg {
        let unit = if options.cold || options.parse { "ms" } else { "ms CPU" };
        std::fs::write(file, plot::bars(&title, unit, &rows))?;
    }
    Ok(())
}

fn usage() -> Failure {
    "usage: bench-archives make SCRATCH ARCHIVES… [--files N]\n\
     \x20      bench-archives read SCRATCH [--cold] [--parse] [--limits] [--rounds N] [--only NAME]… [--svg FILE]\n\
     \x20      bench-archives lex SCRATCH [--rounds N] [--row NAME=MB/S]… [--svg FILE]\n\
     \x20      bench-archives cleaned SCRATCH FILE\n\
     \x20      bench-archives plot TITLE UNIT --row NAME=NUMBER… --svg FILE"
        .into()
}

fn run() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let command = words.next().ok_or_else(usage)?;
    let mut plain: Vec<String> = Vec::new();
    let mut rows: Vec<(String, f64)> = Vec::new();
    let mut files = usize::MAX;
    let mut options = Options {
        scratch: PathBuf::new(),
        cold: false,
        rounds: 3,
        parse: false,
        limits: false,
        only: Vec::new(),
        svg: None,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(usage);
        match word.as_str() {
            "--cold" => options.cold = true,
            "--parse" => options.parse = true,
            "--limits" => options.limits = true,
            "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
            "--files" => files = value()?.parse()?,
            "--only" => options.only.push(value()?),
            "--svg" => options.svg = Some(value()?.into()),
            "--row" => {
                let row = value()?;
                let (name, speed) = row.split_once('=').ok_or_else(usage)?;
                rows.push((name.to_owned(), speed.parse()?));
            }
            _ if word.starts_with("--") => return Err(usage()),
            _ => plain.push(word),
        }
    }
    options.scratch = plain.first().ok_or_else(usage)?.into();
    match command.as_str() {
        "make" if plain.len() > 1 => corpus::make(&options.scratch, &plain[1..], files),
        "read" => read(&options),
        "lex" => lexers::compare(&corpus::load(&options.scratch)?, options.rounds, rows, options.svg.as_deref()),
        "plot" if plain.len() == 2 => {
            let rows: Vec<_> = rows.into_iter().map(|(name, value)| (name.replace('_', " "), value)).collect();
            Ok(std::fs::write(options.svg.ok_or_else(usage)?, plot::bars(&plain[0], &plain[1], &rows))?)
        }
        "cleaned" if plain.len() == 2 => lexers::write_cleaned(&corpus::load(&options.scratch)?, plain[1].as_ref()),
        _ => Err(usage()),
    }
}

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}
