//! Native functions on datagram sockets.

use engine::{Local, OpError, Scope, op};

use crate::addr::Address;
use crate::net::{Net, last_errno};
use crate::ops::{bind, bind_to, open_socket, set_int};
use crate::udp::Udp;

/// A datagram socket of family 4 or 6: its number, or a negative errno.
#[op]
pub(crate) fn udp_open(scope: &mut Scope<'_>, family: i32) -> i32 {
    let family = if family == 6 { libc::AF_INET6 } else { libc::AF_INET };
    match open_socket(family, libc::SOCK_DGRAM) {
        Ok(fd) => Udp::adopt(&Net::of(scope), fd).id as i32,
        Err(errno) => errno,
    }
}

/// Takes over a descriptor: its number, EEXIST where a socket of this thread receives from it, EINVAL for what is no datagram socket.
#[op]
pub(crate) fn udp_adopt(scope: &mut Scope<'_>, fd: i32) -> i32 {
    if Net::of(scope).has_datagram_fd(fd) {
        return -libc::EEXIST;
    }
    let mut kind = 0i32;
    let mut size = size_of::<i32>() as libc::socklen_t;
    // SAFETY: writes one integer and its size.
    let told = unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &raw mut size) };
    if told < 0 && last_errno() == libc::EBADF {
        return -libc::EBADF;
    }
    if told < 0 || kind != libc::SOCK_DGRAM {
        return -libc::EINVAL;
    }
    // SAFETY: plain system calls, which check the number.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags < 0 || libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0 {
            return -last_errno();
        }
    }
    Udp::adopt(&Net::of(scope), fd).id as i32
}

/// Binds: 0 or a negative errno. `flags`: 1 IPv6 only, 2 SO_REUSEPORT, 4 SO_REUSEADDR.
#[op]
pub(crate) fn udp_bind(scope: &mut Scope<'_>, id: u32, address: String, port: u16, flags: u32) -> i32 {
    let Some(udp) = Net::of(scope).udp(id) else { return -libc::EBADF };
    let Some(address) = Address::ip(&address, port) else { return -libc::EINVAL };
    for (bit, level, name) in [
        (bind::REUSE_ADDR, libc::SOL_SOCKET, libc::SO_REUSEADDR),
        (bind::REUSE_PORT, libc::SOL_SOCKET, libc::SO_REUSEPORT),
        (bind::IPV6_ONLY, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY),
    ] {
        if flags & bit != 0 {
            let errno = set_int(udp.fd(), level, name, 1);
            if errno < 0 {
                return errno;
            }
        }
    }
    bind_to(udp.fd(), &address)
}

/// Connects to an address, or with undefined disconnects: 0 or a negative errno.
#[op]
pub(crate) fn udp_connect(scope: &mut Scope<'_>, id: u32, address: Option<String>, port: u16) -> i32 {
    let Some(udp) = Net::of(scope).udp(id) else { return -libc::EBADF };
    let result = match address {
        Some(text) => {
            let Some(address) = Address::ip(&text, port) else { return -libc::EINVAL };
            // SAFETY: a valid address of that length.
            unsafe { libc::connect(udp.fd(), address.as_ptr(), address.len()) }
        }
        None => {
            // SAFETY: a zeroed address of the unspecified family.
            unsafe {
                let none: libc::sockaddr = std::mem::zeroed();
                libc::connect(udp.fd(), &raw const none, size_of::<libc::sockaddr>() as u32)
            }
        }
    };
    if result < 0 { -last_errno() } else { 0 }
}

/// Begins or stops to receive: 0 or a negative errno.
#[op]
pub(crate) fn udp_receive(scope: &mut Scope<'_>, id: u32, on: bool) -> i32 {
    Net::of(scope).udp(id).map_or(-libc::EBADF, |udp| udp.receive(on))
}

/// Sends one datagram made of `chunks` (buffers) to an address (undefined when connected). 0: the kernel has it; 1: the
/// write event will tell; negative: errno.
#[op]
pub(crate) fn udp_send<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    chunks: Local<'s>,
    address: Option<String>,
    port: u16,
) -> Result<i32, OpError> {
    let Some(udp) = Net::of(scope).udp(id) else { return Ok(-libc::EBADF) };
    let to = match address {
        None => None,
        Some(text) => match Address::ip(&text, port) {
            None => return Ok(-libc::EINVAL),
            Some(address) => Some(address),
        },
    };
    let length = scope.array_length(chunks)?;
    let mut bytes = Vec::new();
    for index in 0..length {
        let item = scope.get_index(chunks, index)?;
        let part = scope.bytes(item).ok_or_else(|| {
            OpError::type_error("native function expected an ArrayBuffer or a view").code("ERR_INVALID_ARG_TYPE")
        })?;
        bytes.extend_from_slice(part);
    }
    Ok(match udp.send(&bytes, to.as_ref()) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(errno) => errno,
    })
}

/// Sends datagrams, each of three values in a list: a string (as UTF-8) or a buffer, a port, and an address (undefined when
/// connected), as far as the kernel takes them now: their number, or a negative errno. Where that are not all, the write
/// event tells when there is room.
#[op]
pub(crate) fn udp_send_some<'s>(scope: &mut Scope<'s>, id: u32, list: Local<'s>) -> Result<i32, OpError> {
    let Some(udp) = Net::of(scope).udp(id) else { return Ok(-libc::EBADF) };
    let length = scope.array_length(list)?;
    let mut bytes = Vec::new();
    let mut ends = Vec::with_capacity(length as usize / 3);
    for index in (0..length).step_by(3) {
        let is_address = scope.nested(|scope| -> Result<bool, OpError> {
            let data = scope.get_index(list, index)?;
            let port = scope.get_index(list, index + 1)?;
            let address = scope.get_index(list, index + 2)?;
            if data.is_string() {
                scope.append_utf8(data, &mut bytes)?;
            } else {
                let part = scope.bytes(data).ok_or_else(|| {
                    OpError::type_error("native function expected an ArrayBuffer or a view")
                        .code("ERR_INVALID_ARG_TYPE")
                })?;
                bytes.extend_from_slice(part);
            }
            let to = if address.is_undefined() {
                None
            } else {
                let text = scope.to_string(address)?;
                match Address::ip(&text, port.as_number().unwrap_or(0.0) as u16) {
                    None => return Ok(false),
                    to => to,
                }
            };
            ends.push((bytes.len(), to));
            Ok(true)
        })?;
        if !is_address {
            return Ok(-libc::EINVAL);
        }
    }
    Ok(match udp.send_some(&bytes, &ends) {
        Ok(count) => count as i32,
        Err(errno) => errno,
    })
}

/// `[bytes, datagrams]` that wait for the kernel.
#[op]
pub(crate) fn udp_queued(scope: &mut Scope<'_>, id: u32) -> (usize, usize) {
    Net::of(scope).udp(id).map_or((0, 0), |udp| udp.queued())
}

/// Joins (`join`) or leaves a multicast group, of one source where `source` is given: 0 or a negative errno.
/// `interface`: an address of the interface, undefined for the system's choice.
#[op]
pub(crate) fn udp_membership(
    scope: &mut Scope<'_>,
    id: u32,
    join: bool,
    group: String,
    interface: Option<String>,
    source: Option<String>,
) -> i32 {
    let Some(udp) = Net::of(scope).udp(id) else { return -libc::EBADF };
    let Some(group) = Address::ip(&group, 0) else { return -libc::EINVAL };
    let index = match interface.as_deref().map(interface_index) {
        None => 0,
        Some(Some(index)) => index,
        Some(None) => return -libc::ENODEV,
    };
    let level = if group.family() == libc::AF_INET6 { libc::IPPROTO_IPV6 } else { libc::IPPROTO_IP };
    // The protocol-independent requests of RFC 3678.
    #[repr(C)]
    struct GroupRequest {
        interface: u32,
        group: Address,
    }
    #[repr(C)]
    struct SourceRequest {
        interface: u32,
        group: libc::sockaddr_storage,
        source: libc::sockaddr_storage,
    }
    const MCAST_JOIN_GROUP: i32 = 42;
    const MCAST_LEAVE_GROUP: i32 = 45;
    const MCAST_JOIN_SOURCE_GROUP: i32 = 46;
    const MCAST_LEAVE_SOURCE_GROUP: i32 = 47;
    let result = match source {
        None => {
            let name = if join { MCAST_JOIN_GROUP } else { MCAST_LEAVE_GROUP };
            let request = GroupRequest { interface: index, group };
            let size = size_of::<u64>() + size_of::<libc::sockaddr_storage>();
            // SAFETY: the struct begins with the kernel's group_req.
            unsafe { libc::setsockopt(udp.fd(), level, name, (&raw const request).cast(), size as u32) }
        }
        Some(source) => {
            let Some(source) = Address::ip(&source, 0) else { return -libc::EINVAL };
            let name = if join { MCAST_JOIN_SOURCE_GROUP } else { MCAST_LEAVE_SOURCE_GROUP };
            // SAFETY: addresses are stored in a sockaddr_storage; the struct is the kernel's group_source_req.
            unsafe {
                let request = SourceRequest {
                    interface: index,
                    group: group.as_ptr().cast::<libc::sockaddr_storage>().read(),
                    source: source.as_ptr().cast::<libc::sockaddr_storage>().read(),
                };
                let size = size_of::<SourceRequest>() as u32;
                libc::setsockopt(udp.fd(), level, name, (&raw const request).cast(), size)
            }
        }
    };
    if result < 0 { -last_errno() } else { 0 }
}

/// The interface for multicast, by an address of it (`::%eth0` for IPv6): 0 or a negative errno.
#[op]
pub(crate) fn udp_multicast_interface(scope: &mut Scope<'_>, id: u32, interface: String) -> i32 {
    let Some(udp) = Net::of(scope).udp(id) else { return -libc::EBADF };
    let Some(address) = Address::ip(&interface, 0) else { return -libc::EINVAL };
    if address.family() == libc::AF_INET6 {
        // A zone that there is none of is the system's choice, as in libuv.
        let index = interface_index(&interface).unwrap_or(0);
        return set_int(udp.fd(), libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_IF, index as i32);
    }
    // SAFETY: an IPv4 address, whose address part is what the option takes.
    let result = unsafe {
        let value = (*address.as_ptr().cast::<libc::sockaddr_in>()).sin_addr;
        libc::setsockopt(
            udp.fd(),
            libc::IPPROTO_IP,
            libc::IP_MULTICAST_IF,
            (&raw const value).cast(),
            size_of::<libc::in_addr>() as u32,
        )
    };
    if result < 0 { -last_errno() } else { 0 }
}

/// The number of the interface that has an address; the zone of an IPv6 address names it directly. 0 for "any".
fn interface_index(text: &str) -> Option<u32> {
    if let Some((_, zone)) = text.split_once('%') {
        if let Ok(number) = zone.parse() {
            return Some(number);
        }
        let name = std::ffi::CString::new(zone).ok()?;
        // SAFETY: a NUL-terminated name.
        let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
        return (index != 0).then_some(index);
    }
    let wanted: std::net::IpAddr = text.parse().ok()?;
    if wanted.is_unspecified() {
        return Some(0);
    }
    let mut list = std::ptr::null_mut();
    // SAFETY: the list is read before it is freed; addresses are only read for families whose struct is known.
    unsafe {
        if libc::getifaddrs(&raw mut list) < 0 {
            return None;
        }
        let mut found = None;
        let mut entry = list;
        while !entry.is_null() && found.is_none() {
            let address = (*entry).ifa_addr;
            if !address.is_null() {
                let ip: Option<std::net::IpAddr> = match i32::from((*address).sa_family) {
                    libc::AF_INET => {
                        let value = address.cast::<libc::sockaddr_in>().read_unaligned();
                        Some(std::net::Ipv4Addr::from(value.sin_addr.s_addr.to_ne_bytes()).into())
                    }
                    libc::AF_INET6 => {
                        let value = address.cast::<libc::sockaddr_in6>().read_unaligned();
                        Some(std::net::Ipv6Addr::from(value.sin6_addr.s6_addr).into())
                    }
                    _ => None,
                };
                if ip == Some(wanted) {
                    let index = libc::if_nametoindex((*entry).ifa_name);
                    found = (index != 0).then_some(index);
                }
            }
            entry = (*entry).ifa_next;
        }
        libc::freeifaddrs(list);
        found
    }
}
