//! MurmurHash 2 (32 and 64 bits) and MurmurHash 3 (32 bits) of Austin Appleby's SMHasher.

use super::{read_u32, read_u64};

/// MurmurHash2.
pub(super) fn hash32_v2(input: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = seed ^ input.len() as u32;
    let (words, tail) = input.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !tail.is_empty() {
        for (index, byte) in tail.iter().enumerate() {
            hash ^= u32::from(*byte) << (index * 8);
        }
        hash = hash.wrapping_mul(M);
    }
    hash = (hash ^ hash >> 13).wrapping_mul(M);
    hash ^ hash >> 15
}

/// MurmurHash64A, the 64-bit variant of MurmurHash2.
pub(super) fn hash64_v2(input: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mut hash = seed ^ (input.len() as u64).wrapping_mul(M);
    let whole = input.len() & !7;
    for at in (0..whole).step_by(8) {
        let mut k = read_u64(input, at).wrapping_mul(M);
        k ^= k >> 47;
        hash = (hash ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if whole < input.len() {
        for (index, byte) in input[whole..].iter().enumerate() {
            hash ^= u64::from(*byte) << (index * 8);
        }
        hash = hash.wrapping_mul(M);
    }
    hash = (hash ^ hash >> 47).wrapping_mul(M);
    hash ^ hash >> 47
}

/// MurmurHash3_x86_32.
pub(super) fn hash32_v3(input: &[u8], seed: u32) -> u32 {
    fn scramble(k: u32) -> u32 {
        k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
    }
    let mut hash = seed;
    let whole = input.len() & !3;
    for at in (0..whole).step_by(4) {
        hash ^= scramble(read_u32(input, at));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let mut k = 0;
    for (index, byte) in input[whole..].iter().enumerate() {
        k |= u32::from(*byte) << (index * 8);
    }
    hash ^= scramble(k) ^ input.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}
