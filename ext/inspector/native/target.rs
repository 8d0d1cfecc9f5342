//! What is between the server's threads and a JavaScript thread: messages in both directions.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{InterruptHandle, JsResult, Scope};
use runtime_core::event_loop::{Arrival, Inbox};

/// What a client has done.
pub(crate) enum Incoming {
    Connected(u32),
    /// A message of the protocol, as JSON.
    Message(u32, String),
    Disconnected(u32),
}

/// How often the code of a thread is interrupted again while it does not take what has come: it may be in a place where it
/// cannot.
const AGAIN: Duration = Duration::from_millis(20);

/// A thread that clients can connect to.
pub(crate) struct Target {
    /// A UUID.
    pub id: String,
    pub title: String,
    pub url: String,
    queue: Mutex<Queue>,
    /// Something has come, or was taken.
    changed: Condvar,
    interrupt: InterruptHandle,
    inbox: Inbox,
    serve: fn(&mut Scope<'_>) -> JsResult<()>,
}

#[derive(Default)]
struct Queue {
    incoming: VecDeque<Incoming>,
    /// What writes to each client.
    clients: HashMap<u32, Sender<Outgoing>>,
    last: u32,
}

/// What the thread that writes to a client does next.
pub(crate) enum Outgoing {
    Text(String),
    Pong(Vec<u8>),
    /// Says goodbye and hangs up.
    Close,
}

impl Target {
    /// `serve` is called on the target's thread where something has come.
    pub(crate) fn new(
        id: String,
        (title, url): (String, String),
        interrupt: InterruptHandle,
        inbox: Inbox,
        serve: fn(&mut Scope<'_>) -> JsResult<()>,
    ) -> Self {
        Target { id, title, url, queue: Mutex::default(), changed: Condvar::new(), interrupt, inbox, serve }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client has come; gives its number.
    pub(crate) fn connect(&self, client: Sender<Outgoing>) -> u32 {
        let mut queue = self.lock();
        queue.last += 1;
        let number = queue.last;
        queue.clients.insert(number, client);
        drop(queue);
        self.push(Incoming::Connected(number));
        number
    }

    /// Something has come from a client. Comes back when the thread has taken it, so that a client cannot flood it.
    pub(crate) fn push(&self, incoming: Incoming) {
        if let Incoming::Disconnected(number) = incoming {
            self.lock().clients.remove(&number);
        }
        self.lock().incoming.push_back(incoming);
        self.changed.notify_all();
        let serve = self.serve;
        self.inbox.send(Arrival::Aside(Box::new(serve)));
        let mut queue = self.lock();
        while !queue.incoming.is_empty() {
            self.interrupt.request();
            queue = self.changed.wait_timeout(queue, AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next thing that has come, if any.
    pub(crate) fn take(&self) -> Option<Incoming> {
        let taken = self.lock().incoming.pop_front();
        if taken.is_some() {
            self.changed.notify_all();
        }
        taken
    }

    /// The same; waits for it.
    pub(crate) fn wait(&self) -> Incoming {
        let mut queue = self.lock();
        loop {
            if let Some(incoming) = queue.incoming.pop_front() {
                self.changed.notify_all();
                return incoming;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether clients are connected.
    pub(crate) fn has_clients(&self) -> bool {
        !self.lock().clients.is_empty()
    }

    /// Sends to a client; what has gone is not told.
    pub(crate) fn send(&self, number: u32, outgoing: Outgoing) {
        if let Some(client) = self.lock().clients.get(&number) {
            let _ = client.send(outgoing);
        }
    }

    /// Hangs up on all clients.
    pub(crate) fn close(&self) {
        for client in self.lock().clients.values() {
            let _ = client.send(Outgoing::Close);
        }
    }
}

/// The targets of the process, the main thread's first.
pub(crate) type Targets = Arc<Mutex<Vec<Arc<Target>>>>;
