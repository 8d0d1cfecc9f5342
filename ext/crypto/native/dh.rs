//! Diffie-Hellman in its old form and on elliptic curves, with keys as bytes; and prime numbers.

use std::ffi::c_int;
use std::ptr;

use aws_lc_sys as lc;
use engine::{OpError, op};

use crate::asn1;
use crate::aws_lc::{self, Bn, BnCtx, Dh, EcPoint, check, clear_errors, last_error};
use crate::keys::{self, Key};

fn bn_context() -> Result<BnCtx, OpError> {
    // SAFETY: no conditions.
    BnCtx::own(unsafe { lc::BN_CTX_new() })
}

/// The bytes of `base` to the power `exponent` modulo `prime`, with leading zeros.
fn power(base: &Bn, exponent: &Bn, prime: &Bn) -> Result<Vec<u8>, OpError> {
    let context = bn_context()?;
    let (out, reduced) = (Bn::from_bytes(&[])?, Bn::from_bytes(&[])?);
    // SAFETY: live numbers; null has the library make what it needs.
    unsafe {
        check(lc::BN_nnmod(reduced.get(), base.get(), prime.get(), context.get()))?;
        let (a, p, m) = (reduced.get(), exponent.get(), prime.get());
        if lc::BN_is_odd(m) == 1 {
            check(lc::BN_mod_exp_mont_consttime(out.get(), a, p, m, context.get(), ptr::null()))?;
        } else {
            check(lc::BN_mod_exp(out.get(), a, p, m, context.get()))?;
        }
        aws_lc::bn_padded(out.get(), lc::BN_num_bytes(prime.get()) as usize)
    }
}

/// A pair: [private, public]. With a private key its public half.
#[op]
pub(crate) fn dh_generate(prime: &[u8], generator: &[u8], private: &[u8]) -> Result<(Vec<u8>, Vec<u8>), OpError> {
    clear_errors();
    let (prime, generator) = (Bn::from_bytes(prime)?, Bn::from_bytes(generator)?);
    let private = Bn::from_bytes(private)?;
    // SAFETY: live numbers.
    unsafe {
        if lc::BN_is_zero(private.get()) == 1 {
            let bits = lc::BN_num_bits(prime.get()) as c_int - 1;
            check(lc::BN_rand(private.get(), bits.max(1), 0, 0))?;
        }
    }
    let public = power(&generator, &private, &prime)?;
    Ok((private.bytes(), public))
}

/// The shared secret, as long as the prime. Number instead where the other key is wrong: 1 too small, 2 too large.
#[op]
pub(crate) fn dh_compute(prime: &[u8], private: &[u8], other: &[u8]) -> Result<(u32, Vec<u8>), OpError> {
    clear_errors();
    let (prime, private, other) = (Bn::from_bytes(prime)?, Bn::from_bytes(private)?, Bn::from_bytes(other)?);
    // SAFETY: live numbers.
    unsafe {
        if lc::BN_is_zero(other.get()) == 1 || lc::BN_is_one(other.get()) == 1 {
            return Ok((1, Vec::new()));
        }
        let limit = Bn::own(lc::BN_dup(prime.get()))?;
        check(lc::BN_sub_word(limit.get(), 1))?;
        if lc::BN_cmp(other.get(), limit.get()) >= 0 {
            return Ok((2, Vec::new()));
        }
    }
    Ok((0, power(&other, &private, &prime)?))
}

fn group(prime: &[u8], generator: &[u8]) -> Result<Dh, OpError> {
    let (p, g) = (Bn::from_bytes(prime)?, Bn::from_bytes(generator)?);
    // SAFETY: the numbers go over to the object where it takes them.
    unsafe {
        let dh = Dh::own(lc::DH_new())?;
        check(lc::DH_set0_pqg(dh.get(), p.get(), ptr::null_mut(), g.get()))?;
        p.release();
        g.release();
        Ok(dh)
    }
}

/// What is wrong with a prime and a generator: the `DH_…` flags of OpenSSL.
#[op]
pub(crate) fn dh_check(prime: &[u8], generator: &[u8]) -> Result<u32, OpError> {
    clear_errors();
    let dh = group(prime, generator)?;
    let mut flags = 0;
    // SAFETY: a live object.
    let done = unsafe { lc::DH_check(dh.get(), &mut flags) };
    clear_errors();
    Ok(if done == 1 { flags as u32 } else { 1 })
}

fn safe_prime(bits: c_int, generator: c_int) -> Result<Vec<u8>, OpError> {
    clear_errors();
    let (mut prime, none) = (ptr::null(), ptr::null_mut());
    // SAFETY: a live object; its prime is copied.
    unsafe {
        let dh = Dh::own(lc::DH_new())?;
        check(lc::DH_generate_parameters_ex(dh.get(), bits, generator, none))?;
        lc::DH_get0_pqg(dh.get(), &mut prime, ptr::null_mut(), ptr::null_mut());
        Ok(aws_lc::bn_bytes(prime))
    }
}

/// A new safe prime for a generator.
#[op]
pub(crate) fn dh_prime(bits: u32, generator: u32) -> Result<Vec<u8>, OpError> {
    safe_prime(bits as c_int, generator as c_int)
}

/// The prime of RFC 3526 with so many bits; empty if there is none.
#[op]
pub(crate) fn dh_known_prime(bits: u32) -> Vec<u8> {
    // SAFETY: null has the functions make a number.
    let number = unsafe {
        let none = ptr::null_mut();
        match bits {
            1536 => lc::BN_get_rfc3526_prime_1536(none),
            2048 => lc::BN_get_rfc3526_prime_2048(none),
            3072 => lc::BN_get_rfc3526_prime_3072(none),
            4096 => lc::BN_get_rfc3526_prime_4096(none),
            6144 => lc::BN_get_rfc3526_prime_6144(none),
            8192 => lc::BN_get_rfc3526_prime_8192(none),
            _ => return Vec::new(),
        }
    };
    Bn::own(number).map(|number| number.bytes()).unwrap_or_default()
}

/// A pair as a key object: of a prime, or of a new prime with so many bits.
pub(crate) fn generate_key(prime: &[u8], bits: c_int, generator: c_int) -> Result<Key, OpError> {
    let made;
    let mut prime = prime;
    if prime.is_empty() {
        made = safe_prime(bits, generator)?;
        prime = &made;
    }
    let dh = group(prime, &[generator as u8])?;
    // SAFETY: live objects; the key takes a reference of its own.
    unsafe {
        check(lc::DH_generate_key(dh.get()))?;
        let key = Key::own(lc::EVP_PKEY_new())?;
        check(lc::EVP_PKEY_set1_DH(key.get(), dh.get()))?;
        Ok(key)
    }
}

/// A key of the parts of PKCS#8 or SPKI: p and g, then the private or the public number.
pub(crate) fn key_of_der(mut parameters: &[u8], mut key: &[u8], private: bool) -> Option<Key> {
    let mut parameters = asn1::expect(&mut parameters, asn1::SEQUENCE)?;
    let prime = asn1::expect(&mut parameters, asn1::INTEGER)?;
    let generator = asn1::expect(&mut parameters, asn1::INTEGER)?;
    let number = asn1::expect(&mut key, asn1::INTEGER)?;
    let dh = group(prime, generator).ok()?;
    let (p, g) = (Bn::from_bytes(prime).ok()?, Bn::from_bytes(generator).ok()?);
    let own = Bn::from_bytes(number).ok()?;
    let public = if private { Bn::from_bytes(&power(&g, &own, &p).ok()?).ok()? } else { own };
    let secret = if private { Bn::from_bytes(number).ok()?.release() } else { ptr::null_mut() };
    // SAFETY: the numbers go over to the object; the key takes a reference of its own.
    unsafe {
        if lc::DH_set0_key(dh.get(), public.release(), secret) != 1 {
            return None;
        }
        let key = Key::own(lc::EVP_PKEY_new()).ok()?;
        (lc::EVP_PKEY_set1_DH(key.get(), dh.get()) == 1).then_some(key)
    }
}

/// PKCS#8 or SPKI of such a key.
pub(crate) fn der_of_key(key: &Key, private: bool) -> Vec<u8> {
    let (mut p, mut g, mut public, mut secret) = (ptr::null(), ptr::null(), ptr::null(), ptr::null());
    // SAFETY: a live key of that type; the numbers are copied.
    unsafe {
        let dh = lc::EVP_PKEY_get0_DH(key.get());
        lc::DH_get0_pqg(dh, &mut p, ptr::null_mut(), &mut g);
        lc::DH_get0_key(dh, &mut public, &mut secret);
    }
    let integer = |number| asn1::integer(&aws_lc::bn_bytes(number));
    let parameters = asn1::element(asn1::SEQUENCE, &[&integer(p), &integer(g)]);
    if private {
        asn1::pkcs8(asn1::DH, &parameters, &integer(secret))
    } else {
        asn1::spki(asn1::DH, &parameters, &integer(public))
    }
}

/// The names of the curves.
#[op]
pub(crate) fn curve_names() -> Vec<String> {
    // SAFETY: the first call gives the number, the second fills as many.
    unsafe {
        let count = lc::EC_get_builtin_curves(ptr::null_mut(), 0);
        let mut curves: Vec<lc::EC_builtin_curve> = (0..count).map(|_| std::mem::zeroed()).collect();
        lc::EC_get_builtin_curves(curves.as_mut_ptr(), count);
        let mut names: Vec<String> = curves.iter().map(|curve| keys::short_name(curve.nid)).collect();
        names.sort();
        names
    }
}

struct Group {
    key: aws_lc::EcKey,
    group: *const lc::EC_GROUP,
}

fn curve(name: &str) -> Result<Group, OpError> {
    clear_errors();
    let key = keys::ec_key(name)?;
    // SAFETY: a live key, which has a group and outlives it.
    let group = unsafe { lc::EC_KEY_get0_group(key.get()) };
    Ok(Group { key, group })
}

impl Group {
    fn point(&self) -> Result<EcPoint, OpError> {
        // SAFETY: a live group.
        EcPoint::own(unsafe { lc::EC_POINT_new(self.group) })
    }

    fn parse(&self, bytes: &[u8]) -> Result<EcPoint, OpError> {
        let point = self.point()?;
        // SAFETY: live objects, a slice with its length.
        check(unsafe {
            lc::EC_POINT_oct2point(self.group, point.get(), bytes.as_ptr(), bytes.len(), ptr::null_mut())
        })?;
        Ok(point)
    }

    fn bytes(&self, point: *const lc::EC_POINT, form: u32) -> Result<Vec<u8>, OpError> {
        let none = ptr::null_mut();
        let hybrid = form == 6;
        let form = keys::point_form(form);
        // SAFETY: live objects; the first call gives the length.
        unsafe {
            let length = lc::EC_POINT_point2oct(self.group, point, form, ptr::null_mut(), 0, none);
            if length == 0 {
                return Err(last_error());
            }
            let mut out = vec![0; length];
            lc::EC_POINT_point2oct(self.group, point, form, out.as_mut_ptr(), length, none);
            // The hybrid form, which the library does not write, tells by its first byte whether y is odd.
            if hybrid {
                out[0] = 6 | out[length - 1] & 1;
            }
            Ok(out)
        }
    }

    fn public(&self, private: &Bn) -> Result<EcPoint, OpError> {
        let point = self.point()?;
        let none = ptr::null_mut();
        // SAFETY: live objects.
        check(unsafe { lc::EC_POINT_mul(self.group, point.get(), private.get(), ptr::null(), ptr::null(), none) })?;
        Ok(point)
    }
}

/// A pair on a curve: [private, public, uncompressed]. With a private key its public half; without a public half that
/// key is none of the curve, and an empty list comes back.
#[op]
pub(crate) fn ecdh_generate(curve_name: String, private: Vec<u8>) -> Result<Vec<Vec<u8>>, OpError> {
    let curve = curve(&curve_name)?;
    // SAFETY: live objects.
    unsafe {
        if private.is_empty() {
            check(lc::EC_KEY_generate_key(curve.key.get()))?;
            let number = lc::EC_KEY_get0_private_key(curve.key.get());
            let point = curve.bytes(lc::EC_KEY_get0_public_key(curve.key.get()), 4)?;
            return Ok(vec![aws_lc::bn_bytes(number), point]);
        }
        let number = Bn::from_bytes(&private)?;
        let order = lc::EC_GROUP_get0_order(curve.group);
        if lc::BN_is_zero(number.get()) == 1 || lc::BN_cmp(number.get(), order) >= 0 {
            return Ok(Vec::new());
        }
        let point = curve.public(&number)?;
        Ok(vec![number.bytes(), curve.bytes(point.get(), 4)?])
    }
}

/// A point in another form (2 compressed, 4 uncompressed, 6 hybrid); undefined where the bytes are no point.
#[op]
pub(crate) fn ecdh_convert(curve_name: String, point: Vec<u8>, form: u32) -> Result<Option<Vec<u8>>, OpError> {
    let curve = curve(&curve_name)?;
    let Ok(parsed) = curve.parse(&hybrid_to_plain(point)) else {
        clear_errors();
        return Ok(None);
    };
    curve.bytes(parsed.get(), form).map(Some)
}

fn hybrid_to_plain(mut point: Vec<u8>) -> Vec<u8> {
    if let Some(first) = point.first_mut().filter(|first| matches!(**first, 6 | 7)) {
        *first = 4;
    }
    point
}

/// The shared secret of a private key and the bytes of another's point; undefined where they are no point.
#[op]
pub(crate) fn ecdh_compute(curve_name: String, private: Vec<u8>, other: Vec<u8>) -> Result<Option<Vec<u8>>, OpError> {
    let curve = curve(&curve_name)?;
    let Ok(point) = curve.parse(&hybrid_to_plain(other)) else {
        clear_errors();
        return Ok(None);
    };
    let private = Bn::from_bytes(&private)?;
    // SAFETY: live objects, and as much room as a coordinate takes.
    unsafe {
        check(lc::EC_KEY_set_private_key(curve.key.get(), private.get()))?;
        let mut out = vec![0; (lc::EC_GROUP_get_degree(curve.group) as usize).div_ceil(8)];
        let count = lc::ECDH_compute_key(out.as_mut_ptr().cast(), out.len(), point.get(), curve.key.get(), None);
        if count < 0 {
            return Err(last_error());
        }
        out.truncate(count as usize);
        Ok(Some(out))
    }
}

fn prime(bits: u32, safe: bool) -> Result<Vec<u8>, OpError> {
    clear_errors();
    let out = Bn::from_bytes(&[])?;
    let (step, rest) = (ptr::null(), ptr::null());
    // SAFETY: a live number; null for no step, no remainder and no callback.
    check(unsafe {
        lc::BN_generate_prime_ex(out.get(), bits as c_int, c_int::from(safe), step, rest, ptr::null_mut())
    })?;
    aws_lc::bn_padded(out.get(), (bits as usize).div_ceil(8))
}

/// A random prime, whose bytes have leading zeros. Those with a step are searched for in `ext/crypto/primes.ts`.
#[op]
pub(crate) fn prime_sync(bits: u32, safe: bool) -> Result<Vec<u8>, OpError> {
    prime(bits, safe)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn prime_later(bits: u32, safe: bool) -> Result<Vec<u8>, OpError> {
    prime(bits, safe)
}

fn is_prime(number: &[u8], checks: u32) -> Result<bool, OpError> {
    clear_errors();
    let number = Bn::from_bytes(number)?;
    let context = bn_context()?;
    // SAFETY: live objects.
    let result = unsafe { lc::BN_is_prime_ex(number.get(), checks as c_int, context.get(), ptr::null_mut()) };
    clear_errors();
    Ok(result == 1)
}

/// Whether a number is a prime, after so many checks (0: as many as its size asks for).
#[op]
pub(crate) fn check_prime_sync(number: Vec<u8>, checks: u32) -> Result<bool, OpError> {
    is_prime(&number, checks)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn check_prime_later(number: Vec<u8>, checks: u32) -> Result<bool, OpError> {
    is_prime(&number, checks)
}
