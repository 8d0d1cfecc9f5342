//! Panics of the bundler while it reads a module. rolldown reads each in a task of its own and waits for ever for one that has
//! ended this way: the build has to be told.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::PanicHookInfo;
use std::pin::pin;
use std::sync::{Arc, Once, PoisonError, Weak};

use crate::shared::Shared;

thread_local! {
    /// The build and the module that this thread reads.
    static READS: RefCell<Option<(Weak<Shared>, String)>> = const { RefCell::new(None) };
}

/// Notes that this thread reads a module from here on.
pub(crate) fn enter(shared: &Arc<Shared>, id: &str) {
    READS.set(Some((Arc::downgrade(shared), id.to_string())));
}

/// Does what reads a module, on whatever threads. The thread that ends it goes on with the module: it is parsed next.
pub(crate) async fn reading<T>(shared: &Arc<Shared>, id: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    poll_fn(|context| {
        enter(shared, id);
        let polled = work.as_mut().poll(context);
        if polled.is_pending() {
            leave();
        }
        polled
    })
    .await
}

/// Notes that this thread does something else now.
pub(crate) fn leave() {
    READS.set(None);
}

/// Has panics tell the builds that they end, once for the process. Others are reported as before.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !tell(info) {
                before(info);
            }
        }));
    });
}

/// Tells the build whose module this thread reads; whether there is one.
fn tell(info: &PanicHookInfo<'_>) -> bool {
    let Some((shared, id)) = READS.try_with(|reads| reads.take()).ok().flatten() else { return false };
    let Some(shared) = shared.upgrade() else { return false };
    let text = info.payload_as_str().unwrap_or("a panic");
    let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let mut panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner);
    panic.get_or_insert_with(|| format!("the bundler has a bug, please report it with \"{id}\": {text}{place}"));
    shared.panicked.notify_one();
    true
}
