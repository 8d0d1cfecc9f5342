//! The user database.

use std::ffi::CStr;
use std::io;

/// An entry of the user database. Texts are bytes as the database has them.
pub(crate) struct User {
    pub uid: u32,
    pub gid: u32,
    pub name: Vec<u8>,
    pub home: Vec<u8>,
    pub shell: Vec<u8>,
}

/// The entry of the process's effective user; ENOENT if it has none.
pub(crate) fn current() -> io::Result<User> {
    // SAFETY: no preconditions.
    let uid = unsafe { libc::geteuid() };
    let mut size = 2048;
    loop {
        let mut buffer = vec![0u8; size];
        // SAFETY: getpwuid_r fills the entry with pointers into `buffer`, which outlives their use here.
        unsafe {
            let mut entry: libc::passwd = std::mem::zeroed();
            let mut found = std::ptr::null_mut();
            match libc::getpwuid_r(uid, &mut entry, buffer.as_mut_ptr().cast(), size, &mut found) {
                0 if found.is_null() => return Err(io::Error::from_raw_os_error(libc::ENOENT)),
                0 => {
                    return Ok(User {
                        uid: entry.pw_uid,
                        gid: entry.pw_gid,
                        name: bytes(entry.pw_name),
                        home: bytes(entry.pw_dir),
                        shell: bytes(entry.pw_shell),
                    });
                }
                libc::ERANGE => size *= 2,
                libc::EINTR => {}
                error => return Err(io::Error::from_raw_os_error(error)),
            }
        }
    }
}

/// # Safety
/// `text` is null or a terminated string.
unsafe fn bytes(text: *const libc::c_char) -> Vec<u8> {
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: see above.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    #[test]
    fn current_user() {
        let user = super::current().unwrap();
        assert!(user.home.starts_with(b"/"));
        assert!(!user.name.is_empty());
    }
}
