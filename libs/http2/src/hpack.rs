//! Header compression (RFC 7541): one decoder and one encoder a connection.

use std::collections::VecDeque;

pub use crate::prefix::Malformed;
use crate::prefix::{read_int, read_string, write_int, write_string};

/// Size of an entry beside its text, in bytes (section 4.1).
const OVERHEAD: usize = 32;

const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

struct Entry {
    text: Box<[u8]>,
    name: usize,
    hash: u32,
}

/// The dynamic table; the newest entry is the first.
struct Table {
    entries: VecDeque<Entry>,
    size: usize,
    max: usize,
}

fn hash_of(name: &[u8], value: &[u8]) -> u32 {
    let mut hash = 0x811c_9dc5u32 ^ (name.len() as u32) << 16 ^ value.len() as u32;
    // The last bytes differ most.
    for byte in name.iter().rev().take(8).chain(value.iter().rev().take(24)) {
        hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    hash
}

impl Table {
    fn new(max: usize) -> Table {
        Table { entries: VecDeque::new(), size: 0, max }
    }

    fn set_max(&mut self, max: usize) {
        self.max = max;
        self.evict(0);
    }

    fn evict(&mut self, coming: usize) {
        while self.size + coming > self.max
            && let Some(entry) = self.entries.pop_back()
        {
            self.size -= entry.text.len() + OVERHEAD;
        }
    }

    fn insert(&mut self, name: &[u8], value: &[u8]) {
        let size = name.len() + value.len() + OVERHEAD;
        self.evict(size);
        if size > self.max {
            return;
        }
        let mut text = Vec::with_capacity(name.len() + value.len());
        text.extend_from_slice(name);
        text.extend_from_slice(value);
        self.size += size;
        self.entries.push_front(Entry { text: text.into_boxed_slice(), name: name.len(), hash: hash_of(name, value) });
    }

    fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let entry = self.entries.get(index)?;
        Some(entry.text.split_at(entry.name))
    }
}

/// The receiving half.
pub struct Decoder {
    table: Table,
    /// Largest table size in bytes that the peer may choose.
    limit: usize,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    pub fn new(limit: usize) -> Decoder {
        Decoder { table: Table::new(limit), limit, name: Vec::new(), value: Vec::new() }
    }

    /// Sets the largest table size in bytes that the peer may choose from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        if self.table.max > limit {
            self.table.set_max(limit);
        }
    }

    /// Bytes that the table takes.
    pub fn table_size(&self) -> usize {
        self.table.size
    }

    /// Decodes a whole block. `sink` gets each field: name, value, and whether it must never be indexed.
    pub fn decode(&mut self, input: &[u8], mut sink: impl FnMut(&[u8], &[u8], bool)) -> Result<(), Malformed> {
        let mut at = 0;
        let mut fields = false;
        while at < input.len() {
            let first = input[at];
            if first & 0x80 != 0 {
                let index = read_int(input, &mut at, 7)?;
                let (name, value) = lookup(&self.table, index)?;
                sink(name, value, false);
                fields = true;
                continue;
            }
            if first & 0xe0 == 0x20 {
                let size = read_int(input, &mut at, 5)?;
                // Only before the first field.
                if fields || size > self.limit {
                    return Err(Malformed);
                }
                self.table.set_max(size);
                continue;
            }
            let indexed = first & 0x40 != 0;
            let index = read_int(input, &mut at, if indexed { 6 } else { 4 })?;
            let mut name = std::mem::take(&mut self.name);
            let mut value = std::mem::take(&mut self.value);
            name.clear();
            if index == 0 {
                read_string(input, &mut at, 7, &mut name)?;
            } else {
                name.extend_from_slice(lookup(&self.table, index)?.0);
            }
            read_string(input, &mut at, 7, &mut value)?;
            sink(&name, &value, first & 0xf0 == 0x10);
            if indexed {
                self.table.insert(&name, &value);
            }
            fields = true;
            self.name = name;
            self.value = value;
        }
        Ok(())
    }
}

fn lookup(table: &Table, index: usize) -> Result<(&[u8], &[u8]), Malformed> {
    match index {
        0 => Err(Malformed),
        1..=61 => {
            let (name, value) = STATIC[index - 1];
            Ok((name.as_bytes(), value.as_bytes()))
        }
        _ => table.get(index - 62).ok_or(Malformed),
    }
}

/// The sending half.
pub struct Encoder {
    table: Table,
    /// Largest table size in bytes that this side uses.
    limit: usize,
    /// The table was made smaller, and possibly larger again, since the last block: the peer must be told.
    smallest: Option<usize>,
}

/// First index of a name in the static table, and the index of name and value.
fn find_static(name: &[u8], value: &[u8]) -> (usize, usize) {
    let range = match name.first() {
        Some(b':') => 0..14,
        Some(b'a') => 14..23,
        Some(b'c') => 23..32,
        Some(b'd'..=b'i') => 32..43,
        Some(b'l'..=b'r') => 43..53,
        Some(b's'..=b'w') => 53..61,
        _ => return (0, 0),
    };
    let mut first = 0;
    for index in range {
        let entry = STATIC[index];
        if entry.0.as_bytes() == name {
            if entry.1.as_bytes() == value {
                return (index + 1, index + 1);
            }
            if first == 0 {
                first = index + 1;
            }
        } else if first != 0 {
            break;
        }
    }
    (first, 0)
}

/// Fields whose values seldom repeat; they are not put into the table.
fn is_volatile(name: &[u8]) -> bool {
    matches!(
        name,
        b":path"
            | b"age"
            | b"content-length"
            | b"etag"
            | b"if-modified-since"
            | b"if-none-match"
            | b"location"
            | b"set-cookie"
    )
}

impl Encoder {
    /// `limit`: largest table size in bytes that this side uses.
    pub fn new(limit: usize) -> Encoder {
        let initial = 4096;
        let mut made = Encoder { table: Table::new(initial), limit, smallest: None };
        if limit < initial {
            made.set_peer_limit(initial);
        }
        made
    }

    /// Sets the table size in bytes that the peer allows.
    pub fn set_peer_limit(&mut self, size: usize) {
        let size = size.min(self.limit);
        if size == self.table.max {
            return;
        }
        self.smallest = Some(self.smallest.map_or(size, |smallest| smallest.min(size)));
        self.table.set_max(size);
    }

    /// Bytes that the table takes.
    pub fn table_size(&self) -> usize {
        self.table.size
    }

    /// To be called before the first field of a block.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        if let Some(smallest) = self.smallest.take() {
            if smallest < self.table.max {
                write_int(out, 0x20, 5, smallest);
            }
            write_int(out, 0x20, 5, self.table.max);
        }
    }

    /// Appends one field.
    pub fn field(&mut self, name: &[u8], value: &[u8], sensitive: bool, out: &mut Vec<u8>) {
        let never = sensitive || name == b"authorization" || (name == b"cookie" && value.len() < 20);
        let (mut by_name, exact) = find_static(name, value);
        if exact != 0 && !never {
            write_int(out, 0x80, 7, exact);
            return;
        }
        let hash = hash_of(name, value);
        if !never {
            for (index, entry) in self.table.entries.iter().enumerate() {
                if entry.hash == hash
                    && entry.name == name.len()
                    && entry.text[..entry.name] == *name
                    && entry.text[entry.name..] == *value
                {
                    write_int(out, 0x80, 7, index + 62);
                    return;
                }
            }
        }
        if by_name == 0 {
            let found = self
                .table
                .entries
                .iter()
                .position(|entry| entry.name == name.len() && entry.text[..entry.name] == *name);
            by_name = found.map_or(0, |index| index + 62);
        }
        // A large field would push everything else out.
        let indexed = !never && !is_volatile(name) && name.len() + value.len() + OVERHEAD <= self.table.max * 3 / 4;
        if indexed {
            write_int(out, 0x40, 6, by_name);
        } else {
            write_int(out, if never { 0x10 } else { 0 }, 4, by_name);
        }
        if by_name == 0 {
            write_string(out, 0, 7, name);
        }
        write_string(out, 0, 7, value);
        if indexed {
            self.table.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(decoder: &mut Decoder, input: &[u8]) -> Result<Vec<(String, String, bool)>, Malformed> {
        let mut list = Vec::new();
        decoder.decode(input, |name, value, never| {
            list.push((String::from_utf8_lossy(name).into(), String::from_utf8_lossy(value).into(), never));
        })?;
        Ok(list)
    }

    #[test]
    fn example_c_4() {
        let mut decoder = Decoder::new(4096);
        let first =
            [0x82, 0x86, 0x84, 0x41, 0x8c, 0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff];
        let list = decode(&mut decoder, &first).unwrap();
        assert_eq!(list[3], (":authority".into(), "www.example.com".into(), false));
        assert_eq!(decoder.table_size(), 57);
        let second = [0x82, 0x86, 0x84, 0xbe, 0x58, 0x86, 0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf];
        let list = decode(&mut decoder, &second).unwrap();
        assert_eq!(list[4], ("cache-control".into(), "no-cache".into(), false));
        assert_eq!(decoder.table_size(), 110);
    }

    #[test]
    fn what_is_encoded_comes_back() {
        let mut encoder = Encoder::new(4096);
        let mut decoder = Decoder::new(4096);
        for round in 0..200 {
            let number = round.to_string();
            let fields: [(&[u8], &[u8], bool); 6] = [
                (b":status", b"200", false),
                (b"content-type", b"text/html; charset=utf-8", false),
                (b"x-round", number.as_bytes(), false),
                (b"authorization", b"Bearer 1", false),
                (b"x-secret", b"1", true),
                (b"content-length", number.as_bytes(), false),
            ];
            let mut out = Vec::new();
            encoder.begin(&mut out);
            for (name, value, never) in fields {
                encoder.field(name, value, never, &mut out);
            }
            let list = decode(&mut decoder, &out).unwrap();
            assert_eq!(list.len(), fields.len());
            for (got, (name, value, never)) in list.iter().zip(fields) {
                assert_eq!((got.0.as_bytes(), got.1.as_bytes()), (name, value));
                assert_eq!(got.2, never || name == b"authorization");
            }
            assert_eq!(encoder.table_size(), decoder.table_size());
        }
    }

    #[test]
    fn table_sizes() {
        let mut encoder = Encoder::new(4096);
        let mut decoder = Decoder::new(4096);
        encoder.set_peer_limit(0);
        encoder.set_peer_limit(100);
        let mut out = Vec::new();
        encoder.begin(&mut out);
        encoder.field(b"a", b"b", false, &mut out);
        assert_eq!(out[..3], [0x20, 0x3f, 69]);
        decode(&mut decoder, &out).unwrap();
        // More than was allowed, and in the middle of a block.
        assert_eq!(decode(&mut decoder, &[0x3f, 0xe2, 0x1f]), Err(Malformed));
        assert_eq!(decode(&mut decoder, &[0x82, 0x20]), Err(Malformed));
    }

    #[test]
    fn malformed_blocks() {
        for block in [
            &[0x80][..],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x40, 0x05, 0x61],
            &[0xbe],
            &[0x00],
            &[0x40, 0x81, 0xff],
        ] {
            assert_eq!(decode(&mut Decoder::new(4096), block), Err(Malformed), "{block:?}");
        }
    }
}
