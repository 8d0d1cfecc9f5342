//! The blocking thread pool: for system calls that may wait, and for long computations. Threads start when there is
//! work and end when there has been none for a while.
//!
//! Most jobs are calls on files that take microseconds: waking a thread costs more than such a job. A *quick* job
//! therefore wakes a thread only while fewer are at work than there are other cores. Beyond that one idle thread, the
//! *lookout*, sees every now and then whether jobs lie about, which happens when those at work turn out to wait for a
//! device; then it works as well, and another becomes the lookout. Other jobs get a thread at once.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use engine::BlockingJob;

use crate::event_loop::Inbox;

/// A job, and where it goes when it is done.
pub struct Task {
    pub token: u64,
    pub job: Box<dyn BlockingJob>,
    pub inbox: Inbox,
}

impl Task {
    fn run(mut self) {
        run(&mut *self.job);
        if self.job.changes()
            && let Some(shared) = POOL.get()
        {
            shared.lock().changes -= 1;
            shared.changed.notify_all();
        }
        self.inbox.send_job(self.token, self.job);
    }
}

/// Does the work of a job. A panic was reported when it happened; it ends the job, whose `finish` then throws, and neither lets the
/// program wait for ever nor takes a thread from the pool.
fn run(job: &mut dyn BlockingJob) {
    let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
}

/// After how long the lookout takes jobs that nobody has begun.
const TAKE_OVER_AFTER: Duration = Duration::from_micros(200);
/// So many times in a row it looks in vain before it goes to sleep.
const PATIENCE: u32 = 5;
/// After how long without work a thread ends.
const IDLE: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// A job that changes something is done.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    /// Jobs that change something and are not done, begun or not.
    changes: usize,
    /// Threads that there are.
    threads: usize,
    /// Of them those asleep that nobody has called.
    idle: usize,
    /// Sleepers called to work that are not awake yet.
    calls: usize,
    /// Threads made to work that have not begun.
    starting: usize,
    /// A sleeper called to be the lookout is not awake yet.
    lookout_called: bool,
    /// Whether there is a lookout, or one was called or made.
    lookout: bool,
}

impl Queue {
    fn working(&self) -> usize {
        self.threads - self.idle - usize::from(self.lookout)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Worker,
    Lookout,
}

static POOL: OnceLock<Arc<Shared>> = OnceLock::new();

fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, |n| n.get()))
}

fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        std::env::var("UV_THREADPOOL_SIZE")
            .ok()
            .and_then(|v| v.parse::<usize>().ok())
            .map_or_else(|| cores().max(4), |n| n.clamp(1, 1024))
    })
}

/// Runs `task` on a pool thread. Where no thread can be started and none exists, runs it here.
pub fn spawn(task: Task) {
    let shared = POOL.get_or_init(|| Arc::new(Shared::default()));
    let quick = task.job.is_quick();
    let mut queue = shared.lock();
    queue.changes += usize::from(task.job.changes());
    queue.tasks.push_back(task);
    // One core is for the thread that asks.
    if quick && queue.working() >= cores().saturating_sub(1).max(1) {
        if !queue.lookout {
            shared.call(queue, Role::Lookout);
        }
    } else if queue.calls + queue.starting < queue.tasks.len() {
        shared.call(queue, Role::Worker);
    }
}

/// Does what was asked for that changes something, and waits for what of it is under way: to be called before the process ends,
/// which drops all other jobs. A program that logs without waiting and exits has its last lines written, as in Node.
pub fn finish_changes() {
    let Some(shared) = POOL.get() else { return };
    let mut queue = shared.lock();
    while queue.changes > 0 {
        // Not left to the pool, whose threads may all wait for something else.
        if let Some(at) = queue.tasks.iter().position(|task| task.job.changes())
            && let Some(task) = queue.tasks.remove(at)
        {
            drop(queue);
            task.run();
            queue = shared.lock();
        } else {
            queue = shared.changed.wait(queue).unwrap_or_else(|p| p.into_inner());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(|p| p.into_inner())
    }

    /// Calls a thread that sleeps, or makes one, unless there are as many as there may be.
    fn call(self: &Arc<Self>, mut queue: MutexGuard<'_, Queue>, role: Role) {
        if queue.idle > 0 {
            queue.idle -= 1;
            match role {
                Role::Worker => queue.calls += 1,
                Role::Lookout => (queue.lookout, queue.lookout_called) = (true, true),
            }
            drop(queue);
            self.wake.notify_one();
            return;
        }
        if queue.threads >= limit() {
            return;
        }
        queue.threads += 1;
        match role {
            Role::Worker => queue.starting += 1,
            Role::Lookout => queue.lookout = true,
        }
        drop(queue);
        let for_thread = self.clone();
        let started = std::thread::Builder::new()
            .name("bao-pool".into())
            .stack_size(512 << 10)
            .spawn(move || work(&for_thread, role));
        if started.is_err() {
            let mut queue = self.lock();
            queue.threads -= 1;
            match role {
                Role::Worker => queue.starting -= 1,
                Role::Lookout => queue.lookout = false,
            }
            if queue.threads == 0
                && let Some(task) = queue.tasks.pop_front()
            {
                drop(queue);
                task.run();
            }
        }
    }
}

fn work(shared: &Arc<Shared>, mut role: Role) {
    let mut queue = shared.lock();
    if role == Role::Worker {
        queue.starting -= 1;
    }
    loop {
        if role == Role::Lookout {
            let mut looked = 0;
            while queue.tasks.is_empty() && looked < PATIENCE || looked == 0 {
                looked += 1;
                drop(queue);
                std::thread::sleep(TAKE_OVER_AFTER);
                queue = shared.lock();
            }
            queue.lookout = false;
            if queue.tasks.len() > 1 {
                shared.call(queue, Role::Lookout);
                queue = shared.lock();
            }
        }
        while let Some(task) = queue.tasks.pop_front() {
            drop(queue);
            task.run();
            queue = shared.lock();
        }
        queue.idle += 1;
        role = loop {
            let (guard, timeout) = shared.wake.wait_timeout(queue, IDLE).unwrap_or_else(|p| p.into_inner());
            queue = guard;
            if queue.calls > 0 {
                queue.calls -= 1;
                break Role::Worker;
            }
            if queue.lookout_called {
                queue.lookout_called = false;
                break Role::Lookout;
            }
            if timeout.timed_out() {
                queue.idle -= 1;
                if queue.tasks.is_empty() {
                    queue.threads -= 1;
                    return;
                }
                break Role::Worker;
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use engine::{BlockingJob, JsResult, Local, Scope};

    struct Broken {
        has_begun: bool,
    }

    impl BlockingJob for Broken {
        fn run(&mut self) {
            self.has_begun = true;
            // Not by the hook, which would print.
            std::panic::resume_unwind(Box::new("broken"));
        }

        fn finish<'s>(&mut self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
            Ok(scope.undefined())
        }

        fn is_quick(&self) -> bool {
            true
        }

        fn changes(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_job_that_panics_ends() {
        let mut job = Broken { has_begun: false };
        super::run(&mut job);
        assert!(job.has_begun);
    }
}
