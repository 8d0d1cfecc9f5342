//! The system's resolver: getaddrinfo and getnameinfo, which may wait and therefore run on the pool.

use std::ffi::{CStr, CString};
use std::ptr;

use engine::op;

use crate::addr::Address;

/// libuv's number for an error of the resolver.
fn uv_code(code: i32) -> i32 {
    match code {
        libc::EAI_AGAIN => -3001,
        libc::EAI_BADFLAGS => -3002,
        libc::EAI_FAIL => -3004,
        libc::EAI_FAMILY => -3005,
        libc::EAI_MEMORY => -3006,
        libc::EAI_NODATA => -3007,
        libc::EAI_NONAME => -3008,
        libc::EAI_OVERFLOW => -3009,
        libc::EAI_SERVICE => -3010,
        libc::EAI_SOCKTYPE => -3011,
        // EAI_ADDRFAMILY: the name has no addresses of the family asked for.
        -9 => -3000,
        libc::EAI_SYSTEM => -crate::net::last_errno(),
        _ => -3008,
    }
}

/// Addresses of `host`. `family`: 0, 4 or 6; `hints`: AI_* flags. `callback(error, [code, addresses])`: code 0 or one
/// of libuv's (-3008 for ENOTFOUND).
#[op(blocking)]
pub(crate) fn get_addr_info(host: String, family: i32, hints: i32) -> (i32, Vec<String>) {
    addresses(host, family, hints)
}

/// The same on the calling thread, for functions that give a socket at once.
#[op]
pub(crate) fn get_addr_info_now(host: String, family: i32, hints: i32) -> (i32, Vec<String>) {
    addresses(host, family, hints)
}

fn addresses(host: String, family: i32, hints: i32) -> (i32, Vec<String>) {
    let Ok(name) = CString::new(host) else { return (-3008, Vec::new()) };
    // SAFETY: all zeros is a valid value of this plain struct.
    let mut wanted: libc::addrinfo = unsafe { std::mem::zeroed() };
    wanted.ai_socktype = libc::SOCK_STREAM;
    wanted.ai_flags = hints;
    wanted.ai_family = match family {
        4 => libc::AF_INET,
        6 => libc::AF_INET6,
        _ => libc::AF_UNSPEC,
    };
    let mut list = ptr::null_mut();
    // SAFETY: a NUL-terminated name, valid hints, an out pointer.
    let code = unsafe { libc::getaddrinfo(name.as_ptr(), ptr::null(), &raw const wanted, &raw mut list) };
    if code != 0 {
        return (uv_code(code), Vec::new());
    }
    let mut found = Vec::new();
    let mut entry = list;
    while !entry.is_null() {
        // SAFETY: an entry of the list, whose address has the length it says; freed below.
        unsafe {
            let mut address = Address::empty();
            let length = (*entry).ai_addrlen;
            ptr::copy_nonoverlapping((*entry).ai_addr.cast::<u8>(), address.as_mut_ptr().cast::<u8>(), length as usize);
            *address.len_mut() = length;
            found.push(address.parts().0);
            entry = (*entry).ai_next;
        }
    }
    // SAFETY: the list from above, once.
    unsafe { libc::freeaddrinfo(list) };
    (0, found)
}

/// Name and service of an address. `callback(error, [code, host, service])`.
#[op(blocking)]
pub(crate) fn get_name_info(address: String, port: u16) -> (i32, String, String) {
    let Some(address) = Address::ip(&address, port) else { return (-libc::EINVAL, String::new(), String::new()) };
    let mut host = [0 as libc::c_char; 1025];
    let mut service = [0 as libc::c_char; 32];
    // SAFETY: a valid address and room for the longest names, which come NUL-terminated.
    unsafe {
        let code = libc::getnameinfo(
            address.as_ptr(),
            address.len(),
            host.as_mut_ptr(),
            host.len() as u32,
            service.as_mut_ptr(),
            service.len() as u32,
            libc::NI_NAMEREQD,
        );
        if code != 0 {
            return (uv_code(code), String::new(), String::new());
        }
        let text = |buffer: &[libc::c_char]| CStr::from_ptr(buffer.as_ptr()).to_string_lossy().into_owned();
        (0, text(&host), text(&service))
    }
}
