//! Git dependencies: the URLs they are written with, the bare repositories in the cache, checkouts of single commits.
//!
//! `<cache>/<hash16>.git` is a bare clone of one URL and `<cache>/@G@<commit>` the files of one commit, which linkers use like an
//! unpacked tarball. Git itself runs as a child process without a shell, without prompts and without a terminal.

mod process;
mod repository;
mod url;

pub(crate) use process::{Failure, git, run};
pub(crate) use repository::{Checkout, Job, Want, is_commit, obtain};
pub(crate) use url::{canonical, masked, repository_name};

use crate::error::Result;
use crate::store::Store;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Git processes at once: they wait for the network most of the time.
const MOST_GIT_PROCESSES: usize = 8;

type Done = Box<dyn FnOnce(Result<Checkout>) + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<(Job, Done)>,
    /// Repositories that a thread works in; a second job of one waits.
    busy: FxHashSet<String>,
    workers: usize,
}

/// Runs jobs on a few threads, at most one per repository.
#[derive(Clone)]
pub(crate) struct Pool {
    store: Arc<Store>,
    queue: Arc<(Mutex<Queue>, Condvar)>,
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store, queue: Arc::default() }
    }

    /// Queues a job; `done` is called on one of the threads.
    pub(crate) fn submit(&self, job: Job, done: Done) {
        let mut queue = lock(&self.queue.0);
        queue.jobs.push_back((job, done));
        if queue.workers >= MOST_GIT_PROCESSES {
            return;
        }
        queue.workers += 1;
        drop(queue);
        let pool = self.clone();
        let spawned = std::thread::Builder::new().name("bao-git".into()).spawn(move || pool.work());
        if spawned.is_err() {
            // No thread to be had: it is done here and now.
            self.work();
        }
    }

    fn work(&self) {
        let (mutex, freed) = &*self.queue;
        let mut queue = lock(mutex);
        loop {
            let free = queue.jobs.iter().position(|(job, _)| !queue.busy.contains(&job.url));
            let Some((job, done)) = free.and_then(|at| queue.jobs.remove(at)) else {
                if queue.jobs.is_empty() {
                    queue.workers -= 1;
                    return;
                }
                queue = freed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queue.busy.insert(job.url.clone());
            drop(queue);
            let result = obtain(&self.store, &job);
            queue = lock(mutex);
            queue.busy.remove(&job.url);
            drop(queue);
            freed.notify_all();
            done(result);
            queue = lock(mutex);
        }
    }
}
