//! Sockets between processes that pass descriptors along with bytes (SCM_RIGHTS of unix(7)).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

/// Most descriptors taken from one read; a sender of ours passes one with a message.
const MAX_DESCRIPTORS: usize = 64;

/// Room for the control data, aligned as its headers need.
#[repr(C, align(8))]
struct Control([MaybeUninit<u8>; 512]);

/// One read into the spare room of `buffer`, which grows by up to `room` bytes; descriptors that come along are added
/// to `descriptors` and belong to the caller. `Ok(0)` is the end.
pub(crate) fn receive(fd: RawFd, buffer: &mut Vec<u8>, room: usize, descriptors: &mut Vec<i32>) -> io::Result<usize> {
    buffer.reserve(room);
    let spare = buffer.spare_capacity_mut();
    let mut piece = libc::iovec { iov_base: spare.as_mut_ptr().cast(), iov_len: spare.len() };
    let mut control = Control([MaybeUninit::uninit(); 512]);
    // SAFETY: the message points to spare capacity and to control data of the lengths given, all alive during the call;
    // the kernel writes valid headers, which the CMSG functions walk.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE((MAX_DESCRIPTORS * size_of::<i32>()) as u32) as usize;
        let count = loop {
            let count = libc::recvmsg(fd, &raw mut message, libc::MSG_CMSG_CLOEXEC);
            if count >= 0 {
                break count as usize;
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        };
        buffer.set_len(buffer.len() + count);
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let data = libc::CMSG_DATA(header).cast::<i32>();
                let bytes = (*header).cmsg_len - libc::CMSG_LEN(0) as usize;
                for index in 0..bytes / size_of::<i32>() {
                    descriptors.push(data.add(index).read_unaligned());
                }
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        Ok(count)
    }
}

/// One write of `bytes`, as much as fits, with a descriptor that the other side gets a copy of.
pub(crate) fn send(fd: RawFd, bytes: &[u8], descriptor: RawFd) -> io::Result<usize> {
    let mut piece = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([MaybeUninit::zeroed(); 512]);
    // SAFETY: as in `receive`; the one header written lies within the control data.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<i32>() as u32) as usize;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<i32>() as u32) as usize;
        libc::CMSG_DATA(header).cast::<i32>().write_unaligned(descriptor);
        loop {
            let count = libc::sendmsg(fd, &raw const message, libc::MSG_NOSIGNAL);
            if count >= 0 {
                return Ok(count as usize);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::net::UnixStream;

    #[test]
    fn descriptors_arrive_with_their_bytes() {
        let (here, there) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        assert_eq!(send(here.as_raw_fd(), b"take this", writer.as_raw_fd()).unwrap(), 9);
        drop((here, writer));
        let (mut bytes, mut descriptors) = (Vec::new(), Vec::new());
        assert_eq!(receive(there.as_raw_fd(), &mut bytes, 100, &mut descriptors).unwrap(), 9);
        assert_eq!((bytes.as_slice(), descriptors.len()), (&b"take this"[..], 1));
        // SAFETY: the descriptor that was just received.
        let mut passed = unsafe { std::fs::File::from_raw_fd(descriptors[0]) };
        passed.write_all(b"through").unwrap();
        drop(passed);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
        assert_eq!(receive(there.as_raw_fd(), &mut bytes, 100, &mut descriptors).unwrap(), 0);
    }
}
