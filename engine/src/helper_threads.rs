//! The engine's helper threads: compilation of hot code, parallel parts of collections. The engine counts how many tasks
//! may run at once; a thread is started when a task comes and none is idle.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

use crate::bindings::{HelperThreadTask, RunHelperThreadTask};
use crate::context::HELPER_STACK;

struct Task(*mut HelperThreadTask);
// SAFETY: made by the engine to be run on another thread.
unsafe impl Send for Task {}

struct Queue {
    tasks: VecDeque<Task>,
    idle: usize,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { tasks: VecDeque::new(), idle: 0 });
static WAKE: Condvar = Condvar::new();

/// The engine's callback: runs `task` soon, on another thread.
pub(crate) unsafe extern "C" fn run_task(task: *mut HelperThreadTask) {
    let mut queue = QUEUE.lock().unwrap_or_else(|p| p.into_inner());
    queue.tasks.push_back(Task(task));
    if queue.idle >= queue.tasks.len() {
        WAKE.notify_one();
        return;
    }
    drop(queue);
    // The engine allows for 512 KiB less than it is told.
    let started =
        std::thread::Builder::new().name("js-helper".into()).stack_size(HELPER_STACK + (64 << 10)).spawn(work);
    // Without a new thread the task waits for one that exists; with none at all nothing of it is urgent.
    drop(started);
}

fn work() {
    let mut queue = QUEUE.lock().unwrap_or_else(|p| p.into_inner());
    loop {
        if let Some(task) = queue.tasks.pop_front() {
            drop(queue);
            // SAFETY: a task of the engine, run once.
            unsafe { RunHelperThreadTask(task.0) };
            queue = QUEUE.lock().unwrap_or_else(|p| p.into_inner());
            continue;
        }
        queue.idle += 1;
        queue = WAKE.wait(queue).unwrap_or_else(|p| p.into_inner());
        queue.idle -= 1;
    }
}
