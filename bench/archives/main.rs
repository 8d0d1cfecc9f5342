//! How long it takes to read every source file of a node_modules: as single files, from one gzip file for each package, and from
//! the archives of the store linker. `bench_archives ARCHIVES SCRATCH [--cold] [--svg FILE]`, see README.md.
//!
//! All bytes are added up, so that the pages of a mapping are really read; the sum tells whether all read the same.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use packages::{Archive, Kind};

type Failure = Box<dyn std::error::Error>;

const ROUNDS: usize = 5;

fn is_source(name: &str) -> bool {
    [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json"].iter().any(|end| name.ends_with(end))
}

fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    rest.iter().fold(words, |sum, &byte| sum.wrapping_add(u64::from(byte)))
}

/// What was read.
#[derive(Clone, Copy, Default)]
struct Total {
    files: u64,
    bytes: u64,
    sum: u64,
}

impl Total {
    fn add(&mut self, bytes: &[u8]) {
        self.files += 1;
        self.bytes += bytes.len() as u64;
        self.sum = self.sum.wrapping_add(sum(bytes));
    }
}

/// The source files of each package that is an archive: the archive, and the same files as paths.
struct Corpus {
    archives: Vec<PathBuf>,
    packed: Vec<PathBuf>,
    loose: Vec<PathBuf>,
}

/// Writes the files of the archives below `scratch`, loose and as one gzip file for each package.
fn corpus(archives: &Path, scratch: &Path) -> Result<Corpus, Failure> {
    let mut out = Corpus { archives: Vec::new(), packed: Vec::new(), loose: Vec::new() };
    let mut list: Vec<PathBuf> =
        std::fs::read_dir(archives)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    list.sort();
    for path in list.into_iter().filter(|path| path.extension().is_some_and(|end| end == "bao")) {
        let archive = Archive::open(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let root = scratch.join("loose").join(&name);
        let mut joined = Vec::new();
        for entry in archive.entries().filter(|entry| entry.kind == Kind::File) {
            let file = String::from_utf8(archive.name(&entry).to_vec())?;
            if !is_source(&file) {
                continue;
            }
            let content = archive.content(&entry).map_err(|damage| damage.to_string())?;
            let to = root.join(&file);
            if !to.exists() {
                std::fs::create_dir_all(to.parent().unwrap_or(&root))?;
                std::fs::write(&to, content)?;
            }
            joined.extend_from_slice(&(content.len() as u64).to_le_bytes());
            joined.extend_from_slice(content);
            out.loose.push(to);
        }
        let packed = scratch.join("packed").join(format!("{name}.gz"));
        if !packed.exists() {
            std::fs::create_dir_all(scratch.join("packed"))?;
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut bytes = vec![0; compressor.gzip_compress_bound(joined.len())];
            let length = compressor.gzip_compress(&joined, &mut bytes)?;
            let mut file = std::fs::File::create(&packed)?;
            file.write_all(&(joined.len() as u64).to_le_bytes())?;
            file.write_all(&bytes[..length])?;
        }
        out.packed.push(packed);
        out.archives.push(path);
    }
    Ok(out)
}

fn read_loose(corpus: &Corpus) -> Result<Total, Failure> {
    let (mut total, mut buffer) = (Total::default(), Vec::new());
    for path in &corpus.loose {
        buffer.clear();
        std::fs::File::open(path)?.read_to_end(&mut buffer)?;
        total.add(&buffer);
    }
    Ok(total)
}

fn read_packed(corpus: &Corpus) -> Result<Total, Failure> {
    let mut total = Total::default();
    let mut inflater = libdeflater::Decompressor::new();
    for path in &corpus.packed {
        let bytes = std::fs::read(path)?;
        let (length, bytes) = bytes.split_first_chunk::<8>().ok_or("a short file")?;
        let mut out = vec![0; usize::try_from(u64::from_le_bytes(*length))?];
        inflater.gzip_decompress(bytes, &mut out)?;
        let mut rest = out.as_slice();
        while let Some((length, more)) = rest.split_first_chunk::<8>() {
            let (file, more) = more.split_at(usize::try_from(u64::from_le_bytes(*length))?);
            total.add(file);
            rest = more;
        }
    }
    Ok(total)
}

fn read_store(corpus: &Corpus) -> Result<Total, Failure> {
    let mut total = Total::default();
    for path in &corpus.archives {
        let archive = Archive::open(path)?;
        for entry in archive.entries().filter(|entry| entry.kind == Kind::File) {
            let name = archive.name(&entry);
            if std::str::from_utf8(name).is_ok_and(is_source) {
                // As a program asks: by name, and with the hash compared.
                let found = archive.get(name).ok_or("a name that is not found")?;
                total.add(archive.content(&found).map_err(|damage| damage.to_string())?);
            }
        }
    }
    Ok(total)
}

fn drop_caches() -> Result<(), Failure> {
    // SAFETY: sync takes nothing and cannot fail.
    unsafe { libc::sync() };
    Ok(std::fs::write("/proc/sys/vm/drop_caches", "3")?)
}

/// Bars of equal height, the longest as wide as the picture.
fn svg(rows: &[(String, f64)], title: &str) -> String {
    let most = rows.iter().map(|(_, time)| *time).fold(f64::MIN_POSITIVE, f64::max);
    let height = 40 + rows.len() * 28;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"22\" font-weight=\"bold\">{title}</text>\n"
    );
    for (at, (name, time)) in rows.iter().enumerate() {
        let (y, width) = (36 + at * 28, (time / most * 400.0).max(1.0));
        out.push_str(&format!(
            "<text x=\"10\" y=\"{}\">{name}</text><rect x=\"200\" y=\"{y}\" width=\"{width:.1}\" height=\"20\" fill=\"#4878a8\"/>\
             <text x=\"{:.1}\" y=\"{}\">{time:.1} ms</text>\n",
            y + 15,
            206.0 + width,
            y + 15
        ));
    }
    out.push_str("</svg>\n");
    out
}

fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [archives, scratch, rest @ ..] = arguments.as_slice() else {
        return Err("usage: bench_archives ARCHIVES SCRATCH [--cold] [--svg FILE]".into());
    };
    let cold = rest.iter().any(|word| word == "--cold");
    let corpus = corpus(Path::new(archives), Path::new(scratch))?;
    let ways: [(&str, fn(&Corpus) -> Result<Total, Failure>); 3] =
        [("single files", read_loose), ("gzip per package", read_packed), ("store archives", read_store)];
    let mut best = [f64::MAX; 3];
    let mut totals = [Total::default(); 3];
    for _ in 0..if cold { 3 } else { ROUNDS } {
        for (at, (_, read)) in ways.iter().enumerate() {
            if cold {
                drop_caches()?;
            }
            let start = Instant::now();
            totals[at] = read(&corpus)?;
            best[at] = best[at].min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    if totals
        .iter()
        .any(|total| (total.files, total.bytes, total.sum) != (totals[0].files, totals[0].bytes, totals[0].sum))
    {
        return Err("the ways did not read the same".into());
    }
    let kind = if cold { "cold" } else { "warm" };
    println!(
        "{} files, {:.1} MB, {} packages, {kind} page cache, best of the rounds",
        totals[0].files,
        totals[0].bytes as f64 / 1e6,
        corpus.archives.len()
    );
    for (at, (name, _)) in ways.iter().enumerate() {
        println!(
            "{name:18} {:9.1} ms  {:7.2} us a file  {:5.1}x",
            best[at],
            best[at] * 1e3 / totals[0].files as f64,
            best[0] / best[at]
        );
    }
    if let Some(at) = rest.iter().position(|word| word == "--svg")
        && let Some(file) = rest.get(at + 1)
    {
        let rows: Vec<(String, f64)> =
            ways.iter().zip(best).map(|((name, _), time)| ((*name).to_owned(), time)).collect();
        let title = format!(
            "Reading {} source files of {} packages, {kind} page cache",
            totals[0].files,
            corpus.archives.len()
        );
        std::fs::write(file, svg(&rows, &title))?;
    }
    Ok(())
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
