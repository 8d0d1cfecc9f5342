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

/// The numbers by which ext/crypto/bun/hash.ts names the functions whose result has 32 bits.
pub(crate) fn hash32(function: u8, input: &[u8], seed: u64) -> Option<u32> {
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
pub(crate) fn hash64(function: u8, input: &[u8], seed: u64) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_bun() {
        // Recorded from Bun 1.4.5; tests/bun/hash.js has a large table.
        let bytes = |text: &str| text.as_bytes().to_vec();
        assert_eq!(hash64(0, &bytes("a"), 0), Some(2_941_419_223_392_617_777));
        assert_eq!(hash64(0, &[], 0), Some(290_873_116_282_709_081));
        assert_eq!(hash64(1, &[], 1), Some(17_653_970_817_089_864_660));
        assert_eq!(hash64(5, &[], 0), Some(10_602_188_539_874_428_322));
        assert_eq!(hash32(0, &bytes("a"), 0), Some(6_422_626));
        assert_eq!(hash32(1, &bytes("a"), 0), Some(3_904_355_907));
        assert_eq!(hash32(2, &[], 5), Some(3_696_677_242));
        assert_eq!(hash32(9, &[], 0), None);
    }
}
