//! The ELF file: how a payload gets into an executable, and where it is in the running one.
//!
//! bao has a section `.bun` (Bun's name, by which tools tell such executables) with a [`Locator`], whose numbers are zero. An
//! executable with a program is a copy of it, with the payload behind its bytes, a program header for it in the place of that of the
//! notes, which nobody needs to run, and its address in the locator. What the headers were is written down in the payload, so that the bao
//! in such an executable can make others.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use crate::payload::{Builder, undo_of};

const MARK: [u8; 16] = *b"bao:executable:1";

/// Where the payload is.
#[repr(C)]
struct Locator {
    mark: [u8; 16],
    /// Address of the locator itself as the file has it, and address and length of the payload.
    own: AtomicU64,
    address: AtomicU64,
    length: AtomicU64,
}

const LOCATOR_SIZE: usize = size_of::<Locator>();
const SECTION: &[u8] = b".bun";

#[used]
#[unsafe(link_section = ".bun")]
static LOCATOR: Locator =
    Locator { mark: MARK, own: AtomicU64::new(0), address: AtomicU64::new(0), length: AtomicU64::new(0) };

/// The payload of the running executable.
pub(crate) fn payload() -> Option<&'static [u8]> {
    // SAFETY: valid for reads; volatile, since it is not this program that writes them but what made the file.
    let read = |number: &AtomicU64| unsafe { number.as_ptr().read_volatile() } as usize;
    let length = read(&LOCATOR.length);
    if length == 0 {
        return None;
    }
    let bias = (&raw const LOCATOR).addr().wrapping_sub(read(&LOCATOR.own));
    let address = std::ptr::with_exposed_provenance::<u8>(read(&LOCATOR.address).wrapping_add(bias));
    // SAFETY: the segment that `write` has added to the file: the system has mapped it, read-only, for the life of the process.
    Some(unsafe { std::slice::from_raw_parts(address, length) })
}

/// Why an executable cannot be made.
#[derive(Debug)]
pub enum Failure {
    /// The template cannot be read.
    Template(io::Error),
    /// The template is no bao; why.
    Foreign(String),
    /// The executable cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Template(error)
    }
}

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const PF_R: u32 = 4;
const SHF_ALLOC: u64 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_RELA: u32 = 4;
const SHT_REL: u32 = 9;
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: usize = 64;
/// Segments begin at addresses that are equal to their offsets modulo this: the largest page of the supported machines.
const PAGE: u64 = 0x1_0000;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// An executable of bao's to copy: what of it the system loads. Tables of symbols, which only debuggers read, stay behind.
pub struct Template {
    file: File,
    header: Vec<u8>,
    program_headers: Vec<u8>,
    /// Headers of the sections that are loaded, and their number in the file.
    sections: Vec<(usize, Vec<u8>)>,
    /// The names of sections, and the place of their own.
    names: Vec<u8>,
    names_name: u32,
    /// Which section has the locator.
    own: usize,
    /// Offset and address of the locator.
    locator: (u64, u64),
}

fn read_at(file: &File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

fn foreign(what: &str) -> Failure {
    Failure::Foreign(what.to_string())
}

/// Offset and address of what a section header is about.
fn place_of(header: &[u8]) -> (u64, u64) {
    (u64_at(header, 24).unwrap_or(0), u64_at(header, 16).unwrap_or(0))
}

fn size_of_section(header: &[u8], whole: u64) -> usize {
    usize::try_from(u64_at(header, 32).unwrap_or(0).min(whole)).unwrap_or(0)
}

impl Template {
    /// Opens an executable and looks whether a program can be put into it. One that is in it already is left out.
    ///
    /// # Errors
    /// It cannot be read, or is no bao of this version's form.
    pub fn open(path: &Path) -> Result<Template, Failure> {
        let file = File::open(path)?;
        let whole = file.metadata()?.len();
        let header = read_at(&file, 0, 64).map_err(|_| foreign("it is no ELF file"))?;
        // 64-bit, little-endian.
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return Err(foreign("it is no ELF file of this kind of machine"));
        }
        let field = |at: usize| u64_at(&header, at).unwrap_or(0);
        let short = |at: usize| usize::from(u16_at(&header, at).unwrap_or(0));
        if short(54) != PROGRAM_HEADER || short(58) != SECTION_HEADER {
            return Err(foreign("its headers have another form"));
        }
        let truncated = |_| foreign("it is truncated");
        let program_headers = read_at(&file, field(32), short(56) * PROGRAM_HEADER).map_err(truncated)?;
        let all = read_at(&file, field(40), short(60) * SECTION_HEADER).map_err(truncated)?;
        let names = all.chunks(SECTION_HEADER).nth(short(62)).ok_or_else(|| foreign("it has no section names"))?;
        let names_name = u32_at(names, 0).unwrap_or(0);
        let names = read_at(&file, place_of(names).0, size_of_section(names, whole)).map_err(truncated)?;
        // The first one stands for none.
        let sections: Vec<(usize, Vec<u8>)> = all
            .chunks(SECTION_HEADER)
            .enumerate()
            .filter(|(at, header)| *at == 0 || u64_at(header, 8).unwrap_or(0) & SHF_ALLOC != 0)
            .map(|(at, header)| (at, header.to_vec()))
            .collect();
        let named = |header: &[u8]| {
            let start = u32_at(header, 0).unwrap_or(0) as usize;
            names.get(start..).is_some_and(|name| name.starts_with(SECTION) && name.get(SECTION.len()) == Some(&0))
        };
        let own = sections.iter().position(|(_, header)| named(header));
        let own = own.ok_or_else(|| foreign("it is no executable of bao's"))?;
        let locator = place_of(&sections[own].1);
        let mut template = Template { file, header, program_headers, sections, names, names_name, own, locator };
        template.take_payload_away(whole)?;
        let locator = read_at(&template.file, template.locator.0, LOCATOR_SIZE).unwrap_or_default();
        if !locator.starts_with(&MARK) {
            return Err(foreign("it is no executable of this version of bao"));
        }
        Ok(template)
    }

    /// If there is a payload already, where the locator would be: the headers become what they were before it.
    fn take_payload_away(&mut self, whole: u64) -> Result<(), Failure> {
        let (offset, _) = self.locator;
        if read_at(&self.file, offset, MARK.len()).unwrap_or_default() == MARK {
            return Ok(());
        }
        let broken = || foreign("it is no executable of this version of bao, or damaged");
        let size = size_of_section(&self.sections[self.own].1, whole);
        let payload = read_at(&self.file, offset, size).map_err(|_| broken())?;
        let undo = undo_of(&payload).ok_or_else(broken)?;
        let (section, headers) = undo.split_at_checked(SECTION_HEADER).ok_or_else(broken)?;
        if headers.len() != self.program_headers.len() {
            return Err(broken());
        }
        self.locator = place_of(section);
        self.sections[self.own].1 = section.to_vec();
        self.program_headers = headers.to_vec();
        Ok(())
    }

    fn segments(&self) -> impl Iterator<Item = &[u8]> {
        self.program_headers.chunks(PROGRAM_HEADER).filter(|header| u32_at(header, 0) == Some(PT_LOAD))
    }

    /// Where the last of what is loaded ends in the file, and in memory.
    fn ends(&self) -> (u64, u64) {
        let end = |start: usize, length: usize| {
            let ends = self.segments().filter_map(|header| u64_at(header, start)?.checked_add(u64_at(header, length)?));
            ends.max().unwrap_or(0)
        };
        (end(8, 32), end(16, 40))
    }

    /// The program headers with one for a payload, in the place of that of the notes.
    fn headers_with(&self, offset: u64, address: u64, length: u64) -> Result<Vec<u8>, Failure> {
        let headers: Vec<&[u8]> = self.program_headers.chunks(PROGRAM_HEADER).collect();
        let note = headers.iter().position(|header| u32_at(header, 0) == Some(PT_NOTE));
        let last = headers.iter().rposition(|header| u32_at(header, 0) == Some(PT_LOAD));
        let (Some(note), Some(last)) = (note, last) else {
            return Err(foreign("it has no program header to spare"));
        };
        let mut own = Vec::with_capacity(PROGRAM_HEADER);
        own.extend_from_slice(&PT_LOAD.to_le_bytes());
        own.extend_from_slice(&PF_R.to_le_bytes());
        for number in [offset, address, address, length, length, PAGE] {
            own.extend_from_slice(&number.to_le_bytes());
        }
        // Loadable segments stand in the order of their addresses.
        let mut made = Vec::with_capacity(self.program_headers.len());
        for (at, header) in headers.iter().enumerate() {
            if at != note {
                made.extend_from_slice(header);
            }
            if at == last {
                made.extend_from_slice(&own);
            }
        }
        Ok(made)
    }

    /// Names and headers of sections, as they stand at `offset`, and the file's header for them: the section of the locator is that of
    /// the payload now.
    fn tables(&self, offset: u64, payload: (u64, u64, u64)) -> (Vec<u8>, Vec<u8>) {
        let put =
            |header: &mut Vec<u8>, at: usize, number: u64| header[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let number_of = |old: u32| {
            let new = self.sections.iter().position(|(at, _)| *at == old as usize);
            (new.unwrap_or(0) as u32).to_le_bytes()
        };
        let mut tables = self.names.clone();
        tables.resize(tables.len().next_multiple_of(8), 0);
        let headers_at = offset + tables.len() as u64;
        for (at, (_, header)) in self.sections.iter().enumerate() {
            let mut header = header.clone();
            let (kind, link, info) = (u32_at(&header, 4), u32_at(&header, 40), u32_at(&header, 44));
            header[40..44].copy_from_slice(&number_of(link.unwrap_or(0)));
            if matches!(kind, Some(SHT_RELA | SHT_REL)) {
                header[44..48].copy_from_slice(&number_of(info.unwrap_or(0)));
            }
            if at == self.own {
                let (offset, address, length) = payload;
                for (at, number) in [(8, SHF_ALLOC), (16, address), (24, offset), (32, length), (48, 16)] {
                    put(&mut header, at, number);
                }
            }
            tables.extend_from_slice(&header);
        }
        let mut names = vec![0; SECTION_HEADER];
        names[..4].copy_from_slice(&self.names_name.to_le_bytes());
        names[4..8].copy_from_slice(&SHT_STRTAB.to_le_bytes());
        for (at, number) in [(24, offset), (32, self.names.len() as u64), (48, 1)] {
            put(&mut names, at, number);
        }
        tables.extend_from_slice(&names);
        let mut header = self.header.clone();
        put(&mut header, 40, headers_at);
        let count = self.sections.len() as u16;
        header[60..62].copy_from_slice(&(count + 1).to_le_bytes());
        header[62..64].copy_from_slice(&count.to_le_bytes());
        (header, tables)
    }
}

/// Writes an executable with a program: under another name first, so that `path` always stands for a whole file. Gives its size.
///
/// # Errors
/// See [`Failure`]; nothing is left behind then, unless the process is killed.
pub fn write(template: &Template, builder: Builder, path: &Path) -> Result<u64, Failure> {
    let payload = builder.finish(&[template.sections[template.own].1.as_slice(), &template.program_headers].concat());
    let length = payload.len() as u64;
    let (image, memory) = template.ends();
    let offset = image.next_multiple_of(PAGE);
    let address = memory.next_multiple_of(PAGE);
    let headers = template.headers_with(offset, address, length)?;
    let tables_at = (offset + length).next_multiple_of(8);
    let (header, tables) = template.tables(tables_at, (offset, address, length));
    let (locator_at, locator_address) = template.locator;
    let mut locator = MARK.to_vec();
    for number in [locator_address, address, length] {
        locator.extend_from_slice(&number.to_le_bytes());
    }
    let headers_at = u64_at(&template.header, 32).unwrap_or(0);
    let beside = beside(path);
    let written = (|| {
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(&beside)?;
        let mut source = &template.file;
        source.seek(SeekFrom::Start(0))?;
        // Between two files the system copies, by reference where the file system can.
        io::copy(&mut source.take(image), &mut out)?;
        for (bytes, at) in [
            (&payload, offset),
            (&tables, tables_at),
            (&headers, headers_at),
            (&locator, locator_at),
            // The file's own header last: until then it is what it is a copy of.
            (&header, 0),
        ] {
            out.write_all_at(bytes, at)?;
        }
        drop(out);
        std::fs::rename(&beside, path)
    })();
    if let Err(error) = written {
        let _ = std::fs::remove_file(&beside);
        return Err(Failure::Output(error));
    }
    Ok(tables_at + tables.len() as u64)
}

fn beside(path: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    path.with_file_name(format!(".bao-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::payload::{Autoload, Module, activate};

    const NAME: &str = "elf::tests::an_executable_finds_its_program";
    const GENERATION: &str = "BAO_STANDALONE_GENERATION";

    /// Makes an executable of this one, which makes another; each looks for what was put into it.
    #[test]
    fn an_executable_finds_its_program() {
        let generation = std::env::var(GENERATION).unwrap_or_default();
        let own = std::env::current_exe().expect("the executable is there");
        match (generation.as_str(), activate()) {
            ("", Ok(None)) => {}
            (number, Ok(Some(program))) => {
                assert_eq!(program.exec_argv(), [number.to_string()]);
                let main = program.module(&program.main_path()).expect("it has a module");
                assert_eq!(
                    (program.text(main), program.code(main)),
                    (Some("text"), Some([number.len() as u8; 99].as_slice()))
                );
                assert_eq!(
                    store::cat(b"/$bunfs/root/file").expect("it has a file").expect("it is whole").as_ref(),
                    b"content"
                );
            }
            (_, Ok(None)) => panic!("there is no program"),
            (_, Err(message)) => panic!("{message}"),
        }
        if generation.len() == 2 {
            return;
        }
        let next = format!("{generation}x");
        let autoload = Autoload { dotenv: true, bunfig: true, tsconfig: true, package_json: true };
        let mut builder = Builder::new(vec![next.clone()], autoload, None);
        let module = Module { name: "main".into(), esm: true, imports: Vec::new() };
        assert!(builder.add_module(module, b"text", Some(&[next.len() as u8; 99]), None));
        assert!(builder.add_file("file", b"content"));
        let path = std::env::temp_dir().join(format!("bao-standalone-{}-{next}", std::process::id()));
        let template = Template::open(&own).unwrap_or_else(|failure| panic!("{failure:?}"));
        let size = write(&template, builder, &path).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(std::fs::metadata(&path).expect("it was written").len(), size);
        let status = Command::new(&path).args([NAME, "--exact"]).env(GENERATION, &next).status();
        std::fs::remove_file(&path).expect("it can be removed");
        assert!(status.expect("it can be run").success(), "generation {next}");
    }

    #[test]
    fn other_files_are_refused() {
        for file in ["/proc/self/cmdline", "/bin/sh", "/nowhere", "/"] {
            assert!(Template::open(Path::new(file)).is_err(), "{file}");
        }
    }
}
