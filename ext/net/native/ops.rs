//! Native functions on sockets and message parsers. Numbers name resources; failures that Node reports as numbers are
//! returned as negative errnos.

use std::os::fd::RawFd;
use std::rc::Rc;

use engine::{GcKind, Global, Local, OpError, Scope, op, ts_constants};

use crate::addr::Address;
use crate::listener::Listener;
use crate::net::{Net, Resource, last_errno};
use crate::stream::{Stream, Written};

pub(crate) fn bad_chunk() -> OpError {
    OpError::type_error("native function expected an ArrayBuffer or a view").code("ERR_INVALID_ARG_TYPE")
}

/// Stores the functions that are told of events, in the order of `net::Callback`.
#[op]
pub(crate) fn set_callbacks<'s>(scope: &mut Scope<'s>, functions: Local<'s>) -> Result<(), OpError> {
    let net = Net::of(scope);
    let length = scope.array_length(functions)?;
    let mut list: Vec<Global> = Vec::new();
    for index in 0..length {
        let function = scope.get_index(functions, index)?;
        list.push(scope.global(function));
    }
    net.set_callbacks(list)
}

/// A new socket: non-blocking, closed on exec.
pub(crate) fn open_socket(family: i32, kind: i32) -> Result<RawFd, i32> {
    // SAFETY: a plain system call.
    let fd = unsafe { libc::socket(family, kind | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) };
    if fd < 0 { Err(-last_errno()) } else { Ok(fd) }
}

/// Sets an integer option: 0 or a negative errno.
pub(crate) fn set_int(fd: RawFd, level: i32, name: i32, value: i32) -> i32 {
    let size = size_of::<i32>() as libc::socklen_t;
    // SAFETY: reads one integer.
    if unsafe { libc::setsockopt(fd, level, name, (&raw const value).cast(), size) } < 0 { -last_errno() } else { 0 }
}

/// Binds `fd`: 0 or a negative errno.
pub(crate) fn bind_to(fd: RawFd, address: &Address) -> i32 {
    // SAFETY: a valid address of that length.
    if unsafe { libc::bind(fd, address.as_ptr(), address.len()) } < 0 { -last_errno() } else { 0 }
}

fn close_fd(fd: RawFd) {
    // SAFETY: made by the caller and not yet given to anybody.
    unsafe { libc::close(fd) };
}

fn connected(net: &Rc<Net>, address: &Address, local: Option<&Address>) -> i32 {
    let fd = match open_socket(address.family(), libc::SOCK_STREAM) {
        Ok(fd) => fd,
        Err(errno) => return errno,
    };
    if let Some(local) = local {
        set_int(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1);
        let errno = bind_to(fd, local);
        if errno < 0 {
            close_fd(fd);
            return errno;
        }
    }
    let stream = Stream::adopt(net, fd, true);
    let errno = stream.connect(address);
    if errno < 0 {
        // Nobody knows its number yet.
        stream.close();
        return errno;
    }
    stream.id as i32
}

/// Begins a TCP connection to an IP address: a socket's number, or a negative errno. `local`: an address to bind to
/// before, with `local_port`.
#[op]
pub(crate) fn connect_tcp(
    scope: &mut Scope<'_>,
    address: String,
    port: u16,
    local: Option<String>,
    local_port: u16,
) -> i32 {
    let net = Net::of(scope);
    let Some(remote) = Address::ip(&address, port) else { return -libc::EINVAL };
    match local {
        None => connected(&net, &remote, None),
        Some(local) => match Address::ip(&local, local_port) {
            None => -libc::EINVAL,
            Some(local) => connected(&net, &remote, Some(&local)),
        },
    }
}

/// Begins a connection to a unix socket (with a leading NUL: of the abstract namespace).
#[op]
pub(crate) fn connect_unix(scope: &mut Scope<'_>, path: String) -> i32 {
    let net = Net::of(scope);
    match Address::unix(path.as_bytes()) {
        None => -libc::EINVAL,
        Some(address) => connected(&net, &address, None),
    }
}

/// Flags of a socket that is bound.
#[ts_constants]
pub(crate) mod bind {
    pub(crate) const IPV6_ONLY: u32 = 1;
    pub(crate) const REUSE_PORT: u32 = 2;
    /// Of UDP; for others it is always set.
    pub(crate) const REUSE_ADDR: u32 = 4;
}

fn bound(net: &Rc<Net>, address: &Address, flags: u32) -> i32 {
    let fd = match open_socket(address.family(), libc::SOCK_STREAM) {
        Ok(fd) => fd,
        Err(errno) => return errno,
    };
    let mut errno = 0;
    if address.family() != libc::AF_UNIX {
        errno = set_int(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1);
        if errno == 0 && flags & bind::REUSE_PORT != 0 {
            errno = set_int(fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1);
        }
        if errno == 0 && address.family() == libc::AF_INET6 {
            errno = set_int(fd, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, i32::from(flags & bind::IPV6_ONLY != 0));
        }
    }
    if errno == 0 {
        errno = bind_to(fd, address);
    }
    if errno < 0 {
        close_fd(fd);
        return errno;
    }
    Listener::adopt(net, fd).id as i32
}

/// Binds a TCP socket for listening: a listener's number, or a negative errno. `flags`: 1 IPv6 only, 2 SO_REUSEPORT.
#[op]
pub(crate) fn bind_tcp(scope: &mut Scope<'_>, address: String, port: u16, flags: u32) -> i32 {
    let net = Net::of(scope);
    Address::ip(&address, port).map_or(-libc::EINVAL, |address| bound(&net, &address, flags))
}

/// Binds a unix socket for listening.
#[op]
pub(crate) fn bind_unix(scope: &mut Scope<'_>, path: String) -> i32 {
    let net = Net::of(scope);
    Address::unix(path.as_bytes()).map_or(-libc::EINVAL, |address| bound(&net, &address, 0))
}

fn set_nonblocking(fd: RawFd) -> i32 {
    // SAFETY: plain system calls, which check the number.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags < 0 || libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0 { -last_errno() } else { 0 }
    }
}

/// Takes over a descriptor as a listener.
#[op]
pub(crate) fn open_listener(scope: &mut Scope<'_>, fd: i32) -> i32 {
    match set_nonblocking(fd) {
        0 => Listener::adopt(&Net::of(scope), fd).id as i32,
        errno => errno,
    }
}

/// Takes over a descriptor as a connection.
#[op]
pub(crate) fn open_stream(scope: &mut Scope<'_>, fd: i32) -> i32 {
    let errno = set_nonblocking(fd);
    if errno < 0 {
        return errno;
    }
    let mut kind = 0i32;
    let mut size = size_of::<i32>() as libc::socklen_t;
    // SAFETY: writes one integer and its size.
    let socket =
        unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &raw mut size) == 0 };
    Stream::adopt(&Net::of(scope), fd, socket).id as i32
}

/// Begins to listen: 0 or a negative errno. From now on the heap is kept small: a server runs for long, and its garbage is what
/// short requests leave.
#[op]
pub(crate) fn listen(scope: &mut Scope<'_>, listener: u32, backlog: i32) -> i32 {
    scope.stay_small();
    Net::of(scope).listener(listener).map_or(-libc::EBADF, |listener| listener.listen(backlog))
}

/// The heap is kept small as by [`listen`]: connections will come from another process, which listens, or large bodies will pass
/// through, and what they leave is collected early.
#[op]
pub(crate) fn keep_heap_small(scope: &mut Scope<'_>) {
    scope.stay_small();
}

/// Bytes of the heap up to which a collection takes less time than a large body took.
const SMALL_HEAP: u64 = 8 << 20;

/// Large bodies have passed through: what is left of them is collected now if the heap is small. Else it would count when the collector
/// decides how much garbage there may be, and that of the next bodies would come on top. With `are_all` no more will come, and the
/// system gets the memory back.
#[op]
pub(crate) fn forget_bodies(scope: &mut Scope<'_>, are_all: bool) {
    if scope.heap_sizes().used < SMALL_HEAP {
        if are_all {
            scope.give_memory_back();
        } else {
            scope.gc(GcKind::Full);
        }
    }
}

/// Code and constants of the executable that this process has used so far no longer count as its memory. What is used again comes from
/// the system's cache.
#[op]
pub(crate) fn forget_executable() {
    crate::executable::forget_pages();
}

fn fd_of(net: &Net, id: u32) -> RawFd {
    match net.get(id) {
        Some(Resource::Stream(stream)) => stream.fd(),
        Some(Resource::Listener(listener)) => listener.fd(),
        Some(Resource::Udp(udp)) => udp.fd(),
        Some(Resource::H3Endpoint(endpoint)) => endpoint.fd(),
        _ => -1,
    }
}

/// The descriptor of a socket, -1 when closed.
#[op]
pub(crate) fn socket_fd(scope: &mut Scope<'_>, id: u32) -> i32 {
    fd_of(&Net::of(scope), id)
}

/// `[address, port, family]` of this side (`peer` false) or the other, or a negative errno.
#[op]
pub(crate) fn socket_address(scope: &mut Scope<'_>, id: u32, peer: bool) -> (i32, Option<(String, u16, u8)>) {
    let fd = fd_of(&Net::of(scope), id);
    let mut address = Address::empty();
    // SAFETY: room for any address.
    let result = unsafe {
        if peer {
            libc::getpeername(fd, address.as_mut_ptr(), address.len_mut())
        } else {
            libc::getsockname(fd, address.as_mut_ptr(), address.len_mut())
        }
    };
    if result < 0 { (-last_errno(), None) } else { (0, Some(address.parts())) }
}

/// Sets an integer socket option: 0 or a negative errno.
#[op]
pub(crate) fn set_option(scope: &mut Scope<'_>, id: u32, level: i32, name: i32, value: i32) -> i32 {
    set_int(fd_of(&Net::of(scope), id), level, name, value)
}

/// An integer socket option, or a negative errno.
#[op]
pub(crate) fn get_option(scope: &mut Scope<'_>, id: u32, level: i32, name: i32) -> i32 {
    let fd = fd_of(&Net::of(scope), id);
    let mut value = 0i32;
    let mut size = size_of::<i32>() as libc::socklen_t;
    // SAFETY: writes one integer.
    let result = unsafe { libc::getsockopt(fd, level, name, (&raw mut value).cast(), &raw mut size) };
    if result < 0 { -last_errno() } else { value }
}

/// TCP keep-alive; `delay`: seconds of silence before the first probe, 0 for the system's. 0 or a negative errno.
#[op]
pub(crate) fn set_keep_alive(scope: &mut Scope<'_>, id: u32, on: bool, delay: i32) -> i32 {
    let fd = fd_of(&Net::of(scope), id);
    let errno = set_int(fd, libc::SOL_SOCKET, libc::SO_KEEPALIVE, i32::from(on));
    if errno < 0 || !on || delay <= 0 {
        return errno;
    }
    for (name, value) in [(libc::TCP_KEEPIDLE, delay), (libc::TCP_KEEPINTVL, 1), (libc::TCP_KEEPCNT, 10)] {
        let errno = set_int(fd, libc::IPPROTO_TCP, name, value);
        if errno < 0 {
            return errno;
        }
    }
    0
}

/// Begins to read: 0 or a negative errno.
#[op]
pub(crate) fn read_start(scope: &mut Scope<'_>, id: u32) -> i32 {
    Net::of(scope).stream(id).map_or(-libc::EBADF, |stream| stream.read_start())
}

/// Stops reading.
#[op]
pub(crate) fn read_stop(scope: &mut Scope<'_>, id: u32) {
    if let Some(stream) = Net::of(scope).stream(id) {
        stream.read_stop();
    }
}

/// What ops that write give back, unless it is a negative errno.
#[ts_constants]
mod written {
    /// The kernel has everything.
    pub(super) const ALL: i32 = 0;
    /// The write event tells when it has.
    pub(super) const LATER: i32 = 1;
}

pub(crate) fn written(result: Written) -> i32 {
    match result {
        Written::All => written::ALL,
        Written::Later => written::LATER,
        Written::Failed(errno) => errno,
    }
}

/// How the characters of a string become bytes.
#[ts_constants]
mod encoding {
    pub(super) const UTF8: u32 = 0;
    pub(super) const LATIN1: u32 = 1;
}

/// Appends a string (`encoding`: 1 for Latin-1, else UTF-8) or the bytes of a buffer.
fn append<'s>(scope: &mut Scope<'s>, chunk: Local<'s>, encoding: u32, out: &mut Vec<u8>) -> Result<(), OpError> {
    if chunk.is_string() {
        let appended =
            if encoding == encoding::LATIN1 { scope.append_latin1(chunk, out) } else { scope.append_utf8(chunk, out) };
        return Ok(appended?);
    }
    out.extend_from_slice(scope.bytes(chunk).ok_or_else(bad_chunk)?);
    Ok(())
}

/// Buffers of at least this size are not copied to stand beside other chunks.
pub(crate) const LARGE: usize = 32 << 10;

/// Writes two chunks (undefined for none), each a string or a buffer, with the encodings of strings (1 for Latin-1,
/// else UTF-8): a head and a body, in one system call. 0: the kernel has it; 1: the write event will tell; negative:
/// errno.
#[op]
pub(crate) fn write<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    first: Local<'s>,
    first_encoding: u32,
    second: Local<'s>,
    second_encoding: u32,
) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok(-libc::EBADF) };
    if second.is_undefined() && !first.is_string() {
        return Ok(written(stream.write(scope.bytes(first).ok_or_else(bad_chunk)?)));
    }
    let mut out = net.out.take();
    out.clear();
    let mut result = append(scope, first, first_encoding, &mut out);
    let large = if second.is_string() { None } else { scope.bytes(second).filter(|bytes| bytes.len() >= LARGE) };
    if let (Some(bytes), Ok(())) = (large, &result) {
        let outcome = written(stream.write_both(&out, bytes));
        *net.out.borrow_mut() = out;
        return Ok(outcome);
    }
    if matches!(result, Ok(())) && !second.is_undefined() {
        result = append(scope, second, second_encoding, &mut out);
    }
    let outcome = result.map(|()| written(stream.write(&out)));
    if out.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = out;
    }
    outcome
}

/// Writes what the kernel takes now of a string (as UTF-8) or a buffer and keeps nothing else: the number of bytes, or a
/// negative errno. Where that are not all, the write event tells when there is room.
#[op]
pub(crate) fn write_some<'s>(scope: &mut Scope<'s>, id: u32, data: Local<'s>) -> Result<f64, OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok(f64::from(-libc::EBADF)) };
    let outcome = if data.is_string() {
        let mut out = net.out.take();
        out.clear();
        let result = scope.append_utf8(data, &mut out);
        let outcome = result.map(|()| stream.write_some(&out));
        if out.capacity() <= 1 << 20 {
            *net.out.borrow_mut() = out;
        }
        outcome?
    } else {
        stream.write_some(scope.bytes(data).ok_or_else(bad_chunk)?)
    };
    Ok(match outcome {
        Ok(count) => count as f64,
        Err(errno) => f64::from(errno),
    })
}

/// Ends the reading side: 0 or a negative errno.
#[op]
pub(crate) fn shutdown_read(scope: &mut Scope<'_>, id: u32) -> i32 {
    Net::of(scope).stream(id).map_or(-libc::EBADF, |stream| stream.shut_down_reading())
}

/// Writes many chunks: `[chunk, encoding, chunk, encoding, …]`; see [`write`].
#[op]
pub(crate) fn write_many<'s>(scope: &mut Scope<'s>, id: u32, chunks: Local<'s>) -> Result<i32, OpError> {
    let net = Net::of(scope);
    let Some(stream) = net.stream(id) else { return Ok(-libc::EBADF) };
    let mut out = net.out.take();
    out.clear();
    let length = scope.array_length(chunks)?;
    let mut outcome = Written::All;
    for index in (0..length).step_by(2) {
        scope.nested(|scope| {
            let chunk = scope.get_index(chunks, index)?;
            let encoding = scope.get_index(chunks, index + 1)?.as_number().unwrap_or(0.0) as u32;
            if !chunk.is_string() {
                let bytes = scope.bytes(chunk).ok_or_else(bad_chunk)?;
                if bytes.len() >= LARGE {
                    if !out.is_empty() {
                        outcome = stream.write(&out);
                        out.clear();
                    }
                    if !matches!(outcome, Written::Failed(_)) {
                        outcome = stream.write(bytes);
                    }
                    return Ok(());
                }
            }
            append(scope, chunk, encoding, &mut out)
        })?;
        if let Written::Failed(errno) = outcome {
            return Ok(errno);
        }
    }
    if !out.is_empty() {
        outcome = stream.write(&out);
    }
    if out.capacity() <= 1 << 20 {
        *net.out.borrow_mut() = out;
    }
    Ok(written(outcome))
}

/// Bytes that wait for the kernel.
#[op]
pub(crate) fn queued(scope: &mut Scope<'_>, id: u32) -> usize {
    Net::of(scope).stream(id).map_or(0, |stream| stream.queued())
}

/// Ends the writing side: 0 done, 1 after what is queued (the write event tells), or a negative errno.
#[op]
pub(crate) fn shutdown(scope: &mut Scope<'_>, id: u32) -> i32 {
    match Net::of(scope).stream(id).map(|stream| stream.shut_down()) {
        None => -libc::EBADF,
        Some(Ok(done)) => i32::from(!done),
        Some(Err(errno)) => errno,
    }
}

/// Closes a socket or listener; the close event tells when the number is free. `reset`: with RST instead of FIN.
#[op]
pub(crate) fn close(scope: &mut Scope<'_>, id: u32, reset: bool) -> i32 {
    let net = Net::of(scope);
    match net.get(id) {
        Some(Resource::Stream(stream)) => {
            let mut errno = 0;
            if reset {
                let linger = libc::linger { l_onoff: 1, l_linger: 0 };
                let size = size_of::<libc::linger>() as libc::socklen_t;
                // SAFETY: reads one struct.
                let result = unsafe {
                    libc::setsockopt(stream.fd(), libc::SOL_SOCKET, libc::SO_LINGER, (&raw const linger).cast(), size)
                };
                if result < 0 {
                    errno = -last_errno();
                }
            }
            stream.close();
            errno
        }
        Some(Resource::Listener(listener)) => {
            listener.close();
            0
        }
        Some(Resource::Udp(udp)) => {
            udp.close();
            0
        }
        _ => -libc::EBADF,
    }
}

/// Whether the loop waits for a socket.
#[op]
pub(crate) fn set_ref(scope: &mut Scope<'_>, id: u32, on: bool) {
    match Net::of(scope).get(id) {
        Some(Resource::Stream(stream)) => stream.set_ref(on),
        Some(Resource::Listener(listener)) => listener.set_ref(on),
        Some(Resource::Udp(udp)) => udp.set_ref(on),
        Some(Resource::H3Endpoint(endpoint)) => endpoint.set_ref(on),
        _ => {}
    }
}

/// See [`set_ref`].
#[op]
pub(crate) fn has_ref(scope: &mut Scope<'_>, id: u32) -> bool {
    match Net::of(scope).get(id) {
        Some(Resource::Stream(stream)) => stream.has_ref(),
        Some(Resource::Listener(listener)) => listener.has_ref(),
        Some(Resource::Udp(udp)) => udp.has_ref(),
        _ => false,
    }
}

/// `[bytes read, bytes written]`, of what the kernel took.
#[op]
pub(crate) fn byte_counts(scope: &mut Scope<'_>, id: u32) -> (f64, f64) {
    let stream = Net::of(scope).stream(id);
    stream.map_or((0.0, 0.0), |stream| (stream.bytes_read.get() as f64, stream.bytes_written.get() as f64))
}

/// `[bytes read, bytes written]` by the program: of plaintext if the connection speaks TLS, and with what is still queued.
#[op]
pub(crate) fn program_bytes(scope: &mut Scope<'_>, id: u32) -> (f64, f64) {
    let counts = Net::of(scope).stream(id).map_or((0, 0), |stream| stream.program_bytes());
    (counts.0 as f64, counts.1 as f64)
}

/// Has what is written to a socket wait until that is switched off: 0, 1 where the write event will tell, negative errno.
#[op]
pub(crate) fn cork(scope: &mut Scope<'_>, id: u32, on: bool) -> i32 {
    Net::of(scope).stream(id).map_or(-libc::EBADF, |stream| stream.set_cork(on))
}
