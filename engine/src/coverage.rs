//! Counters that code adds to, and the names by which it reaches them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mozjs::jsapi::{JS, JSObject, ObjectOpResult, PropertyDescriptor};
use mozjs::rooted;

use crate::bindings::NativeDefineProperty;
use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// Counts, from 0. The code of one thread adds to them.
#[derive(Clone)]
pub struct Counters(Arc<[AtomicU32]>);

impl Counters {
    /// `count` zeros.
    pub fn new(count: usize) -> Self {
        Counters((0..count).map(|_| AtomicU32::new(0)).collect())
    }

    /// How often it was counted. (Code adds to signed numbers; those that overflow are read right as unsigned.)
    pub fn get(&self, index: u32) -> u32 {
        self.0.get(index as usize).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// Begins again from 0.
    pub fn reset(&self) {
        self.0.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }
}

impl<'s> Scope<'s> {
    /// An `Int32Array` on counters: its elements are those that code adds to fastest.
    pub fn counters_array(&mut self, counters: &Counters) -> JsResult<Local<'s>> {
        self.atomic_words_array(counters.0.clone())
    }

    /// Defines a global of the current realm that code can name and no list of properties shows. In a realm of `node:vm`, the
    /// program's object does not get it. Nothing happens if it is there already.
    pub fn define_hidden_global(&mut self, name: &str, value: Local<'_>) -> JsResult<()> {
        let value = value.value();
        self.with_id(name, |scope, id| {
            // SAFETY: rooted handles; a global is a native object.
            unsafe {
                rooted!(in(scope.cx) let value = value);
                rooted!(in(scope.cx) let global: *mut JSObject = JS::CurrentGlobalOrNull(scope.cx));
                let mut desc = PropertyDescriptor::default();
                desc.set_hasConfigurable_(true);
                desc.set_hasEnumerable_(true);
                desc.set_hasWritable_(true);
                desc.set_hasValue_(true);
                desc.value_ = value.get();
                rooted!(in(scope.cx) let desc = desc);
                let mut result = ObjectOpResult::default();
                if NativeDefineProperty(scope.cx, global.handle().into(), id, desc.handle().into(), &mut result) {
                    Ok(())
                } else {
                    Err(Exc::pending())
                }
            }
        })
    }
}
