//! The host of contexts that only compile: nothing runs in them.

use std::future::Future;
use std::pin::Pin;

use engine::{AsyncCompletion, BlockingJob, Global, Host, ImportRequest, JsResult, Local, Scope, TaskSender};

/// See the module's comment.
pub(crate) struct BuildHost;

impl Host for BuildHost {
    fn spawn_blocking(&self, _: u64, _: Box<dyn BlockingJob>) {}
    fn complete_later(&self, _: u64) {}
    fn may_complete_now(&self) -> bool {
        true
    }
    fn spawn_local(&self, _: u64, _: Pin<Box<dyn Future<Output = AsyncCompletion>>>) {}
    fn load_module<'s>(&self, scope: &mut Scope<'s>, _: Option<u32>, _: &ImportRequest) -> JsResult<Local<'s>> {
        Err(scope.throw_error("modules are not loaded at build time"))
    }
    fn module_object<'s>(&self, _: &mut Scope<'s>, _: u32) -> Option<Local<'s>> {
        None
    }
    fn import_meta(&self, _: &mut Scope<'_>, _: u32, _: Local<'_>) -> JsResult<()> {
        Ok(())
    }
    fn promise_rejection(&self, _: &mut Scope<'_>, _: Local<'_>, _: bool) {}
    fn resolve_global<'s>(&self, _: &mut Scope<'s>, _: &str) -> JsResult<Option<Local<'s>>> {
        Ok(None)
    }
    fn finalization(&self, _: Global) {}
    fn interrupt(&self, _: &mut Scope<'_>) -> bool {
        true
    }
    fn engine_task_sender(&self) -> TaskSender {
        Box::new(|task, _| Err(task))
    }
}
