//! Headers of a tar archive: POSIX ustar, with a pax extended header before names that do not fit.
//! <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html>

const BLOCK: usize = 512;
/// Archives are padded to records of this size, as tar has it.
pub const RECORD: usize = 20 * BLOCK;
/// The largest number in a field of eleven octal digits.
const MAX_OCTAL_SIZE: u64 = (1 << 33) - 1;

/// Zeros that follow the content of a file.
pub fn padding(size: u64) -> usize {
    (BLOCK - (size % BLOCK as u64) as usize) % BLOCK
}

/// What stands before the content of a file: its header, and an extended header (an entry called `extended`) where that cannot say
/// everything. `modified` is in seconds since 1970.
pub fn file_header(name: &str, size: u64, mode: u32, modified: u64, extended: &str, out: &mut Vec<u8>) {
    let split = split_name(name.as_bytes()).filter(|_| name.is_ascii());
    if split.is_none() || size > MAX_OCTAL_SIZE {
        let mut records = Vec::new();
        record("path", name, &mut records);
        if size > MAX_OCTAL_SIZE {
            record("size", &size.to_string(), &mut records);
        }
        block(b"", extended.as_bytes(), records.len() as u64, 0o644, modified, b'x', out);
        let rest = padding(records.len() as u64);
        out.extend_from_slice(&records);
        out.resize(out.len() + rest, 0);
    }
    // For readers that know no records.
    let (prefix, short) = split.unwrap_or_else(|| (b"", &name.as_bytes()[..name.floor_char_boundary(100)]));
    block(prefix, short, size.min(MAX_OCTAL_SIZE), mode, modified, b'0', out);
}

/// Prefix and name of the fields, if the name fits: at a slash, with at most 155 and 100 bytes.
fn split_name(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= 100 {
        return Some((b"", name));
    }
    let at = (name.len().saturating_sub(101)..name.len().min(156)).find(|&at| name[at] == b'/')?;
    let (prefix, rest) = (&name[..at], &name[at + 1..]);
    (!prefix.is_empty() && !rest.is_empty() && rest.len() <= 100).then_some((prefix, rest))
}

/// `<length> <key>=<value>\n`, where the length counts itself.
fn record(key: &str, value: &str, out: &mut Vec<u8>) {
    let bare = key.len() + value.len() + 3;
    let mut length = bare + 1;
    while length != bare + length.to_string().len() {
        length = bare + length.to_string().len();
    }
    out.extend_from_slice(format!("{length} {key}={value}\n").as_bytes());
}

fn block(prefix: &[u8], name: &[u8], size: u64, mode: u32, modified: u64, kind: u8, out: &mut Vec<u8>) {
    let mut header = [0; BLOCK];
    header[..name.len()].copy_from_slice(name);
    header[100..108].copy_from_slice(format!("{:06o} \0", mode & 0o7777).as_bytes());
    header[108..116].copy_from_slice(b"000000 \0");
    header[116..124].copy_from_slice(b"000000 \0");
    header[124..136].copy_from_slice(format!("{size:011o} ").as_bytes());
    header[136..148].copy_from_slice(format!("{:011o} ", modified.min(MAX_OCTAL_SIZE)).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[329..337].copy_from_slice(b"000000 \0");
    header[337..345].copy_from_slice(b"000000 \0");
    header[345..345 + prefix.len()].copy_from_slice(prefix);
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&header);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Limits, Parser, Sink};

    #[derive(Default)]
    struct Names(Vec<(Vec<u8>, u64, u32, f64)>, u32, f64);

    impl Sink for Names {
        type Error = Error;
        fn attributes(&mut self, mode: u32, modified: f64) {
            (self.1, self.2) = (mode, modified);
        }
        fn file(&mut self, path: &[u8], mode: u32, size: u64) -> Result<(), Error> {
            assert_eq!(mode, self.1);
            self.0.push((path.to_vec(), size, mode, self.2));
            Ok(())
        }
        fn data(&mut self, _bytes: &[u8]) -> Result<(), Error> {
            Ok(())
        }
    }

    #[test]
    fn every_name_is_read_as_it_was_written() {
        let names = [
            "a".to_owned(),
            "é☃/x".to_owned(),
            "n".repeat(100),
            "n".repeat(101),
            "n".repeat(300),
            format!("{}x", format!("{}/", "d".repeat(60)).repeat(3)),
            format!("{}x", "d/".repeat(400)),
            format!("/{}", "m".repeat(120)),
            format!("{}/{}", "p".repeat(155), "q".repeat(100)),
            format!("{}/{}", "p".repeat(156), "q".repeat(100)),
            "ü".repeat(99),
        ];
        let mut archive = Vec::new();
        for name in &names {
            file_header(name, 3, 0o640, 1_600_000_000, "PaxHeader/path", &mut archive);
            archive.extend_from_slice(b"abc");
            archive.resize(archive.len() + padding(3), 0);
        }
        archive.resize(archive.len() + 1024, 0);
        let mut sink = Names::default();
        let mut parser = Parser::new(Limits::for_tarball(archive.len()));
        parser.feed(&archive, &mut sink).unwrap();
        parser.finish().unwrap();
        let wanted: Vec<_> = names.iter().map(|name| (name.clone().into_bytes(), 3, 0o640, 1.6e9)).collect();
        assert_eq!(sink.0, wanted);
    }
}
