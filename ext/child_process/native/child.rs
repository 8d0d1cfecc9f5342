//! A process as a source of the thread's poller: its end is an event like any other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::{F64Array, IntoJs, JsResult, Scope};
use poll::{Key, Poller, Ready, Source};

use crate::callback::Callback;
use crate::process::{Exit, Process};

/// How a process ended, for JavaScript: `[code, signal, usage]`.
pub(crate) type ExitNumbers = (i32, i32, F64Array);

/// The numbers of an exit.
pub(crate) fn exit_numbers(exit: &Exit) -> ExitNumbers {
    (exit.code, exit.signal, F64Array(exit.usage.to_vec()))
}

/// A process that is waited for.
pub(crate) struct Child {
    pub process: Process,
    poller: Rc<Poller>,
    key: Cell<Option<Key>>,
    /// `callback(code, signal, usage)`; -1 for the code where somebody else has waited for the process.
    ended: RefCell<Option<Callback>>,
    referenced: Cell<bool>,
}

impl Child {
    /// Waits for the end of `process`.
    pub(crate) fn watch(poller: Rc<Poller>, process: Process, ended: Callback) -> std::io::Result<Rc<Self>> {
        let child = Rc::new(Child {
            process,
            poller,
            key: Cell::new(None),
            ended: RefCell::new(Some(ended)),
            referenced: Cell::new(true),
        });
        let key = child.poller.add_last(child.process.end(), child.clone())?;
        child.key.set(Some(key));
        child.poller.count_refs(1);
        Ok(child)
    }

    /// Whether it keeps the loop alive while it runs.
    pub(crate) fn set_referenced(&self, on: bool) {
        if on != self.referenced.replace(on) && self.key.get().is_some() {
            self.poller.count_refs(if on { 1 } else { -1 });
        }
    }
}

impl Source for Child {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, _ready: Ready) -> JsResult<()> {
        let exit = match self.process.try_reap() {
            Ok(None) => return Ok(()),
            Ok(Some(exit)) => Some(exit),
            Err(_) => None,
        };
        if let Some(key) = self.key.take() {
            self.poller.remove(key, self.process.end());
            if self.referenced.get() {
                self.poller.count_refs(-1);
            }
        }
        let Some(ended) = self.ended.take() else { return Ok(()) };
        let (code, signal, usage) = exit.as_ref().map_or((-1, 0, F64Array(Vec::new())), exit_numbers);
        let arguments = [scope.int(code), scope.int(signal), usage.into_js(scope)?];
        ended.call(scope, &arguments)
    }
}
