//! What an addon can ask of the program that it runs in.

use std::ffi::{CStr, c_char};

use runtime_core::versions::NODE_VERSION;

use crate::env::{Env, NEWEST_VERSION, basic, out};
use crate::status::Status;

/// `napi_node_version`
#[repr(C)]
pub struct NodeVersion {
    major: u32,
    minor: u32,
    patch: u32,
    release: *const c_char,
}

// SAFETY: a text that never changes.
unsafe impl Sync for NodeVersion {}

const RELEASE: &CStr = c"node";

const fn part(index: usize) -> u32 {
    let bytes = NODE_VERSION.as_bytes();
    let (mut at, mut found, mut number) = (0, 0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'.' {
            found += 1;
        } else if found == index && byte.is_ascii_digit() {
            number = number * 10 + (byte - b'0') as u32;
        }
        at += 1;
    }
    number
}

static VERSION: NodeVersion = NodeVersion { major: part(0), minor: part(1), patch: part(2), release: RELEASE.as_ptr() };

/// The newest version of the interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_version(env: *const Env, result: *mut u32) -> Status {
    basic(env, |_| {
        out(result)?.write(NEWEST_VERSION as u32);
        Ok(())
    })
}

/// The version of Node that bao is compatible with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_node_version(env: *const Env, result: *mut *const NodeVersion) -> Status {
    basic(env, |_| {
        out(result)?.write(&raw const VERSION);
        Ok(())
    })
}

/// The `file:` URL of the addon.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_get_module_file_name(env: *const Env, result: *mut *const c_char) -> Status {
    basic(env, |env| {
        out(result)?.write(env.url.as_ptr());
        Ok(())
    })
}
