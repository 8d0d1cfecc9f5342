//! Hashes that other tools see: `pm hash`, and the order of two lists in bun.lock.

use crate::model::graph::Graph;
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Kind, NO_ID};

/// Wyhash (final version 4.2's predecessor, as Zig's standard library has it) of `bytes` with seed 0.
pub(crate) fn wyhash(bytes: &[u8]) -> u64 {
    const SECRET: [u64; 4] =
        [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let u64_at =
        |at: usize| bytes.get(at..at + 8).map_or(0, |part| u64::from_le_bytes(part.try_into().unwrap_or([0; 8])));
    let u32_at = |at: usize| {
        bytes.get(at..at + 4).map_or(0, |part| u64::from(u32::from_le_bytes(part.try_into().unwrap_or([0; 4]))))
    };
    let length = bytes.len();
    let seed = mix(SECRET[0], SECRET[1]);
    let mut state = [seed; 3];
    let (a, b);
    if length <= 16 {
        if length >= 4 {
            let end = length - 4;
            let quarter = (length >> 3) << 2;
            a = u32_at(0) << 32 | u32_at(quarter);
            b = u32_at(end) << 32 | u32_at(end - quarter);
        } else if length > 0 {
            a = u64::from(bytes[0]) << 16 | u64::from(bytes[length >> 1]) << 8 | u64::from(bytes[length - 1]);
            b = 0;
        } else {
            (a, b) = (0, 0);
        }
    } else {
        let mut at = 0;
        if length >= 48 {
            while at + 48 < length {
                for lane in 0..3 {
                    let (x, y) = (u64_at(at + 16 * lane), u64_at(at + 16 * lane + 8));
                    state[lane] = mix(x ^ SECRET[lane + 1], y ^ state[lane]);
                }
                at += 48;
            }
            state[0] ^= state[1] ^ state[2];
        }
        while at + 16 < length {
            state[0] = mix(u64_at(at) ^ SECRET[1], u64_at(at + 8) ^ state[0]);
            at += 16;
        }
        a = u64_at(length - 16);
        b = u64_at(length - 8);
    }
    let a = a ^ SECRET[1];
    let b = b ^ state[0];
    let product = u128::from(a) * u128::from(b);
    mix(product as u64 ^ SECRET[0] ^ length as u64, (product >> 64) as u64 ^ SECRET[1])
}

/// Wyhash as Zig's standard library had it up to 0.11, with seed 0: Bun's hash of a set of peers.
pub(crate) fn wyhash11(bytes: &[u8]) -> u64 {
    const PRIMES: [u64; 5] = [
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
        0x5899_65cc_7537_4cc3,
        0x1d8e_4e27_c47d_124f,
    ];
    let mum = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let low = |a: u64, b: u64, seed: u64| mum(a ^ seed ^ PRIMES[0], b ^ seed ^ PRIMES[1]);
    let high = |a: u64, b: u64, seed: u64| mum(a ^ seed ^ PRIMES[2], b ^ seed ^ PRIMES[3]);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    // Up to eight bytes: the first four, two or one of them in the high part.
    let piece = |bytes: &[u8]| match bytes.len() {
        0..=2 | 4 => number(bytes),
        3 => number(&bytes[..2]) << 8 | number(&bytes[2..]),
        5 => number(&bytes[..4]) << 8 | number(&bytes[4..]),
        6 => number(&bytes[..4]) << 16 | number(&bytes[4..]),
        7 => number(&bytes[..4]) << 24 | number(&bytes[4..6]) << 8 | number(&bytes[6..]),
        _ => number(&bytes[..4]) << 32 | number(&bytes[4..8]),
    };
    let mut seed = 0;
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        let at = |from: usize| number(&chunk[from..from + 8]);
        seed = low(at(0), at(8), seed) ^ high(at(16), at(24), seed);
    }
    let rest = chunks.remainder();
    seed = match rest.len() {
        0 => seed,
        1..=8 => low(piece(rest), PRIMES[4], seed),
        9..=16 => low(piece(&rest[..8]), piece(&rest[8..]), seed),
        17..=24 => low(piece(&rest[..8]), piece(&rest[8..16]), seed) ^ high(piece(&rest[16..]), PRIMES[4], seed),
        _ => low(piece(&rest[..8]), piece(&rest[8..16]), seed) ^ high(piece(&rest[16..24]), piece(&rest[24..]), seed),
    };
    mum(seed ^ bytes.len() as u64, PRIMES[4])
}

/// The hash of a name by which Bun's tables are keyed.
pub(super) fn name_hash(name: &str) -> u64 {
    wyhash(name.as_bytes())
}

/// The order in which a hash table with linear probing lists its entries: Bun writes two lists of bun.lock in that order.
pub(super) fn written_order<T>(entries: Vec<(u64, T)>, reserved: usize) -> Vec<T> {
    let count = entries.len().max(reserved);
    if count == 0 {
        return Vec::new();
    }
    let mut capacity = (count * 100 / 80 + 1).next_power_of_two().max(8);
    if count * 100 / 80 >= capacity {
        capacity *= 2;
    }
    let mut slots: Vec<Option<T>> = (0..capacity).map(|_| None).collect();
    for (key, value) in entries {
        let mut at = wyhash(&key.to_le_bytes()) as usize & (capacity - 1);
        while slots[at].is_some() {
            at = (at + 1) & (capacity - 1);
        }
        slots[at] = Some(value);
    }
    slots.into_iter().flatten().collect()
}

/// The text over which `pm hash` is computed (`pm hash-string` prints it).
pub(crate) fn meta_string(graph: &Graph, tree: &Tree) -> String {
    let mut seen = vec![false; graph.len()];
    let mut lines = Vec::new();
    for directory in &tree.directories {
        for &dep in &directory.placed {
            let package = graph.deps.target[dep as usize];
            if package == NO_ID || seen[package as usize] || package == 0 {
                continue;
            }
            seen[package as usize] = true;
            let label = match graph.kind(package) {
                Kind::Folder => format!("{}@{}", graph.name(package), graph.value(package)),
                _ => graph.label(package),
            };
            lines.push((graph.name(package).to_owned(), label));
        }
    }
    lines.sort();
    let mut out = "\n-- BEGIN SHA512/256(`${alphabetize(name)}@${order(version)}`) --\n".to_owned();
    for (_, line) in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str("-- END HASH--\n");
    out
}

/// SHA-512/256 of [`meta_string`], 32 bytes.
pub(super) fn meta_digest(graph: &Graph, tree: &Tree) -> Vec<u8> {
    use aws_lc_rs::digest;
    digest::digest(&digest::SHA512_256, meta_string(graph, tree).as_bytes()).as_ref().to_vec()
}

/// `pm hash`: SHA-512/256 of [`meta_string`], as four groups of 16 digits.
pub(crate) fn meta_hash(graph: &Graph, tree: &Tree) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(70);
    for (at, byte) in meta_digest(graph, tree).iter().enumerate() {
        if at > 0 && at % 8 == 0 {
            out.push('-');
        }
        // Groups alternate between upper and lower case.
        let _ = if at / 8 % 2 == 0 { write!(out, "{byte:02X}") } else { write!(out, "{byte:02x}") };
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_hash_as_in_lockfiles_that_bun_wrote() {
        assert_eq!(super::wyhash11(b"dep"), 0x6a7d_ef9a_e4e9_ddb6);
    }

    #[test]
    fn peers_hash_as_in_directories_that_bun_made() {
        assert_eq!(super::wyhash11(b"b1.0.0"), 0xb850_5949_8c8c_4b42);
        assert_eq!(super::wyhash11(b"b2.0.0"), 0x61d8_5de4_86c4_1a65);
        assert_eq!(super::wyhash11(b"b1.0.0c2.0.0"), 0x6f3e_9739_c27e_7a90);
    }
}
