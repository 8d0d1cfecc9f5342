//! Message ports: pairs of queues between threads (or within one), the native half of MessagePort and BroadcastChannel.
//!
//! A port is a resource that can travel in a message. Its end holds what was posted to it; once its owner has started it, every
//! message wakes the owner's loop, which takes them one after the other with microtasks drained in between. A port that is dropped,
//! whether closed, collected or lost with its thread, tells the other one.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use engine::{
    CloneBuffer, CloneError, Exc, Global, JsResult, Local, Resource, Scope, Serialized, Transferred, op, ops,
};
use runtime_core::event_loop::{Arrival, Inbox, Mailbox};
use runtime_core::host::Transfers;
use runtime_core::{RuntimeState, builtins, errors, turns};

/// One end of a channel, in a resource object or on its way to one.
pub(crate) struct Port {
    own: Arc<End>,
    peer: Weak<End>,
}

/// What is posted to a port.
pub(crate) struct End {
    id: u32,
    state: Mutex<EndState>,
}

#[derive(Default)]
struct EndState {
    messages: VecDeque<Message>,
    /// The loop of the thread that has started the port.
    owner: Option<Inbox>,
    /// The owner's loop knows that something is here.
    woken: bool,
    /// The other port is gone.
    closed: bool,
    /// The messages come from several senders, to several receivers, and all of them see them in one order: each is an arrival of its own.
    is_broadcast: bool,
    /// The owner only wants to know when the other port goes; messages wait for it to start the port.
    watched: bool,
}

enum Message {
    Own(CloneBuffer),
    /// Of a broadcast: read by several threads, one after the other.
    Shared(Arc<Mutex<CloneBuffer>>),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl End {
    fn new() -> Arc<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Arc::new(End { id: NEXT.fetch_add(1, Ordering::Relaxed), state: Mutex::default() })
    }

    fn push(self: &Arc<Self>, message: Message) {
        let mut state = lock(&self.state);
        state.messages.push_back(message);
        if state.is_broadcast {
            state.woken = false;
        }
        self.wake(&mut state);
    }

    fn wake(self: &Arc<Self>, state: &mut EndState) {
        if let Some(owner) = &state.owner
            && !state.woken
            && (!state.watched || state.closed)
        {
            state.woken = true;
            owner.send(Arrival::Messages(self.clone()));
        }
    }
}

impl Port {
    /// Two ports that are each other's end.
    pub(crate) fn pair() -> (Port, Port) {
        let (one, two) = (End::new(), End::new());
        (Port { own: one.clone(), peer: Arc::downgrade(&two) }, Port { own: two, peer: Arc::downgrade(&one) })
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        lock(&self.own.state).owner = None;
        if let Some(peer) = self.peer.upgrade() {
            let mut state = lock(&peer.state);
            state.closed = true;
            peer.wake(&mut state);
        }
    }
}

thread_local! {
    /// Messages of ends that were dropped while others are being dropped.
    static DROPPED: RefCell<Option<Vec<VecDeque<Message>>>> = const { RefCell::new(None) };
}

impl Drop for End {
    /// A message may hold a port whose messages hold a port, and so on: they are dropped one after the other, not one inside of the
    /// other, which has no bound on the stack.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut messages = std::mem::take(&mut state.messages);
        if messages.is_empty() {
            return;
        }
        let is_first = DROPPED.try_with(|dropped| match &mut *dropped.borrow_mut() {
            Some(list) => {
                list.push(std::mem::take(&mut messages));
                false
            }
            none => {
                *none = Some(Vec::new());
                true
            }
        });
        drop(messages);
        while is_first == Ok(true) {
            // Taken out first: dropping it adds to the list.
            let next = DROPPED.try_with(|dropped| dropped.borrow_mut().as_mut().and_then(Vec::pop));
            match next {
                Ok(Some(messages)) => drop(messages),
                _ => break,
            }
        }
        if is_first == Ok(true) {
            let _ = DROPPED.try_with(|dropped| dropped.borrow_mut().take());
        }
    }
}

/// The ports that this thread has started, by the number of their end.
#[derive(Default)]
struct Started {
    ports: RefCell<HashMap<u32, Rc<Open>>>,
    /// Ports that came with the message being read, in the order of its transfer list.
    received: RefCell<Vec<Global>>,
    /// [`Open::attach`] of the port whose message is being read.
    attach: RefCell<Option<Global>>,
}

/// A started port.
struct Open {
    callback: Global,
    /// Makes a port object of a port that a message brings, where that is not for JavaScript: in a context of node:vm.
    attach: Option<Global>,
    /// Messages that were taken out of the queue together, to be delivered one after the other.
    batch: RefCell<VecDeque<Message>>,
    stopped: Cell<bool>,
    /// The port is closed; what had come before is still to be delivered.
    closing: Cell<bool>,
}

fn started(scope: &mut Scope<'_>) -> Rc<Started> {
    scope.state().get_or_default::<Rc<Started>>().clone()
}

/// Notes a port that a message has brought, for `event.ports`.
pub(crate) fn note_received(scope: &mut Scope<'_>, port: Local<'_>) {
    let port = scope.global(port);
    started(scope).received.borrow_mut().push(port);
}

/// The value of a message and the ports that came with it.
fn read<'s>(scope: &mut Scope<'s>, message: Message) -> JsResult<(Local<'s>, Option<Local<'s>>)> {
    let buffer = match message {
        Message::Own(buffer) if !buffer.may_bring_objects() => return Ok((scope.deserialize_once(buffer)?, None)),
        Message::Own(buffer) => buffer,
        Message::Shared(buffer) => return Ok((scope.deserialize(&lock(&buffer))?, None)),
    };
    let table = started(scope);
    let outer = std::mem::take(&mut *table.received.borrow_mut());
    let value = scope.deserialize(&buffer);
    let received = std::mem::replace(&mut *table.received.borrow_mut(), outer);
    let value = value?;
    if received.is_empty() {
        return Ok((value, None));
    }
    let ports: Vec<_> = received.iter().map(|port| port.get(scope)).collect();
    Ok((value, Some(scope.new_array(&ports)?)))
}

impl Mailbox for End {
    /// Hands what is in the queue to the callback of the port: `callback(0, value, ports)`, `callback(1, error)` for a message that cannot be
    /// read here, `callback(2)` once the other port is gone.
    fn deliver(self: Arc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        let end = &self;
        let runtime = RuntimeState::of(scope);
        let Some(open) = started(scope).ports.borrow().get(&end.id).cloned() else {
            return Ok(());
        };
        // As many as are here now, though no fewer than a thousand: what handlers post to themselves does not keep the loop from the rest.
        let mut budget = {
            let state = lock(&end.state);
            if state.is_broadcast { 1 } else { state.messages.len().max(1000) }
        };
        loop {
            if open.stopped.get() {
                return Ok(());
            }
            let next = open.batch.borrow_mut().pop_front();
            let message = match next {
                Some(message) => Some(message),
                None if open.closing.get() => {
                    started(scope).ports.borrow_mut().remove(&end.id);
                    None
                }
                None => {
                    let mut state = lock(&end.state);
                    if state.watched {
                        state.woken = false;
                        if !state.closed {
                            return Ok(());
                        }
                        state.messages.clear();
                    }
                    if state.is_broadcast && budget == 0 {
                        return Ok(());
                    }
                    if budget == 0 && !state.messages.is_empty() {
                        state.woken = false;
                        end.wake(&mut state);
                        return Ok(());
                    }
                    if state.messages.is_empty() && !state.closed {
                        state.woken = false;
                        return Ok(());
                    }
                    if state.is_broadcast {
                        state.messages.pop_front()
                    } else {
                        // The sender goes on with the empty queue: neither waits for the other at every message.
                        std::mem::swap(&mut *open.batch.borrow_mut(), &mut state.messages);
                        open.batch.borrow_mut().pop_front()
                    }
                }
            };
            budget = budget.saturating_sub(1);
            let last = message.is_none();
            let result = scope.nested(|scope| {
                let callback = open.callback.get(scope);
                let Some(message) = message else {
                    let kind = scope.int(2);
                    return scope.call_function(callback, &[kind]).map(drop);
                };
                // Values are made in the realm of whoever gets them.
                started(scope).attach.replace(open.attach.clone());
                let read = scope.in_realm_of(callback, |scope| read(scope, message));
                started(scope).attach.take();
                match read {
                    Ok((value, ports)) => {
                        let kind = scope.int(0);
                        let ports = ports.unwrap_or_else(|| scope.undefined());
                        scope.call_function(callback, &[kind, value, ports]).map(drop)
                    }
                    Err(exc) => match scope.take_exception(exc) {
                        Some(error) => {
                            let kind = scope.int(1);
                            scope.call_function(callback, &[kind, error]).map(drop)
                        }
                        None => Ok(()),
                    },
                }
            });
            if let Err(exc) = result {
                errors::uncaught(scope, &runtime, exc);
            }
            turns::drain(scope, &runtime);
            if last || runtime.exit.get().is_some() {
                // What is left is lost with the thread, or found by whoever starts the port anew.
                return Ok(());
            }
        }
    }
}

/// Two resources, each other's end.
#[op(ts(returns = "[Native.Port, Native.Port]"))]
fn create_channel<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let (one, two) = Port::pair();
    let one = scope.new_resource(one)?;
    let two = scope.new_resource(two)?;
    scope.new_array(&[one, two])
}

/// Serialises `value` for a port; `Err` of the message for a DataCloneError.
pub(crate) fn serialize<'s>(
    scope: &mut Scope<'s>,
    value: Local<'s>,
    transfer: Local<'s>,
) -> JsResult<Result<CloneBuffer, String>> {
    match scope.serialize(value, transfer) {
        Ok(buffer) => Ok(Ok(buffer)),
        Err(CloneError::DataClone(message)) => Ok(Err(message)),
        Err(CloneError::Exception(exc)) => Err(exc),
    }
}

/// Posts `value` where it is a primitive or an object of plain data, and gives 0. Otherwise 1 where it is for [`post`] as it is, 2 where
/// objects of bao's own may be in it.
#[op]
fn post_plain<'s>(scope: &mut Scope<'s>, port: Local<'s>, value: Local<'s>) -> Result<u32, Exc> {
    match scope.serialize_plain(value)? {
        Serialized::Done(buffer) => {
            if let Some(peer) = scope.resource::<Port>(port).and_then(|port| port.peer.upgrade()) {
                peer.push(Message::Own(buffer));
            }
            Ok(0)
        }
        Serialized::Not { host } => Ok(1 + u32::from(host)),
    }
}

/// Posts `value` with the objects of the array `transfer`. Undefined, or why the value cannot be cloned.
#[op(ts(port = "Native.Port", transfer = "readonly unknown[] | undefined", returns = "string | undefined"))]
fn post<'s>(scope: &mut Scope<'s>, port: Local<'s>, value: Local<'s>, transfer: Local<'s>) -> Result<Local<'s>, Exc> {
    let Some(port) = scope.resource::<Port>(port) else {
        return Ok(scope.undefined());
    };
    let peer = port.peer.upgrade();
    match serialize(scope, value, transfer)? {
        Err(message) => scope.string(&message),
        Ok(buffer) => {
            if let Some(peer) = peer {
                peer.push(Message::Own(buffer));
            }
            Ok(scope.undefined())
        }
    }
}

/// See ext/worker/messaging/hooks.
#[op]
fn set_clone_symbols<'s>(scope: &mut Scope<'s>, one: Local<'s>, two: Local<'s>) {
    scope.set_clone_symbols(&[one, two]);
}

/// See ext/worker/untransferable.
#[op]
fn expect_marks(scope: &mut Scope<'_>) {
    scope.expect_clone_marks();
}

/// From now on `callback` gets what is posted to the port, see [`deliver`].
#[op]
fn start<'s>(scope: &mut Scope<'s>, port: Local<'s>, callback: Local<'s>) {
    listen(scope, port, callback, None, false);
}

/// As [`start`] for a port of a context of node:vm: messages are made in the realm of `callback`, ports among them by `attach(handle)`.
#[op]
fn start_in_context<'s>(scope: &mut Scope<'s>, port: Local<'s>, callback: Local<'s>, attach: Local<'s>) {
    listen(scope, port, callback, Some(attach), false);
}

/// As [`start`], but only for the end of the other port.
#[op]
fn watch<'s>(scope: &mut Scope<'s>, port: Local<'s>, callback: Local<'s>) {
    listen(scope, port, callback, None, true);
}

fn listen(scope: &mut Scope<'_>, port: Local<'_>, callback: Local<'_>, attach: Option<Local<'_>>, watched: bool) {
    let Some(port) = scope.resource::<Port>(port) else { return };
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    let callback = scope.global(callback);
    let attach = attach.map(|attach| scope.global(attach));
    let open = Rc::new(Open {
        callback,
        attach,
        batch: RefCell::default(),
        stopped: Cell::default(),
        closing: Cell::default(),
    });
    started(scope).ports.borrow_mut().insert(port.own.id, open);
    let mut state = lock(&port.own.state);
    state.owner = Some(inbox);
    state.watched = watched;
    if state.is_broadcast {
        for _ in 0..state.messages.len() {
            state.woken = false;
            port.own.wake(&mut state);
        }
    } else if !state.messages.is_empty() || state.closed {
        port.own.wake(&mut state);
    }
}

fn stop(scope: &mut Scope<'_>, port: &Port) {
    let open = started(scope).ports.borrow_mut().remove(&port.own.id);
    let mut state = lock(&port.own.state);
    if let Some(open) = open {
        open.stopped.set(true);
        while let Some(message) = open.batch.borrow_mut().pop_back() {
            state.messages.push_front(message);
        }
    }
    state.owner = None;
    state.woken = false;
}

/// Nothing more arrives at the port, and nothing is lost: it can be started again.
#[op]
fn pause<'s>(scope: &mut Scope<'s>, port: Local<'s>) {
    if let Some(port) = scope.resource::<Port>(port) {
        stop(scope, &port);
    }
}

/// Closes the port; the other one is told. Whether messages had come: they are still delivered, and then the callback is told of the end.
#[op]
fn close<'s>(scope: &mut Scope<'s>, port: Local<'s>) -> bool {
    let Some(port) = scope.take_resource::<Port>(port) else {
        return false;
    };
    let open = started(scope).ports.borrow().get(&port.own.id).cloned();
    if let Some(open) = open {
        let mut state = lock(&port.own.state);
        let mut batch = open.batch.borrow_mut();
        if !state.watched {
            batch.extend(state.messages.drain(..));
        }
        if !batch.is_empty() {
            open.closing.set(true);
            return true;
        }
    }
    stop(scope, &port);
    false
}

/// The next message, without waiting, or `none`.
#[op(ts(port = "Native.Port", returns = "unknown"))]
fn receive<'s>(scope: &mut Scope<'s>, port: Local<'s>, none: Local<'s>) -> Result<Local<'s>, Exc> {
    let Some(port) = scope.resource::<Port>(port) else {
        return Ok(none);
    };
    let open = started(scope).ports.borrow().get(&port.own.id).cloned();
    let first = open.and_then(|open| open.batch.borrow_mut().pop_front());
    let message = first.or_else(|| lock(&port.own.state).messages.pop_front());
    match message {
        Some(message) => Ok(read(scope, message)?.0),
        None => Ok(none),
    }
}

/// Whether `value` is a resource of this kind.
#[op]
fn is_port_handle<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> bool {
    scope.resource::<Port>(value).is_some()
}

/// Whether they are the two ends of one channel.
#[op]
fn are_pair(one: &Resource<Port>, two: &Resource<Port>) -> bool {
    one.peer.ptr_eq(&Arc::downgrade(&two.own))
}

/// Takes the port out of its resource object, for its way to another thread.
pub(crate) fn take(scope: &mut Scope<'_>, port: Local<'_>) -> Option<Port> {
    let taken = scope.take_resource::<Port>(port)?;
    stop(scope, &taken);
    taken.into_inner().ok()
}

// ---------------------------------------------------------------------------------------------------------------------

/// The broadcast channels of all threads, by name.
static CHANNELS: Mutex<Option<HashMap<String, Vec<Weak<End>>>>> = Mutex::new(None);

/// A member of a broadcast channel: a port whose peer is everybody else.
#[op(ts(returns = "Native.Port"))]
fn join_channel<'s>(scope: &mut Scope<'s>, name: String) -> Result<Local<'s>, Exc> {
    let own = End::new();
    lock(&own.state).is_broadcast = true;
    let mut channels = lock(&CHANNELS);
    let members = channels.get_or_insert_default().entry(name).or_default();
    members.retain(|member| member.strong_count() > 0);
    members.push(Arc::downgrade(&own));
    drop(channels);
    scope.new_resource(Port { own, peer: Weak::new() })
}

/// Posts `value` to all other members of the channel. Undefined, or why the value cannot be cloned.
#[op(ts(port = "Native.Port", returns = "string | undefined"))]
fn broadcast<'s>(scope: &mut Scope<'s>, port: Local<'s>, name: String, value: Local<'s>) -> Result<Local<'s>, Exc> {
    let Some(port) = scope.resource::<Port>(port) else {
        return Ok(scope.undefined());
    };
    let none = scope.undefined();
    let buffer = match serialize(scope, value, none)? {
        Ok(buffer) => Arc::new(Mutex::new(buffer)),
        Err(message) => return scope.string(&message),
    };
    let members: Vec<Arc<End>> = match &*lock(&CHANNELS) {
        Some(channels) => channels.get(&name).into_iter().flatten().filter_map(Weak::upgrade).collect(),
        None => Vec::new(),
    };
    for member in members.iter().filter(|member| !Arc::ptr_eq(member, &port.own)) {
        member.push(Message::Shared(buffer.clone()));
    }
    Ok(scope.undefined())
}

ops!(pub fn family "messaging" {
    set_clone_symbols, expect_marks, create_channel, post_plain, post, start, start_in_context, watch, pause, close, receive, is_port_handle, are_pair, join_channel, broadcast
});

// ---------------------------------------------------------------------------------------------------------------------

/// What JavaScript says of an object in a transfer list, once it has any that can be transferred.
fn call<'s>(scope: &mut Scope<'s>, function: &str, argument: Local<'_>) -> JsResult<Local<'s>> {
    scope.escape(|scope| {
        let argument = scope.copy(argument);
        builtins::call(scope, "internal/worker/messaging/transfer", function, &[argument])
    })
}

/// A transferred object: its kind in ext/worker/messaging/transfer.ts and the ports it goes by.
struct Travelling {
    kind: i32,
    ports: Vec<Port>,
}

/// How objects travel in messages: as ports, with what ext/worker/messaging/transfer.ts makes of them.
pub struct PortTransfers;

impl Transfers for PortTransfers {
    fn can_transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> bool {
        match call(scope, "canTransfer", object) {
            Ok(value) => value.truthy(),
            Err(exc) => {
                scope.take_exception(exc);
                false
            }
        }
    }

    fn transfer(&self, scope: &mut Scope<'_>, object: Local<'_>) -> JsResult<Transferred> {
        let parts = call(scope, "transfer", object)?;
        let kind = scope.get_index(parts, 0)?.as_number().unwrap_or(0.0) as i32;
        let mut ports = Vec::new();
        let count = scope.array_length(parts)?;
        for index in 1..count {
            let port = scope.get_index(parts, index)?;
            match take(scope, port) {
                Some(port) => ports.push(port),
                None => return Err(scope.throw_type_error("a port was transferred twice")),
            }
        }
        Ok(Box::new(Travelling { kind, ports }))
    }

    fn receive<'s>(&self, scope: &mut Scope<'s>, taken: Transferred) -> JsResult<Local<'s>> {
        let Ok(travelling) = taken.downcast::<Travelling>() else {
            return Err(scope.throw_error("internal error in bao: an unknown object was transferred"));
        };
        let attach = started(scope).attach.borrow().clone();
        if let Some(attach) = attach {
            if travelling.kind != 0 {
                return Err(scope.throw_error("An object of a message cannot be made in a vm.Context"));
            }
            let function = attach.get(scope);
            let mut object = scope.undefined();
            for port in travelling.ports {
                let port = scope.new_resource(port)?;
                object = scope.call_function(function, &[port])?;
            }
            note_received(scope, object);
            return Ok(object);
        }
        let mut parts = vec![scope.int(travelling.kind)];
        for port in travelling.ports {
            parts.push(scope.new_resource(port)?);
        }
        let parts = scope.new_array(&parts)?;
        let object = call(scope, "receive", parts)?;
        if travelling.kind == 0 {
            note_received(scope, object);
        }
        Ok(object)
    }
}
