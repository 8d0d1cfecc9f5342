//! Message ports: pairs of queues between threads (or within one), the native half of MessagePort and BroadcastChannel.
//!
//! A port is a resource that can travel in a message. Its end holds what was posted to it; once its owner has started it, every
//! message wakes the owner's loop, which takes them one after the other with microtasks drained in between. A port that is dropped,
//! whether closed, collected or lost with its thread, tells the other one.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use engine::{CloneBuffer, CloneError, Exc, Global, JsResult, Local, Resource, Scope, op, ops};

use crate::event_loop::{self, Arrival, Inbox};
use crate::state::RuntimeState;
use crate::{builtins, errors};

/// One end of a channel, in a resource object or on its way to one.
pub struct Port {
    own: Arc<End>,
    peer: Weak<End>,
}

/// What is posted to a port.
pub struct End {
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
        self.wake(&mut state);
    }

    fn wake(self: &Arc<Self>, state: &mut EndState) {
        if let Some(owner) = &state.owner
            && !state.woken
        {
            let owner = owner.clone();
            state.woken = true;
            let end = self.clone();
            owner.send(Arrival::Call(Box::new(move |scope| deliver(scope, &end))));
        }
    }
}

impl Port {
    /// Two ports that are each other's end.
    pub fn pair() -> (Port, Port) {
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

/// The ports that this thread has started, by the number of their end.
#[derive(Default)]
struct Started {
    callbacks: RefCell<HashMap<u32, Global>>,
    /// Ports that came with the message being read, in the order of its transfer list.
    received: RefCell<Vec<Global>>,
}

fn started(scope: &mut Scope<'_>) -> Rc<Started> {
    scope.state().get_or_default::<Rc<Started>>().clone()
}

/// Notes a port that a message has brought, for `event.ports`.
pub fn note_received(scope: &mut Scope<'_>, port: Local<'_>) {
    let port = scope.global(port);
    started(scope).received.borrow_mut().push(port);
}

/// The value of a message and the ports that came with it.
fn read<'s>(scope: &mut Scope<'s>, message: &Message) -> JsResult<(Local<'s>, Option<Local<'s>>)> {
    let table = started(scope);
    let outer = std::mem::take(&mut *table.received.borrow_mut());
    let value = match message {
        Message::Own(buffer) => scope.deserialize(buffer),
        Message::Shared(buffer) => scope.deserialize(&lock(buffer)),
    };
    let received = std::mem::replace(&mut *table.received.borrow_mut(), outer);
    let value = value?;
    if received.is_empty() {
        return Ok((value, None));
    }
    let ports: Vec<_> = received.iter().map(|port| port.get(scope)).collect();
    Ok((value, Some(scope.new_array(&ports)?)))
}

/// Hands what is in the queue to the callback of the port: `callback(0, value, ports)`, `callback(1, error)` for a message that cannot be
/// read here, `callback(2)` once the other port is gone.
fn deliver(scope: &mut Scope<'_>, end: &Arc<End>) -> JsResult<()> {
    let runtime = RuntimeState::of(scope);
    // As many as are here now, though no fewer than a thousand: what handlers post to themselves does not keep the loop from the rest.
    let mut budget = lock(&end.state).messages.len().max(1000);
    loop {
        let Some(callback) = started(scope).callbacks.borrow().get(&end.id).cloned() else {
            return Ok(());
        };
        let message = {
            let mut state = lock(&end.state);
            if budget == 0 && !state.messages.is_empty() {
                state.woken = false;
                end.wake(&mut state);
                return Ok(());
            }
            match state.messages.pop_front() {
                Some(message) => Some(message),
                None if state.closed => None,
                None => {
                    state.woken = false;
                    return Ok(());
                }
            }
        };
        budget -= 1;
        let last = message.is_none();
        let result = scope.nested(|scope| {
            let callback = callback.get(scope);
            let Some(message) = message else {
                let kind = scope.int(2);
                return scope.call_function(callback, &[kind]).map(drop);
            };
            let read = read(scope, &message);
            drop(message);
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
        event_loop::drain(scope, &runtime);
        if last || runtime.exit.get().is_some() {
            return Ok(());
        }
    }
}

/// Two resources, each other's end.
#[op]
fn create_channel<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let (one, two) = Port::pair();
    let one = scope.new_resource(one)?;
    let two = scope.new_resource(two)?;
    scope.new_array(&[one, two])
}

/// Serialises `value` for a port; `Err` of the message for a DataCloneError.
pub fn serialize<'s>(
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

/// Posts `value` with the objects of the array `transfer`. Undefined, or why the value cannot be cloned.
#[op]
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

/// From now on `callback` gets what is posted to the port, see [`deliver`].
#[op]
fn start<'s>(scope: &mut Scope<'s>, port: Local<'s>, callback: Local<'s>) {
    let Some(port) = scope.resource::<Port>(port) else { return };
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    let callback = scope.global(callback);
    started(scope).callbacks.borrow_mut().insert(port.own.id, callback);
    let mut state = lock(&port.own.state);
    state.owner = Some(inbox);
    if !state.messages.is_empty() || state.closed {
        port.own.wake(&mut state);
    }
}

fn stop(scope: &mut Scope<'_>, port: &Port) {
    started(scope).callbacks.borrow_mut().remove(&port.own.id);
    let mut state = lock(&port.own.state);
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

/// Closes the port; the other one is told.
#[op]
fn close<'s>(scope: &mut Scope<'s>, port: Local<'s>) {
    if let Some(port) = scope.take_resource::<Port>(port) {
        stop(scope, &port);
    }
}

/// The next message, without waiting: `[value, ports]`, or undefined.
#[op]
fn receive<'s>(scope: &mut Scope<'s>, port: Local<'s>) -> Result<Local<'s>, Exc> {
    let Some(port) = scope.resource::<Port>(port) else {
        return Ok(scope.undefined());
    };
    let message = lock(&port.own.state).messages.pop_front();
    let Some(message) = message else {
        return Ok(scope.undefined());
    };
    let (value, ports) = read(scope, &message)?;
    let ports = ports.unwrap_or_else(|| scope.undefined());
    scope.new_array(&[value, ports])
}

/// Whether the other port is gone.
#[op]
fn is_closed(port: &Resource<Port>) -> bool {
    lock(&port.own.state).closed
}

/// Takes the port out of its resource object, for its way to another thread.
pub fn take(scope: &mut Scope<'_>, port: Local<'_>) -> Option<Port> {
    let taken = scope.take_resource::<Port>(port)?;
    stop(scope, &taken);
    taken.into_inner().ok()
}

// ---------------------------------------------------------------------------------------------------------------------

/// The broadcast channels of all threads, by name.
static CHANNELS: Mutex<Option<HashMap<String, Vec<Weak<End>>>>> = Mutex::new(None);

/// A member of a broadcast channel: a port whose peer is everybody else.
#[op]
fn join_channel<'s>(scope: &mut Scope<'s>, name: String) -> Result<Local<'s>, Exc> {
    let own = End::new();
    let mut channels = lock(&CHANNELS);
    let members = channels.get_or_insert_default().entry(name).or_default();
    members.retain(|member| member.strong_count() > 0);
    members.push(Arc::downgrade(&own));
    drop(channels);
    scope.new_resource(Port { own, peer: Weak::new() })
}

/// Posts `value` to all other members of the channel. Undefined, or why the value cannot be cloned.
#[op]
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
    create_channel, post, start, pause, close, receive, is_closed, join_channel, broadcast
});

// ---------------------------------------------------------------------------------------------------------------------

/// What lib/ says of an object in a transfer list, once it has any that can be transferred.
fn call<'s>(scope: &mut Scope<'s>, state: &RuntimeState, function: &str, argument: Local<'_>) -> JsResult<Local<'s>> {
    scope.escape(|scope| {
        let module = builtins::require(scope, state, "internal/messaging/transfer")?;
        let function = scope.get(module, function)?;
        let argument = scope.copy(argument);
        scope.call_function(function, &[argument])
    })
}

/// A transferred object: its kind in lib/internal/messaging/transfer.ts and the ports it goes by.
struct Travelling {
    kind: i32,
    ports: Vec<Port>,
}

pub fn can_transfer(scope: &mut Scope<'_>, state: &RuntimeState, object: Local<'_>) -> bool {
    match call(scope, state, "canTransfer", object) {
        Ok(value) => value.truthy(),
        Err(exc) => {
            scope.take_exception(exc);
            false
        }
    }
}

pub fn transfer(scope: &mut Scope<'_>, state: &RuntimeState, object: Local<'_>) -> JsResult<engine::Transferred> {
    let parts = call(scope, state, "transfer", object)?;
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

pub fn receive_transferred<'s>(
    scope: &mut Scope<'s>,
    state: &RuntimeState,
    taken: engine::Transferred,
) -> JsResult<Local<'s>> {
    let Ok(travelling) = taken.downcast::<Travelling>() else {
        return Err(scope.throw_error("internal error in bao: an unknown object was transferred"));
    };
    let mut parts = vec![scope.int(travelling.kind)];
    for port in travelling.ports {
        parts.push(scope.new_resource(port)?);
    }
    let parts = scope.new_array(&parts)?;
    let object = call(scope, state, "receive", parts)?;
    if travelling.kind == 0 {
        note_received(scope, object);
    }
    Ok(object)
}
