//! CityHash 1.1 of Google (<https://github.com/google/cityhash>), 32 and 64 bits.

use super::{read_u32, read_u64};

const C1: u32 = 0xcc9e_2d51;
const C2: u32 = 0x1b87_3593;

fn final_mix32(mut h: u32) -> u32 {
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

fn spread32(a: u32) -> u32 {
    a.wrapping_mul(C1).rotate_right(17).wrapping_mul(C2)
}

fn step32(h: u32, rotation: u32) -> u32 {
    h.rotate_right(rotation).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

fn murmur32(a: u32, h: u32) -> u32 {
    step32(h ^ spread32(a), 19)
}

/// CityHash32.
pub(super) fn hash32(s: &[u8]) -> u32 {
    let len = s.len();
    let n = len as u32;
    match len {
        0..=4 => {
            let (mut b, mut c) = (0u32, 9u32);
            for &byte in s {
                b = b.wrapping_mul(C1).wrapping_add(i32::from(byte as i8) as u32);
                c ^= b;
            }
            final_mix32(murmur32(b, murmur32(n, c)))
        }
        5..=12 => {
            let a = n.wrapping_add(read_u32(s, 0));
            let d = n.wrapping_mul(5);
            let b = d.wrapping_add(read_u32(s, len - 4));
            let c = 9u32.wrapping_add(read_u32(s, (len >> 1) & 4));
            final_mix32(murmur32(c, murmur32(b, murmur32(a, d))))
        }
        13..=24 => {
            let places = [(len >> 1) - 4, 4, len - 8, len >> 1, 0, len - 4];
            final_mix32(places.iter().fold(n, |h, &at| murmur32(read_u32(s, at), h)))
        }
        _ => long32(s),
    }
}

fn long32(s: &[u8]) -> u32 {
    let len = s.len();
    let mut h = len as u32;
    let mut g = C1.wrapping_mul(h);
    let mut f = g;
    let end = |back: usize| spread32(read_u32(s, len - back));
    h = step32(h ^ end(4), 19);
    h = step32(h ^ end(16), 19);
    g = step32(g ^ end(8), 19);
    g = step32(g ^ end(12), 19);
    f = step32(f.wrapping_add(end(20)), 19);
    for at in (0..(len - 1) / 20).map(|round| round * 20) {
        let a0 = spread32(read_u32(s, at));
        let a1 = read_u32(s, at + 4);
        let a2 = spread32(read_u32(s, at + 8));
        let a3 = spread32(read_u32(s, at + 12));
        let a4 = read_u32(s, at + 16);
        h = step32(h ^ a0, 18);
        f = f.wrapping_add(a1).rotate_right(19).wrapping_mul(C1);
        g = step32(g.wrapping_add(a2), 18);
        h = step32(h ^ a3.wrapping_add(a1), 19);
        g = (g ^ a4).swap_bytes().wrapping_mul(5);
        h = h.wrapping_add(a4.wrapping_mul(5)).swap_bytes();
        f = f.wrapping_add(a0);
        (f, h, g) = (g, f, h);
    }
    g = g.rotate_right(11).wrapping_mul(C1).rotate_right(17).wrapping_mul(C1);
    f = f.rotate_right(11).wrapping_mul(C1).rotate_right(17).wrapping_mul(C1);
    h = step32(h.wrapping_add(g), 19).rotate_right(17).wrapping_mul(C1);
    step32(h.wrapping_add(f), 19).rotate_right(17).wrapping_mul(C1)
}

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

fn shift_mix(v: u64) -> u64 {
    v ^ v >> 47
}

fn mix16(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

fn mix128(u: u64, v: u64) -> u64 {
    mix16(u, v, 0x9ddf_ea08_eb38_2d69)
}

fn upto16(s: &[u8]) -> u64 {
    let len = s.len();
    let n = len as u64;
    let mul = K2.wrapping_add(n * 2);
    if len >= 8 {
        let a = read_u64(s, 0).wrapping_add(K2);
        let b = read_u64(s, len - 8);
        let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
        let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
        return mix16(c, d, mul);
    }
    if len >= 4 {
        let a = u64::from(read_u32(s, 0));
        return mix16(n.wrapping_add(a << 3), u64::from(read_u32(s, len - 4)), mul);
    }
    if len > 0 {
        let y = u64::from(s[0]) + (u64::from(s[len >> 1]) << 8);
        let z = n + (u64::from(s[len - 1]) << 2);
        return shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2);
    }
    K2
}

fn upto32(s: &[u8]) -> u64 {
    let len = s.len();
    let mul = K2.wrapping_add(len as u64 * 2);
    let a = read_u64(s, 0).wrapping_mul(K1);
    let b = read_u64(s, 8);
    let c = read_u64(s, len - 8).wrapping_mul(mul);
    let d = read_u64(s, len - 16).wrapping_mul(K2);
    mix16(
        a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d),
        a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c),
        mul,
    )
}

fn upto64(s: &[u8]) -> u64 {
    let len = s.len();
    let mul = K2.wrapping_add(len as u64 * 2);
    let a = read_u64(s, 0).wrapping_mul(K2);
    let b = read_u64(s, 8);
    let c = read_u64(s, len - 24);
    let d = read_u64(s, len - 32);
    let e = read_u64(s, 16).wrapping_mul(K2);
    let f = read_u64(s, 24).wrapping_mul(9);
    let g = read_u64(s, len - 8);
    let h = read_u64(s, len - 16).wrapping_mul(mul);
    let u = a.wrapping_add(g).rotate_right(43).wrapping_add(b.rotate_right(30).wrapping_add(c).wrapping_mul(9));
    let v = (a.wrapping_add(g) ^ d).wrapping_add(f).wrapping_add(1);
    let w = u.wrapping_add(v).wrapping_mul(mul).swap_bytes().wrapping_add(h);
    let x = e.wrapping_add(f).rotate_right(42).wrapping_add(c);
    let y = v.wrapping_add(w).wrapping_mul(mul).swap_bytes().wrapping_add(g).wrapping_mul(mul);
    let z = e.wrapping_add(f).wrapping_add(c);
    let a = x.wrapping_add(z).wrapping_mul(mul).wrapping_add(y).swap_bytes().wrapping_add(b);
    let b = shift_mix(z.wrapping_add(a).wrapping_mul(mul).wrapping_add(d).wrapping_add(h)).wrapping_mul(mul);
    b.wrapping_add(x)
}

fn weak32(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|offset| read_u64(s, at + offset));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

fn long64(s: &[u8]) -> u64 {
    let len = s.len();
    let n = len as u64;
    let mut x = read_u64(s, len - 40);
    let mut y = read_u64(s, len - 16).wrapping_add(read_u64(s, len - 56));
    let mut z = mix128(read_u64(s, len - 48).wrapping_add(n), read_u64(s, len - 24));
    let mut v = weak32(s, len - 64, n, z);
    let mut w = weak32(s, len - 32, y.wrapping_add(K1), x);
    x = x.wrapping_mul(K1).wrapping_add(read_u64(s, 0));
    for at in (0..(len - 1) & !63).step_by(64) {
        x = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(read_u64(s, at + 8)).rotate_right(37).wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(read_u64(s, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(read_u64(s, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak32(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak32(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(read_u64(s, at + 16)));
        (z, x) = (x, z);
    }
    mix128(
        mix128(v.0, w.0).wrapping_add(shift_mix(y).wrapping_mul(K1)).wrapping_add(z),
        mix128(v.1, w.1).wrapping_add(x),
    )
}

/// CityHash64WithSeed.
pub(super) fn hash64(s: &[u8], seed: u64) -> u64 {
    let hash = match s.len() {
        0..=16 => upto16(s),
        17..=32 => upto32(s),
        33..=64 => upto64(s),
        _ => long64(s),
    };
    mix128(hash.wrapping_sub(K2), seed)
}
