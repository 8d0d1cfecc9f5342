//! Everything in one file: as an archive of the store, and as blocks of LZ4 that two threads unpack while a third one uses what they
//! have unpacked. What one archive a package costs, and what compression would bring, is seen beside them.
//!
//! A block is a header (bytes unpacked, bytes packed, number of files), length and XXH3-64 of each file, and the packed bytes of all of
//! them. Files are in the order of the list, as a program that has run before would have them.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::mpsc::sync_channel;

use store::{Archive, Kind, Writer};
use xxhash_rust::xxh3::xxh3_64;

use crate::Failure;
use crate::corpus::Corpus;

/// Bytes of files after which a block ends.
const BLOCK: usize = 1 << 20;
const HEADER: usize = 12;
/// Bytes of a file's length and hash.
const ABOUT: usize = 12;
const THREADS: usize = 2;
/// Blocks that a thread is ahead.
const AHEAD: usize = 4;

/// Collects both files.
#[derive(Default)]
pub(crate) struct Whole {
    store: Writer,
    lz4: Vec<u8>,
    about: Vec<u8>,
    raw: Vec<u8>,
}

impl Whole {
    pub(crate) fn add(&mut self, name: &str, content: &[u8]) {
        self.store.add(name.as_bytes(), Kind::File, 0o644, content);
        self.about.extend_from_slice(&(content.len() as u32).to_le_bytes());
        self.about.extend_from_slice(&xxh3_64(content).to_le_bytes());
        self.raw.extend_from_slice(content);
        if self.raw.len() >= BLOCK {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        let packed = lz4_flex::block::compress(&self.raw);
        for number in [self.raw.len(), packed.len(), self.about.len() / ABOUT] {
            self.lz4.extend_from_slice(&(number as u32).to_le_bytes());
        }
        self.lz4.append(&mut self.about);
        self.lz4.extend_from_slice(&packed);
        self.raw.clear();
    }

    pub(crate) fn write(mut self, corpus: &Corpus) -> Result<(), Failure> {
        self.end_block();
        std::fs::write(corpus.scratch.join("all.lz4"), &self.lz4)?;
        let (head, data) = self.store.finish();
        std::fs::write(corpus.scratch.join("all.bao"), [head, data].concat())?;
        Ok(())
    }
}

pub(crate) fn store(corpus: &Corpus, visit: &mut dyn FnMut(&str, &[u8])) -> Result<(), Failure> {
    read_all(&Archive::open(&corpus.scratch.join("all.bao"))?, corpus, visit)
}

pub(crate) fn read_all(archive: &Archive, corpus: &Corpus, visit: &mut dyn FnMut(&str, &[u8])) -> Result<(), Failure> {
    let mut path = String::new();
    for (package, names) in &corpus.packages {
        for name in names {
            path.clear();
            path.extend([package, "/", name]);
            let entry = archive.get(path.as_bytes()).ok_or("a name that is not found")?;
            visit(name, archive.content(&entry).map_err(|damage| damage.to_string())?);
        }
    }
    Ok(())
}

struct Block {
    /// Length and hash of each file.
    files: Vec<(usize, u64)>,
    raw: Vec<u8>,
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// Sends every `THREADS`th block, from the first one given.
fn unpack(file: &File, first: usize, send: &dyn Fn(Result<Block, String>) -> bool) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let length = file.metadata().map_err(told)?.len();
    let (mut at, mut index) = (0, 0);
    let mut body = Vec::new();
    while at < length {
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, at).map_err(told)?;
        let (raw, packed, count) = (number(&header, 0), number(&header, 4), number(&header, 8));
        let size = count * ABOUT + packed;
        if index % THREADS == first {
            body.resize(size, 0);
            file.read_exact_at(&mut body, at + HEADER as u64).map_err(told)?;
            let (about, packed) = body.split_at(count * ABOUT);
            let files = about
                .chunks_exact(ABOUT)
                .map(|one| (number(one, 0), one[4..].first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash))));
            let block = Block {
                files: files.collect(),
                raw: lz4_flex::block::decompress(packed, raw).map_err(|error| error.to_string())?,
            };
            if !send(Ok(block)) {
                return Ok(());
            }
        }
        at += (HEADER + size) as u64;
        index += 1;
    }
    Ok(())
}

pub(crate) fn lz4(corpus: &Corpus, visit: &mut dyn FnMut(&str, &[u8])) -> Result<(), Failure> {
    let file = File::open(corpus.scratch.join("all.lz4"))?;
    let mut names = corpus.packages.iter().flat_map(|(_, names)| names);
    std::thread::scope(|scope| {
        let channels: Vec<_> = (0..THREADS)
            .map(|first| {
                let (sender, receiver) = sync_channel(AHEAD);
                let file = &file;
                scope.spawn(move || {
                    if let Err(error) = unpack(file, first, &|block| sender.send(block).is_ok()) {
                        let _ = sender.send(Err(error));
                    }
                });
                receiver
            })
            .collect();
        // A channel that has ended has no further block, and neither has the next one.
        for receiver in channels.iter().cycle() {
            let Ok(block) = receiver.recv() else { break };
            let block = block?;
            let mut at = 0;
            for (length, hash) in block.files {
                let content = &block.raw[at..at + length];
                if xxh3_64(content) != hash {
                    return Err("a file is damaged".into());
                }
                visit(names.next().ok_or("more files than names")?, content);
                at += length;
            }
        }
        Ok(())
    })
}
