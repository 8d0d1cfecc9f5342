//! Datagrams of QUIC on their way through the kernel: many with one call, those of one size as one (UDP_SEGMENT, UDP_GRO), with the
//! address of this side that the peer knows.

use std::mem::{MaybeUninit, size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::RawFd;

use crate::addr::Address;
use crate::net::last_errno;
use crate::ops::set_int;

/// Messages of one call, and room for each: the most that the kernel joins.
const BATCH: usize = 8;
const ROOM: usize = 64 << 10;
/// Room for what comes beside a message.
const CONTROL: usize = 128;

/// Memory for what comes, one a thread.
pub(crate) struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    pub(crate) fn new() -> Inbox {
        Inbox { bytes: vec![0; BATCH * ROOM] }
    }
}

#[repr(C, align(8))]
struct Control([u8; CONTROL]);

/// Asks the kernel for what [`receive`] wants to know.
pub(crate) fn prepare(fd: RawFd, ipv6: bool) {
    // What an old kernel does not know is done without.
    if ipv6 {
        set_int(fd, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1);
    }
    set_int(fd, libc::IPPROTO_IP, libc::IP_PKTINFO, 1);
    set_int(fd, libc::SOL_UDP, libc::UDP_GRO, 1);
    // A packet that is too large for the path is an answer to a question (RFC 8899).
    set_int(fd, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE);
    if ipv6 {
        set_int(fd, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE);
    }
    for (name, size) in [(libc::SO_RCVBUF, 2 << 20), (libc::SO_SNDBUF, 2 << 20)] {
        set_int(fd, libc::SOL_SOCKET, name, size);
    }
}

/// An address of the kernel's as Rust has it.
pub(crate) fn of_address(address: &Address) -> Option<SocketAddr> {
    let place = address.as_ptr();
    match address.family() {
        libc::AF_INET => {
            // SAFETY: the family says what it holds.
            let value = unsafe { place.cast::<libc::sockaddr_in>().read() };
            let ip = Ipv4Addr::from(value.sin_addr.s_addr.to_ne_bytes());
            Some((ip, u16::from_be(value.sin_port)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: as above.
            let value = unsafe { place.cast::<libc::sockaddr_in6>().read() };
            let ip = Ipv6Addr::from(value.sin6_addr.s6_addr);
            let port = u16::from_be(value.sin6_port);
            Some(std::net::SocketAddrV6::new(ip, port, 0, value.sin6_scope_id).into())
        }
        _ => None,
    }
}

/// The other way round.
pub(crate) fn to_address(address: &SocketAddr) -> Address {
    let text = match address {
        SocketAddr::V6(v6) if v6.scope_id() != 0 => format!("{}%{}", v6.ip(), v6.scope_id()),
        _ => address.ip().to_string(),
    };
    Address::ip(&text, address.port()).unwrap_or_else(Address::empty)
}

/// A message that has come: where from, where to, and the size of the datagrams that it is made of.
pub(crate) struct Arrived<'a> {
    pub from: SocketAddr,
    pub local: Option<IpAddr>,
    pub bytes: &'a [u8],
    pub size: usize,
}

/// Receives what has come: `each` is told of every message. Whether there may be more, or a negative errno.
pub(crate) fn receive(fd: RawFd, inbox: &mut Inbox, mut each: impl FnMut(Arrived<'_>)) -> Result<bool, i32> {
    let mut addresses: [Address; BATCH] = std::array::from_fn(|_| Address::empty());
    let mut controls: [Control; BATCH] = std::array::from_fn(|_| Control([0; CONTROL]));
    // SAFETY: all zeros is a valid value of these plain structs.
    let mut parts: [libc::iovec; BATCH] = unsafe { zeroed() };
    // SAFETY: as above.
    let mut messages: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
    for (index, room) in inbox.bytes.chunks_mut(ROOM).enumerate() {
        parts[index] = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
        let header = &mut messages[index].msg_hdr;
        header.msg_iov = &raw mut parts[index];
        header.msg_iovlen = 1;
        header.msg_name = addresses[index].as_mut_ptr().cast();
        header.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
        header.msg_control = controls[index].0.as_mut_ptr().cast();
        header.msg_controllen = CONTROL as _;
    }
    // SAFETY: headers, addresses and memory outlive the call.
    let count = unsafe {
        libc::recvmmsg(fd, messages.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, std::ptr::null_mut())
    };
    let Ok(count) = usize::try_from(count) else {
        return match last_errno() {
            libc::EAGAIN => Ok(false),
            // An ICMP message about something that was sent: QUIC finds out by itself.
            libc::EINTR | libc::ECONNREFUSED | libc::EHOSTUNREACH | libc::ENETUNREACH | libc::EMSGSIZE => Ok(true),
            errno => Err(-errno),
        };
    };
    for index in 0..count {
        let header = &messages[index].msg_hdr;
        let length = messages[index].msg_len as usize;
        let Some(from) = of_address(&addresses[index]) else { continue };
        let (mut local, mut size) = (None, length);
        // SAFETY: the kernel has filled the memory for these, as far as its length says.
        unsafe {
            let mut entry = libc::CMSG_FIRSTHDR(header);
            while !entry.is_null() {
                let data = libc::CMSG_DATA(entry);
                match ((*entry).cmsg_level, (*entry).cmsg_type) {
                    (libc::SOL_UDP, libc::UDP_GRO) => {
                        size = usize::try_from(data.cast::<i32>().read_unaligned()).unwrap_or(length);
                    }
                    (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                        let info = data.cast::<libc::in_pktinfo>().read_unaligned();
                        local = Some(Ipv4Addr::from(info.ipi_addr.s_addr.to_ne_bytes()).into());
                    }
                    (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                        let info = data.cast::<libc::in6_pktinfo>().read_unaligned();
                        local = Some(Ipv6Addr::from(info.ipi6_addr.s6_addr).into());
                    }
                    _ => {}
                }
                entry = libc::CMSG_NXTHDR(header, entry);
            }
        }
        let bytes = &inbox.bytes[index * ROOM..index * ROOM + length];
        each(Arrived { from, local, bytes, size: size.max(1) });
    }
    Ok(count == BATCH)
}

unsafe fn add<T>(header: &libc::msghdr, entry: *mut libc::cmsghdr, level: i32, kind: i32, value: T) -> usize {
    // SAFETY: the caller has room for an entry behind this one.
    unsafe {
        let _ = header;
        (*entry).cmsg_level = level;
        (*entry).cmsg_type = kind;
        (*entry).cmsg_len = libc::CMSG_LEN(size_of::<T>() as u32) as _;
        libc::CMSG_DATA(entry).cast::<T>().write_unaligned(value);
        libc::CMSG_SPACE(size_of::<T>() as u32) as usize
    }
}

/// Sends bytes as datagrams of `size`, or as one: a negative errno where that cannot be now.
pub(crate) fn send(
    fd: RawFd,
    to: &SocketAddr,
    from: Option<IpAddr>,
    bytes: &[u8],
    size: Option<usize>,
) -> Result<(), i32> {
    let address = to_address(to);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([0; CONTROL]);
    // SAFETY: all zeros is a valid value of this plain struct.
    let mut header: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    header.msg_name = address.as_ptr().cast_mut().cast();
    header.msg_namelen = address.len();
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    let mut used = 0;
    // SAFETY: two entries have room; each is written behind the one before.
    unsafe {
        let start = control.0.as_mut_ptr();
        if let Some(size) = size.filter(|size| *size < bytes.len()) {
            used += add(&header, start.add(used).cast(), libc::SOL_UDP, libc::UDP_SEGMENT, size as u16);
        }
        match from {
            Some(IpAddr::V4(ip)) => {
                let mut info: libc::in_pktinfo = zeroed();
                info.ipi_spec_dst.s_addr = u32::from_ne_bytes(ip.octets());
                used += add(&header, start.add(used).cast(), libc::IPPROTO_IP, libc::IP_PKTINFO, info);
            }
            Some(IpAddr::V6(ip)) => {
                let mut info: libc::in6_pktinfo = zeroed();
                info.ipi6_addr.s6_addr = ip.octets();
                used += add(&header, start.add(used).cast(), libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, info);
            }
            None => {}
        }
        if used > 0 {
            header.msg_control = start.cast();
            header.msg_controllen = used as _;
        }
    }
    loop {
        // SAFETY: the header and what it points to outlive the call.
        if unsafe { libc::sendmsg(fd, &raw const header, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) } >= 0 {
            return Ok(());
        }
        match last_errno() {
            libc::EINTR => {}
            errno => return Err(-errno),
        }
    }
}
