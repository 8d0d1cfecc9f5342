//! Hash functions that are not for cryptography: `Bun.hash`.

mod city;
mod murmur;
mod rapidhash;
mod wyhash;

/// The low and the high half of the 128-bit product, folded together.
#[inline(always)]
fn folded_multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn read_u32(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

#[inline(always)]
fn read_u64(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// The numbers by which lib/bun/hash.ts names the functions whose result has 32 bits.
pub fn hash32(function: u8, input: &[u8], seed: u64) -> Option<u32> {
    let seed32 = seed as u32;
    Some(match function {
        0 => {
            // Bun's adler32 takes no seed.
            simd_adler32::adler32(&input)
        }
        1 => {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed32);
            hasher.update(input);
            hasher.finalize()
        }
        2 => city::hash32(input),
        3 => xxhash_rust::xxh32::xxh32(input, seed32),
        4 => murmur::hash32_v2(input, seed32),
        5 => murmur::hash32_v3(input, seed32),
        _ => return None,
    })
}

/// The same for those with 64 bits.
pub fn hash64(function: u8, input: &[u8], seed: u64) -> Option<u64> {
    Some(match function {
        0 => wyhash::hash(input, seed),
        1 => city::hash64(input, seed),
        2 => xxhash_rust::xxh64::xxh64(input, seed),
        // Bun cuts the seed of this one to 32 bits.
        3 => xxhash_rust::xxh3::xxh3_64_with_seed(input, u64::from(seed as u32)),
        4 => murmur::hash64_v2(input, seed),
        5 => rapidhash::hash(input, seed),
        _ => return None,
    })
}
