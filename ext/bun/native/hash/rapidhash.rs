//! rapidhash, version 1 (<https://github.com/Nicoshev/rapidhash>).

use super::{folded_multiply, read_u32, read_u64};

const SECRET: [u64; 3] = [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9, 0x4b33_a62e_d433_d4a3];

/// The hash of `input`.
pub(super) fn hash(input: &[u8], seed: u64) -> u64 {
    let len = input.len();
    let mut state = seed ^ folded_multiply(seed ^ SECRET[0], SECRET[1]) ^ len as u64;
    let (mut a, mut b) = (0, 0);
    if len <= 16 {
        if len >= 4 {
            let step = (len & 24) >> (len >> 3);
            let end = len - 4;
            a = u64::from(read_u32(input, 0)) << 32 | u64::from(read_u32(input, end));
            b = u64::from(read_u32(input, step)) << 32 | u64::from(read_u32(input, end - step));
        } else if len > 0 {
            a = u64::from(input[0]) << 56 | u64::from(input[len >> 1]) << 32 | u64::from(input[len - 1]);
        }
    } else {
        let mut at = 0;
        if len > 48 {
            let mut lanes = [state; 3];
            let blocks = input.as_chunks::<48>().0;
            for block in blocks {
                for (lane, value) in lanes.iter_mut().enumerate() {
                    let first = read_u64(block, lane * 16);
                    let second = read_u64(block, lane * 16 + 8);
                    *value = folded_multiply(first ^ SECRET[lane], second ^ *value);
                }
            }
            at = blocks.len() * 48;
            state = lanes[0] ^ lanes[1] ^ lanes[2];
        }
        let rest = len - at;
        if rest > 16 {
            state = folded_multiply(read_u64(input, at) ^ SECRET[2], read_u64(input, at + 8) ^ state ^ SECRET[1]);
            if rest > 32 {
                state = folded_multiply(read_u64(input, at + 16) ^ SECRET[2], read_u64(input, at + 24) ^ state);
            }
        }
        a = read_u64(input, len - 16);
        b = read_u64(input, len - 8);
    }
    a ^= SECRET[1];
    b ^= state;
    let product = u128::from(a) * u128::from(b);
    folded_multiply(product as u64 ^ SECRET[0] ^ len as u64, (product >> 64) as u64 ^ SECRET[1])
}
