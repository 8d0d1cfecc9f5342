//! The ELF file: how a payload gets into an executable, and where it is in the running one.
//!
//! bao has a section `.bun` (Bun's name, by which tools tell such executables) with a [`Locator`], whose numbers are zero. An
//! executable with a program is a copy of it, with the payload behind its bytes, a program header for it in the place of that of the
//! notes, which nobody needs to run, and its address in the locator. The changes are written down in the payload, so that the bao in
//! such an executable can make others.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
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

/// Bytes that a copy has in another form.
struct Change {
    offset: u64,
    bytes: Vec<u8>,
}

/// An executable of bao's to copy.
pub struct Template {
    file: File,
    /// How much of the file is copied, and what is to be as it was before a payload came into it.
    length: u64,
    restored: Vec<Change>,
    program_headers: (u64, Vec<u8>),
    /// Offset and bytes of the header of the section with the locator.
    section: (u64, Vec<u8>),
    /// Offset and address of the locator.
    locator: (u64, u64),
}

fn read_at(file: &File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

impl Template {
    /// Opens an executable and looks whether a program can be put into it.
    ///
    /// # Errors
    /// It cannot be read, or is no bao of this version's form.
    pub fn open(path: &Path) -> Result<Template, Failure> {
        let file = File::open(path)?;
        let foreign = |what: &str| Failure::Foreign(what.to_string());
        let whole = file.metadata()?.len();
        let header = read_at(&file, 0, 64).map_err(|_| foreign("it is no ELF file"))?;
        // 64-bit, little-endian.
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return Err(foreign("it is no ELF file of this kind of machine"));
        }
        let field = |at: usize| u64_at(&header, at).unwrap_or(0);
        let short = |at: usize| usize::from(u16_at(&header, at).unwrap_or(0));
        let (program_at, section_at) = (field(32), field(40));
        if short(54) != PROGRAM_HEADER || short(58) != SECTION_HEADER {
            return Err(foreign("its headers have another form"));
        }
        let programs = read_at(&file, program_at, short(56) * PROGRAM_HEADER)?;
        let sections = read_at(&file, section_at, short(60) * SECTION_HEADER)?;
        let names = sections.chunks(SECTION_HEADER).nth(short(62)).ok_or_else(|| foreign("it has no section names"))?;
        let (names_at, names_size) = (u64_at(names, 24).unwrap_or(0), u64_at(names, 32).unwrap_or(0));
        let names = read_at(&file, names_at, usize::try_from(names_size.min(whole)).unwrap_or(0))?;
        let named = |header: &[u8]| {
            let start = u32_at(header, 0).unwrap_or(0) as usize;
            names.get(start..).is_some_and(|name| name.starts_with(SECTION) && name.get(SECTION.len()) == Some(&0))
        };
        let found = sections.chunks(SECTION_HEADER).enumerate().find(|(_, header)| named(header));
        let (index, section) = found.ok_or_else(|| foreign("it is no executable of bao's"))?;
        let section_offset = section_at + (index * SECTION_HEADER) as u64;
        let place = |header: &[u8]| (u64_at(header, 24).unwrap_or(0), u64_at(header, 16).unwrap_or(0));
        let mut template = Template {
            length: whole,
            restored: Vec::new(),
            program_headers: (program_at, programs),
            section: (section_offset, section.to_vec()),
            locator: place(section),
            file,
        };
        template.take_payload_away()?;
        let (offset, _) = template.locator;
        let locator = read_at(&template.file, offset, LOCATOR_SIZE).unwrap_or_default();
        if !locator.starts_with(&MARK) {
            return Err(foreign("it is no executable of this version of bao"));
        }
        Ok(template)
    }

    /// If there is a payload already: takes the state before it.
    fn take_payload_away(&mut self) -> Result<(), Failure> {
        let (offset, _) = self.locator;
        let head = read_at(&self.file, offset, 16).unwrap_or_default();
        if head.starts_with(&MARK) {
            return Ok(());
        }
        let size = usize::try_from(u64_at(&self.section.1, 32).unwrap_or(0)).unwrap_or(0);
        let broken = || Failure::Foreign("the program that is in it is damaged".to_string());
        let payload = read_at(&self.file, offset, size.min(usize::try_from(self.length).unwrap_or(0)))?;
        let undo = undo_of(&payload).ok_or_else(broken)?;
        let mut rest = undo.get(8..).ok_or_else(broken)?;
        self.length = u64_at(undo, 0).ok_or_else(broken)?;
        while let (Some(offset), Some(length)) = (u64_at(rest, 0), u32_at(rest, 8)) {
            let (bytes, after) =
                rest.get(12..).and_then(|rest| rest.split_at_checked(length as usize)).ok_or_else(broken)?;
            if offset == self.program_headers.0 {
                self.program_headers.1 = bytes.to_vec();
            } else if offset == self.section.0 {
                self.section.1 = bytes.to_vec();
                self.locator = (u64_at(bytes, 24).unwrap_or(0), u64_at(bytes, 16).unwrap_or(0));
            }
            self.restored.push(Change { offset, bytes: bytes.to_vec() });
            rest = after;
        }
        Ok(())
    }

    /// The machine it is for, in ELF's number (62: x86-64, 183: aarch64).
    pub fn machine(&self) -> io::Result<u16> {
        Ok(u16_at(&read_at(&self.file, 18, 2)?, 0).unwrap_or(0))
    }

    /// The program headers with one for a payload at `offset`, and its address.
    fn headers_with(&self, offset: u64, length: u64) -> Result<(Vec<u8>, u64), Failure> {
        let headers: Vec<&[u8]> = self.program_headers.1.chunks(PROGRAM_HEADER).collect();
        let kind = |header: &[u8]| u32_at(header, 0);
        let end = headers
            .iter()
            .filter(|header| kind(header) == Some(PT_LOAD))
            .filter_map(|header| u64_at(header, 16)?.checked_add(u64_at(header, 40)?))
            .max();
        let note = headers.iter().position(|header| kind(header) == Some(PT_NOTE));
        let last = headers.iter().rposition(|header| kind(header) == Some(PT_LOAD));
        let (Some(end), Some(note), Some(last)) = (end, note, last) else {
            return Err(Failure::Foreign("it has no program header to spare".to_string()));
        };
        let address = end.next_multiple_of(PAGE) + offset % PAGE;
        let mut own = Vec::with_capacity(PROGRAM_HEADER);
        own.extend_from_slice(&PT_LOAD.to_le_bytes());
        own.extend_from_slice(&PF_R.to_le_bytes());
        for number in [offset, address, address, length, length, PAGE] {
            own.extend_from_slice(&number.to_le_bytes());
        }
        // Loadable segments stand in the order of their addresses.
        let mut made = Vec::with_capacity(self.program_headers.1.len());
        for (at, header) in headers.iter().enumerate() {
            if at != note {
                made.extend_from_slice(header);
            }
            if at == last {
                made.extend_from_slice(&own);
            }
        }
        Ok((made, address))
    }
}

/// Writes an executable with a program: under another name first, so that `path` always stands for a whole file.
///
/// # Errors
/// See [`Failure`]; nothing is left behind then, unless the process is killed.
pub fn write(template: &Template, builder: Builder, path: &Path) -> Result<u64, Failure> {
    let (section_at, section) = &template.section;
    let (locator_at, locator_address) = template.locator;
    let mut undo = template.length.to_le_bytes().to_vec();
    let zeros = [0u8; 24];
    for (offset, bytes) in [
        (template.program_headers.0, template.program_headers.1.as_slice()),
        (*section_at, section),
        (locator_at + MARK.len() as u64, &zeros),
    ] {
        undo.extend_from_slice(&offset.to_le_bytes());
        undo.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        undo.extend_from_slice(bytes);
    }
    let payload = builder.finish(&undo);
    let offset = template.length.next_multiple_of(PAGE);
    let length = payload.len() as u64;
    let (headers, address) = template.headers_with(offset, length)?;
    let mut section = section.clone();
    // Address, offset and size; the flags are those of data that is mapped and not written.
    section[8..16].copy_from_slice(&2u64.to_le_bytes());
    section[16..24].copy_from_slice(&address.to_le_bytes());
    section[24..32].copy_from_slice(&offset.to_le_bytes());
    section[32..40].copy_from_slice(&length.to_le_bytes());
    section[48..56].copy_from_slice(&16u64.to_le_bytes());
    let mut locator = locator_address.to_le_bytes().to_vec();
    locator.extend_from_slice(&address.to_le_bytes());
    locator.extend_from_slice(&length.to_le_bytes());
    let changes = [
        Change { offset: template.program_headers.0, bytes: headers },
        Change { offset: *section_at, bytes: section },
        Change { offset: locator_at + MARK.len() as u64, bytes: locator },
    ];
    let beside = beside(path);
    let written = (|| {
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(&beside)?;
        let mut source = &template.file;
        source.seek(SeekFrom::Start(0))?;
        // Between two files the system copies, by reference where the file system can.
        io::copy(&mut source.take(template.length), &mut out)?;
        out.seek(SeekFrom::Start(offset))?;
        out.write_all(&payload)?;
        for change in template.restored.iter().chain(&changes) {
            out.write_all_at(&change.bytes, change.offset)?;
        }
        drop(out);
        std::fs::rename(&beside, path)
    })();
    if let Err(error) = written {
        let _ = std::fs::remove_file(&beside);
        return Err(Failure::Output(error));
    }
    Ok(offset + length)
}

fn beside(path: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    path.with_file_name(format!(".bao-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}
