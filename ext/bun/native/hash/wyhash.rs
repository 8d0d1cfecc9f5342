//! Wyhash, final version 4, with the secret of its reference implementation
//! (<https://github.com/wangyi-fudan/wyhash>): what `Bun.hash` is.

use super::{folded_multiply, read_u32, read_u64};

const SECRET: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The hash of `input`.
pub(super) fn hash(input: &[u8], seed: u64) -> u64 {
    let len = input.len();
    let mut state = seed ^ folded_multiply(seed ^ SECRET[0], SECRET[1]);
    let (mut a, mut b);
    if len <= 16 {
        if len >= 4 {
            let quarter = (len >> 3) << 2;
            a = u64::from(read_u32(input, 0)) << 32 | u64::from(read_u32(input, quarter));
            b = u64::from(read_u32(input, len - 4)) << 32 | u64::from(read_u32(input, len - 4 - quarter));
        } else if len > 0 {
            a = u64::from(input[0]) << 16 | u64::from(input[len >> 1]) << 8 | u64::from(input[len - 1]);
            b = 0;
        } else {
            (a, b) = (0, 0);
        }
    } else {
        let mut at = 0;
        if len >= 48 {
            let mut lanes = [state; 3];
            // The last block is left to what follows, also if it is a whole one.
            let whole = (len - 1) / 48;
            for block in input.as_chunks::<48>().0.iter().take(whole) {
                for (lane, value) in lanes.iter_mut().enumerate() {
                    let first = read_u64(block, lane * 16);
                    let second = read_u64(block, lane * 16 + 8);
                    *value = folded_multiply(first ^ SECRET[lane + 1], second ^ *value);
                }
            }
            at = whole * 48;
            state = lanes[0] ^ lanes[1] ^ lanes[2];
        }
        while at + 16 < len {
            state = folded_multiply(read_u64(input, at) ^ SECRET[1], read_u64(input, at + 8) ^ state);
            at += 16;
        }
        a = read_u64(input, len - 16);
        b = read_u64(input, len - 8);
    }
    a ^= SECRET[1];
    b ^= state;
    let product = u128::from(a) * u128::from(b);
    folded_multiply(product as u64 ^ SECRET[0] ^ len as u64, (product >> 64) as u64 ^ SECRET[1])
}
