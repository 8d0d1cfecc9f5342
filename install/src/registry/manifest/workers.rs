//! Threads that unpack and read manifests while the network's thread goes on.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                drop(state);
                job();
                state = self.lock();
            } else if state.closing {
                state.threads -= 1;
                return;
            } else {
                state.idle += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

/// As many threads as there are cores, each started by the first job that finds nobody idle.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    most: usize,
}

impl Default for Workers {
    fn default() -> Self {
        let most = std::thread::available_parallelism().map_or(1, usize::from).min(16);
        Self { shared: Arc::default(), most }
    }
}

impl Workers {
    /// Runs `job` on one of the threads, or here where there is none to be had.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.lock();
        state.queue.push_back(Box::new(job));
        if state.idle > 0 {
            drop(state);
            self.shared.work.notify_one();
            return;
        }
        if state.threads >= self.most {
            return;
        }
        state.threads += 1;
        let shared = self.shared.clone();
        drop(state);
        if std::thread::Builder::new().name("bao-manifest".into()).spawn(move || shared.run()).is_err() {
            let mut state = self.shared.lock();
            state.threads -= 1;
            let job = if state.threads == 0 { state.queue.pop_front() } else { None };
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.work.notify_all();
    }
}
