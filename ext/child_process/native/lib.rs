//! Native half of `node:child_process` and `Bun.spawn`: processes, their pipes, their exits. Linux only so far: it
//! relies on clone(2), pidfds and epoll(7).
//!
//! Processes and pipes are numbers in JavaScript, counted per thread. Errors that Node reports as numbers are returned
//! as numbers (negative errno), everything else is thrown.

mod callback;
mod channel;
mod child;
mod convert;
mod ops;
mod pipe;
mod process;
mod stdio;
mod strings;
mod sync;
mod terminal;

use std::collections::HashMap;
use std::rc::Rc;

use engine::Scope;
use poll::Poller;

use child::Child;
use pipe::Pipe;
use stdio::End;

pub use ops::family;

/// The processes and pipes of a thread.
#[derive(Default)]
struct Children {
    next: u32,
    processes: HashMap<u32, Rc<Child>>,
    pipes: HashMap<u32, Rc<Pipe>>,
}

impl Children {
    fn of<'a>(scope: &'a mut Scope<'_>) -> &'a mut Children {
        scope.state().get_or_default::<Children>()
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn add_pipe(&mut self, poller: &Rc<Poller>, end: End) -> u32 {
        let id = self.number();
        self.pipes.insert(id, Pipe::new(poller.clone(), end));
        id
    }
}

fn errno_of(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
