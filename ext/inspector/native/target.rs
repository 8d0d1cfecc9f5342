//! What is between a JavaScript thread and those who look at it, clients of a server or other threads: messages in both directions.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use engine::{InterruptHandle, JsResult, Scope};
use runtime_core::event_loop::{Arrival, Inbox};

/// What has come for a thread.
pub(crate) enum Incoming {
    Connected(u32),
    /// A message of the protocol, as JSON.
    Message(u32, String),
    Disconnected(u32),
    /// A session that the thread waits for will not come.
    Skipped,
    Event(Event),
}

/// Commands that are about code that runs.
const ABOUT_RUNNING: [&str; 2] = ["\"Debugger.pause\"", "\"Runtime.terminateExecution\""];

impl Incoming {
    fn client(&self) -> Option<u32> {
        match self {
            Incoming::Connected(client) | Incoming::Message(client, _) | Incoming::Disconnected(client) => {
                Some(*client)
            }
            Incoming::Skipped | Incoming::Event(_) => None,
        }
    }

    /// Whether it is taken also while code of its client's runs, of whom `held` waits.
    fn interrupts(&self, held: &VecDeque<Incoming>) -> bool {
        match self {
            // Within strings of JSON quotes are escaped.
            Incoming::Message(_, text) => ABOUT_RUNNING.iter().any(|method| text.contains(method)),
            _ => !held.iter().any(|other| other.client() == self.client()),
        }
    }
}

/// What sessions with other threads are told.
pub(crate) enum Event {
    /// A worker has begun; `client` is a session of this thread that watches workers. Title and URL are here because it may have
    /// ended when the session is told.
    Started { client: u32, worker: u32, waits: bool, title: String, url: String },
    /// A message of the protocol, by the number of a link.
    Text { link: u32, text: String },
    /// The other thread has ended.
    Ended { link: u32 },
}

/// How often the code of a thread is interrupted again while it does not take what has come: it may be in a place where it
/// cannot.
const AGAIN: Duration = Duration::from_millis(20);

/// A thread that clients can connect to.
pub(crate) struct Target {
    /// A UUID, made when it is asked for.
    id: OnceLock<String>,
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
    /// What waits for the end of code that its client has evaluated.
    held: VecDeque<Incoming>,
    /// For sessions of the program itself: they are told between its jobs only.
    own: VecDeque<Event>,
    clients: HashMap<u32, Sink>,
    last: u32,
    /// The thread has ended: nothing that comes is taken any more.
    has_ended: bool,
}

/// Where what is sent to a client goes.
#[derive(Clone)]
pub(crate) enum Sink {
    /// To the thread that writes to a connection.
    Socket(Sender<Outgoing>),
    /// To a session of another thread, by the number of its link; `is_own`: of the program itself.
    Thread { owner: Arc<Target>, link: u32, is_own: bool },
}

impl Sink {
    fn text(&self, text: String) {
        match self {
            Sink::Socket(socket) => drop(socket.send(Outgoing::Text(text))),
            Sink::Thread { owner, link, is_own } => owner.post(Event::Text { link: *link, text }, *is_own),
        }
    }

    fn close(&self) {
        match self {
            Sink::Socket(socket) => drop(socket.send(Outgoing::Close)),
            Sink::Thread { owner, link, is_own } => owner.post(Event::Ended { link: *link }, *is_own),
        }
    }
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
        (title, url): (String, String),
        interrupt: InterruptHandle,
        inbox: Inbox,
        serve: fn(&mut Scope<'_>) -> JsResult<()>,
    ) -> Self {
        Target {
            id: OnceLock::new(),
            title,
            url,
            queue: Mutex::default(),
            changed: Condvar::new(),
            interrupt,
            inbox,
            serve,
        }
    }

    /// What it is called in URLs: a UUID.
    pub(crate) fn id(&self) -> &str {
        self.id.get_or_init(base::uuid::random)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client has a number from here on; whoever speaks for it says by [`Target::push`] that it has come.
    /// `None` if the thread has ended.
    pub(crate) fn admit(&self, client: Sink) -> Option<u32> {
        let mut queue = self.lock();
        if queue.has_ended {
            return None;
        }
        queue.last += 1;
        let number = queue.last;
        queue.clients.insert(number, client);
        Some(number)
    }

    /// Takes back [`Target::admit`] of a client that has not come.
    pub(crate) fn dismiss(&self, client: u32) {
        self.lock().clients.remove(&client);
    }

    /// Something has come from a client. Comes back when the thread has taken it, so that a client cannot flood it, or has ended.
    pub(crate) fn push(&self, incoming: Incoming) {
        let mut queue = self.lock();
        if let Incoming::Disconnected(number) = incoming {
            queue.clients.remove(&number);
        }
        if queue.has_ended {
            return;
        }
        queue.incoming.push_back(incoming);
        self.changed.notify_all();
        let serve = self.serve;
        self.inbox.send(Arrival::Aside(Box::new(serve)));
        while !queue.incoming.is_empty() && !queue.has_ended {
            self.interrupt.request();
            queue = self.changed.wait_timeout(queue, AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells the thread's sessions something, and does not wait. `is_own`: it is for a session of the program itself, which is
    /// told in a job of its own; others are told where the code can be interrupted, and in a stopped program.
    pub(crate) fn post(&self, event: Event, is_own: bool) {
        let mut queue = self.lock();
        if queue.has_ended {
            return;
        }
        if is_own {
            queue.own.push_back(event);
        } else {
            queue.incoming.push_back(Incoming::Event(event));
            self.changed.notify_all();
        }
        let serve = self.serve;
        self.inbox.send(Arrival::Aside(Box::new(serve)));
        self.interrupt.request();
    }

    /// A session that the thread waits for will not come.
    pub(crate) fn skip(&self) {
        let mut queue = self.lock();
        if !queue.has_ended {
            queue.incoming.push_back(Incoming::Skipped);
            self.changed.notify_all();
        }
    }

    /// The next thing that has come, if any. What comes from the clients in `running`, whose code runs, is for after that, unless it is
    /// about that code: commands of a client are done one after the other.
    pub(crate) fn take(&self, running: &[u32]) -> Option<Incoming> {
        let is_free = |incoming: &Incoming| incoming.client().is_none_or(|client| !running.contains(&client));
        let mut queue = self.lock();
        if let Some(index) = queue.held.iter().position(is_free) {
            return queue.held.remove(index);
        }
        while let Some(next) = queue.incoming.pop_front() {
            self.changed.notify_all();
            if is_free(&next) || next.interrupts(&queue.held) {
                return Some(next);
            }
            queue.held.push_back(next);
        }
        None
    }

    /// The next thing that a session of the program's is told, if any.
    pub(crate) fn take_own(&self) -> Option<Event> {
        self.lock().own.pop_front()
    }

    /// Whether sessions of the program's are to be told something.
    pub(crate) fn has_own(&self) -> bool {
        !self.lock().own.is_empty()
    }

    /// The next thing that has come; waits for it. `None` if the thread is to end.
    pub(crate) fn wait(&self) -> Option<Incoming> {
        let mut queue = self.lock();
        loop {
            if let Some(held) = queue.held.pop_front() {
                return Some(held);
            }
            if let Some(incoming) = queue.incoming.pop_front() {
                self.changed.notify_all();
                return Some(incoming);
            }
            if base::cancel::is_cancelled() {
                return None;
            }
            queue = self.changed.wait_timeout(queue, AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether clients are connected, by sockets or from other threads.
    pub(crate) fn has_sessions(&self) -> bool {
        !self.lock().clients.is_empty()
    }

    /// Whether clients of a server are connected.
    pub(crate) fn has_clients(&self) -> bool {
        self.lock().clients.values().any(|client| matches!(client, Sink::Socket(_)))
    }

    /// Sends to a client; what has gone is not told.
    pub(crate) fn send(&self, number: u32, text: String) {
        // Not under the lock: the other thread may be about to send here.
        let client = self.lock().clients.get(&number).cloned();
        if let Some(client) = client {
            client.text(text);
        }
    }

    /// Hangs up on the clients of the server.
    pub(crate) fn close(&self) {
        for client in self.lock().clients.values() {
            if let Sink::Socket(_) = client {
                client.close();
            }
        }
    }

    /// The thread has ended: hangs up on everybody, and takes nothing any more.
    pub(crate) fn end(&self) {
        let mut queue = self.lock();
        queue.has_ended = true;
        queue.incoming.clear();
        queue.held.clear();
        queue.own.clear();
        let clients = std::mem::take(&mut queue.clients);
        self.changed.notify_all();
        drop(queue);
        clients.values().for_each(Sink::close);
    }
}
