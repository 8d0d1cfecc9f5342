//! The blocking thread pool: for system calls that may wait. Threads start when there is work and end when there has
//! been none for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static POOL: OnceLock<Arc<Shared>> = OnceLock::new();

fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        std::env::var("UV_THREADPOOL_SIZE")
            .ok()
            .and_then(|v| v.parse::<usize>().ok())
            .map(|n| n.clamp(1, 1024))
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(4, |n| n.get().max(4)))
    })
}

/// Runs `job` on a pool thread. Where no thread can be started and none exists, runs it here.
pub fn spawn(job: Job) {
    let shared = POOL.get_or_init(|| Arc::new(Shared { queue: Mutex::default(), wake: Condvar::new() })).clone();
    let mut queue = shared.queue.lock().unwrap_or_else(|p| p.into_inner());
    queue.jobs.push_back(job);
    if queue.idle >= queue.jobs.len() || queue.threads >= limit() {
        shared.wake.notify_one();
        return;
    }
    queue.threads += 1;
    drop(queue);
    let for_thread = shared.clone();
    let started =
        std::thread::Builder::new().name("bao-pool".into()).stack_size(512 << 10).spawn(move || work(&for_thread));
    if started.is_err() {
        let mut queue = shared.queue.lock().unwrap_or_else(|p| p.into_inner());
        queue.threads -= 1;
        if queue.threads == 0
            && let Some(job) = queue.jobs.pop_front()
        {
            drop(queue);
            job();
        }
    }
}

fn work(shared: &Shared) {
    let mut queue = shared.queue.lock().unwrap_or_else(|p| p.into_inner());
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            drop(queue);
            job();
            queue = shared.queue.lock().unwrap_or_else(|p| p.into_inner());
            continue;
        }
        queue.idle += 1;
        let (guard, timeout) =
            shared.wake.wait_timeout(queue, Duration::from_secs(10)).unwrap_or_else(|p| p.into_inner());
        queue = guard;
        queue.idle -= 1;
        if timeout.timed_out() && queue.jobs.is_empty() {
            queue.threads -= 1;
            return;
        }
    }
}
