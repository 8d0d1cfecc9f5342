//! Reading, lexing and parsing the source files of node_modules: from single files, from archives, and from a database. README.md says
//! how it is run.
//!
//! Every way adds up all bytes that it has read, so that the pages of a mapping are really read; the sums must be equal.

mod corpus;
mod lexers;
mod plot;
mod ways;

use std::path::PathBuf;
use std::time::Instant;

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

struct Options {
    scratch: PathBuf,
    cold: bool,
    rounds: usize,
    parse: bool,
    only: Vec<String>,
    svg: Option<PathBuf>,
}

/// The median of some times.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn read(options: &Options) -> Result<(), Failure> {
    let corpus = corpus::load(&options.scratch)?;
    let chosen: Vec<_> = ways::ALL
        .iter()
        .filter(|way| options.only.is_empty() || options.only.iter().any(|name| way.name.contains(name.as_str())))
        .collect();
    let mut walls = vec![Vec::new(); chosen.len()];
    let mut systems = vec![Vec::new(); chosen.len()];
    let mut totals = vec![Total::default(); chosen.len()];
    for round in 0..options.rounds {
        for (at, way) in chosen.iter().enumerate() {
            if options.cold {
                drop_caches()?;
            } else if round == 0 {
                // Once without measuring: everything is in memory.
                (way.read)(&corpus, &mut |_, _| {})?;
            }
            let mut total = Total::default();
            let mut parsed = 0usize;
            let (start, before) = (Instant::now(), cpu());
            (way.read)(&corpus, &mut |name, bytes| {
                total.add(bytes);
                if options.parse {
                    parsed += lexers::parse(name, bytes);
                }
            })?;
            walls[at].push(start.elapsed().as_secs_f64() * 1e3);
            systems[at].push((cpu().1 - before.1) * 1e3);
            totals[at] = total;
            if options.parse && parsed == 0 {
                return Err("nothing was parsed".into());
            }
        }
    }
    if totals.iter().any(|total| *total != totals[0]) {
        return Err(format!("the ways did not read the same: {totals:?}").into());
    }
    let kind = if options.cold { "cold" } else { "warm" };
    let what = if options.parse { "read and parsed" } else { "read" };
    let title = format!(
        "{} source files of {} packages ({:.0} MB) {what}, {kind} page cache",
        totals[0].files,
        corpus.packages.len(),
        totals[0].bytes as f64 / 1e6
    );
    println!("{title}; median of {} interleaved rounds\n", options.rounds);
    println!("| from | ms | us a file | system ms | times faster than single files |");
    println!("|---|---:|---:|---:|---:|");
    let mut rows = Vec::new();
    let walls: Vec<f64> = walls.iter_mut().map(|times| median(times)).collect();
    for (at, way) in chosen.iter().enumerate() {
        println!(
            "| {} | {:.0} | {:.2} | {:.0} | {:.1} |",
            way.name,
            walls[at],
            walls[at] * 1e3 / totals[0].files as f64,
            median(&mut systems[at]),
            walls[0] / walls[at]
        );
        rows.push((way.name.to_owned(), walls[at]));
    }
    if let Some(file) = &options.svg {
        std::fs::write(file, plot::bars(&title, "ms", &rows))?;
    }
    Ok(())
}

fn usage() -> Failure {
    "usage: bench-archives make SCRATCH ARCHIVES… [--files N]\n\
     \x20      bench-archives read SCRATCH [--cold] [--parse] [--rounds N] [--only NAME]… [--svg FILE]\n\
     \x20      bench-archives lex SCRATCH [--rounds N] [--row NAME=MB/S]… [--svg FILE]\n\
     \x20      bench-archives cleaned SCRATCH FILE"
        .into()
}

fn run() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let command = words.next().ok_or_else(usage)?;
    let mut plain: Vec<String> = Vec::new();
    let mut rows: Vec<(String, f64)> = Vec::new();
    let mut files = usize::MAX;
    let mut options =
        Options { scratch: PathBuf::new(), cold: false, rounds: 3, parse: false, only: Vec::new(), svg: None };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(usage);
        match word.as_str() {
            "--cold" => options.cold = true,
            "--parse" => options.parse = true,
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
