//! Whether two trees of plain data are equal, for `util.isDeepStrictEqual`, `assert.deepEqual` and `Bun.deepEquals`.
//!
//! Plain objects (class instances too) with data properties, arrays without holes, dates, typed arrays and primitives are
//! compared here, without a call into the engine for each property. Every other pair is handed back to TypeScript, which
//! knows all kinds of objects (ext/util/comparisons.ts, ext/util/bun/equals.ts): what is decided here must be what
//! would be decided there. No JavaScript runs meanwhile, so nothing that is looked at changes; but ropes are made flat,
//! which may collect, so objects are held in handles and addresses are read anew for each property.

use mozjs::jsapi::{JS, JS_GetArrayBufferViewType, JS_IsArrayBufferViewObject, JSObject, JSString, Scalar, Value};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::object_layout::{Entry, Layout, Raw, linear};
use crate::string::Chars;

/// How strictly trees are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeRules {
    /// `assert.deepEqual`: `==` for primitives, no prototypes, no symbol keys.
    Loose,
    /// `assert.deepStrictEqual`.
    Strict,
    /// `util.isDeepStrictEqual` with `skipPrototype`.
    StrictWithoutPrototypes,
    /// `Bun.deepEquals`: properties may be missing where the other side has undefined.
    Lenient,
    /// `Bun.deepEquals` with `strict`.
    LenientStrict,
}

impl TreeRules {
    fn is_bun(self) -> bool {
        matches!(self, TreeRules::Lenient | TreeRules::LenientStrict)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Equal,
    Different,
    /// Not decided here.
    Open,
}

/// Objects deeper than this are handed back: the native stack is not endless.
const MAX_DEPTH: usize = 200;
/// Up to this many properties are matched by name where two objects have them in different orders.
const MAX_REORDERED: usize = 64;

struct Walk<'s> {
    rules: TreeRules,
    layout: Layout,
    /// Pairs that JavaScript is comparing: an array of both sides in turn, or undefined.
    outer: Local<'s>,
    /// Pairs that are being compared here, outermost first.
    open: Vec<(Local<'s>, Local<'s>)>,
    /// Properties of the objects that are being compared.
    entries: Vec<Entry>,
    /// The array of what was handed back; undefined as long as there is nothing.
    left: Local<'s>,
    left_count: u32,
    /// Prototypes of a plain object and of another one whose chains have been looked at; forgotten when something collects.
    plain_proto: *mut JSObject,
    other_proto: *mut JSObject,
}

impl<'s> Scope<'s> {
    /// Compares two objects. True or false; or undefined, if the two are of a kind that is not known here; or, if the
    /// answer depends on pairs of other kinds inside, an array of three values for each: both sides, and an array of the
    /// pairs around them, outermost first, as `outer` is one of those around `a` and `b`.
    pub fn compare_trees(
        &mut self,
        a: Local<'s>,
        b: Local<'s>,
        rules: TreeRules,
        outer: Local<'s>,
    ) -> JsResult<Local<'s>> {
        let left = self.undefined();
        let Some(layout) = self.layout()? else { return Ok(left) };
        if !a.is_object() || !b.is_object() {
            return Ok(left);
        }
        let mut walk = Walk {
            rules,
            layout,
            outer,
            open: Vec::new(),
            entries: Vec::new(),
            left,
            left_count: 0,
            plain_proto: std::ptr::null_mut(),
            other_proto: std::ptr::null_mut(),
        };
        Ok(match walk.objects(self, a, b)? {
            Verdict::Different => self.boolean(false),
            Verdict::Open => self.undefined(),
            Verdict::Equal if walk.left_count > 0 => left,
            Verdict::Equal => self.boolean(true),
        })
    }
}

/// # Safety
/// The result must not be used after anything that may collect.
unsafe fn raw(object: Local<'_>) -> Raw {
    // SAFETY: the caller uses it before anything can collect.
    unsafe { Raw::new(object.value().to_object()) }
}

impl<'s> Walk<'s> {
    /// To be called after everything that may collect.
    fn collected(&mut self) {
        self.plain_proto = std::ptr::null_mut();
        self.other_proto = std::ptr::null_mut();
    }

    fn objects(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> JsResult<Verdict> {
        // SAFETY: not used beyond the calls below, which get the handles.
        let (x, y) = unsafe { (raw(a), raw(b)) };
        if !x.is_native() || !y.is_native() || x.class() != y.class() {
            return Ok(Verdict::Open);
        }
        if x.class() == self.layout.plain {
            return self.plain_objects(scope, a, b);
        }
        if x.class() == self.layout.array {
            return self.arrays(scope, a, b);
        }
        self.other_objects(scope, a, b)
    }

    /// Whether the prototypes from `first` on say nothing about what kind of object this is: ordinary objects without
    /// well-known symbols, up to one of the engine's own prototypes, or, for plain objects, to the end.
    fn is_ordinary_chain(&mut self, first: *mut JSObject, plain: bool) -> bool {
        let known = if plain { &mut self.plain_proto } else { &mut self.other_proto };
        if first == *known {
            return true;
        }
        let mut proto = first;
        while !proto.is_null() {
            // SAFETY: live, as the object is; nothing collects here.
            let object = unsafe { Raw::new(proto) };
            if !object.is_native() {
                return false;
            }
            if object.class() != self.layout.plain {
                if plain {
                    return false;
                }
                break;
            }
            if object.has_interesting_symbol() {
                return false;
            }
            proto = object.proto();
        }
        *known = first;
        true
    }

    /// Whether a cycle is closed. As in TypeScript, Node looks whether both sides come back to anything that is open, Bun
    /// whether they come back to each other.
    fn cycle(&self, a: Local<'s>, b: Local<'s>) -> Option<bool> {
        let (a, b) = (a.value().asBits_, b.value().asBits_);
        let (mut has_a, mut has_b) = (false, false);
        let mut look = |left: u64, right: u64| {
            if self.rules.is_bun() {
                if left == a {
                    return Some(right == b);
                }
                return (right == b).then_some(false);
            }
            has_a |= left == a || right == a;
            has_b |= left == b || right == b;
            None
        };
        if self.outer.is_object() {
            // SAFETY: an array of JavaScript, dense; nothing collects here.
            let outer = unsafe { raw(self.outer) };
            for index in (0..outer.initialized() & !1).step_by(2) {
                let answer = look(outer.element(index).asBits_, outer.element(index + 1).asBits_);
                if answer.is_some() {
                    return answer;
                }
            }
        }
        for (left, right) in &self.open {
            let answer = look(left.value().asBits_, right.value().asBits_);
            if answer.is_some() {
                return answer;
            }
        }
        (has_a || has_b).then_some(has_a && has_b)
    }

    fn plain_objects(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> JsResult<Verdict> {
        // SAFETY: nothing collects before the loops, which read the addresses anew.
        let (x, y) = unsafe { (raw(a), raw(b)) };
        if x.proto() != y.proto() {
            return Ok(if self.rules == TreeRules::Strict { Verdict::Different } else { Verdict::Open });
        }
        if !self.is_ordinary_chain(x.proto(), true)
            || x.has_interesting_symbol()
            || y.has_interesting_symbol()
            || x.is_indexed()
            || y.is_indexed()
            || x.initialized() != y.initialized()
        {
            return Ok(Verdict::Open);
        }
        let base = self.entries.len();
        let verdict = match self.match_entries(x, y) {
            Ok(count) if count == 0 && x.initialized() == 0 => Verdict::Equal,
            Ok(count) => self.around(scope, a, b, |walk, scope| {
                // SAFETY: as above, in the callee.
                let elements = unsafe { raw(a) }.initialized();
                let verdict = walk.elements(scope, a, b, elements)?;
                if verdict != Verdict::Equal {
                    return Ok(verdict);
                }
                for index in base..base + count {
                    let (left, right) = (walk.entries[index].slot, walk.entries[index + count].slot);
                    // SAFETY: addresses are read anew each time; no property goes away, as no JavaScript runs.
                    let (left, right) = unsafe { (raw(a).slot(left), raw(b).slot(right)) };
                    if walk.values(scope, left, right)? == Verdict::Different {
                        return Ok(Verdict::Different);
                    }
                }
                Ok(Verdict::Equal)
            })?,
            Err(verdict) => verdict,
        };
        self.entries.truncate(base);
        Ok(verdict)
    }

    /// Appends the properties of both, in the same order, and gives their number; or says why there is nothing to compare.
    fn match_entries(&mut self, x: Raw, y: Raw) -> Result<usize, Verdict> {
        let base = self.entries.len();
        if !x.entries(&mut self.entries) {
            return Err(Verdict::Open);
        }
        let count = self.entries.len() - base;
        if self.rules == TreeRules::Loose && self.entries[base..].iter().any(|entry| entry.is_symbol()) {
            return Err(Verdict::Open);
        }
        if x.same_shape(y) {
            self.entries.extend_from_within(base..);
            return Ok(count);
        }
        if !y.entries(&mut self.entries) {
            return Err(Verdict::Open);
        }
        let (left, right) = self.entries[base..].split_at_mut(count);
        if self.rules == TreeRules::Loose && right.iter().any(|entry| entry.is_symbol()) {
            return Err(Verdict::Open);
        }
        let unlike = if self.rules == TreeRules::Lenient { Verdict::Open } else { Verdict::Different };
        if left.len() != right.len() {
            return Err(unlike);
        }
        for index in 0..count {
            let key = left[index].key;
            if right[index].key == key {
                continue;
            }
            if count > MAX_REORDERED {
                return Err(Verdict::Open);
            }
            match right[index..].iter().position(|entry| entry.key == key) {
                Some(found) => right.swap(index, index + found),
                None => return Err(unlike),
            }
        }
        Ok(count)
    }

    /// Runs `inside` with the pair marked as open, unless that closes a cycle or goes too deep.
    fn around(
        &mut self,
        scope: &mut Scope<'s>,
        a: Local<'s>,
        b: Local<'s>,
        inside: impl FnOnce(&mut Self, &mut Scope<'s>) -> JsResult<Verdict>,
    ) -> JsResult<Verdict> {
        if let Some(equal) = self.cycle(a, b) {
            return Ok(if equal { Verdict::Equal } else { Verdict::Different });
        }
        if self.open.len() == MAX_DEPTH {
            return Ok(Verdict::Open);
        }
        self.open.push((a, b));
        let verdict = inside(self, scope);
        self.open.pop();
        verdict
    }

    fn arrays(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> JsResult<Verdict> {
        // SAFETY: nothing collects before the loop, which reads the addresses anew.
        let (x, y) = unsafe { (raw(a), raw(b)) };
        if x.proto() != y.proto() {
            let counts = matches!(self.rules, TreeRules::Strict | TreeRules::LenientStrict);
            return Ok(if counts { Verdict::Different } else { Verdict::Open });
        }
        if !self.is_ordinary_chain(x.proto(), false) || !x.has_only_length() || !y.has_only_length() {
            return Ok(Verdict::Open);
        }
        let length = x.length();
        if length != y.length() {
            return Ok(if self.rules == TreeRules::Lenient { Verdict::Open } else { Verdict::Different });
        }
        if x.initialized() != length || y.initialized() != length || x.is_indexed() || y.is_indexed() {
            return Ok(Verdict::Open);
        }
        if length == 0 {
            return Ok(Verdict::Equal);
        }
        self.around(scope, a, b, |walk, scope| walk.elements(scope, a, b, length))
    }

    /// Elements up to `count`, which both have; open where one is a hole.
    fn elements(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>, count: u32) -> JsResult<Verdict> {
        for index in 0..count {
            // SAFETY: addresses are read anew each time; the elements stay, as no JavaScript runs.
            let (left, right) = unsafe { (raw(a).element(index), raw(b).element(index)) };
            if left.is_magic() || right.is_magic() {
                return Ok(Verdict::Open);
            }
            if self.values(scope, left, right)? == Verdict::Different {
                return Ok(Verdict::Different);
            }
        }
        Ok(Verdict::Equal)
    }

    /// Two properties or elements. What is not decided here is noted and counts as equal.
    fn values(&mut self, scope: &mut Scope<'s>, left: Value, right: Value) -> JsResult<Verdict> {
        let decided = |equal: bool| Ok(if equal { Verdict::Equal } else { Verdict::Different });
        if left.asBits_ == right.asBits_ {
            return Ok(Verdict::Equal);
        }
        if left.is_object() && right.is_object() {
            let height = scope.ctx().handles.height();
            let (a, b) = (scope.local(left), scope.local(right));
            let mut verdict = self.objects(scope, a, b)?;
            if verdict == Verdict::Open {
                self.hand_back(scope, a, b)?;
                verdict = Verdict::Equal;
            }
            // What was made above it is used no more: pairs that were handed back are in an array.
            scope.ctx().handles.cut(height);
            return Ok(verdict);
        }
        if left.is_number() && right.is_number() {
            let (left, right) = (left.to_number(), right.to_number());
            if left == right {
                // The same number in two forms, or zeros of both signs.
                return decided(self.rules == TreeRules::Loose || left.to_bits() == right.to_bits());
            }
            return decided(left.is_nan() && right.is_nan());
        }
        if left.is_string() && right.is_string() {
            return decided(self.strings(scope, left, right)?);
        }
        if left.is_bigint() && right.is_bigint() {
            let mut same = false;
            // SAFETY: rooted handles.
            unsafe {
                rooted!(in(scope.cx) let left = left);
                rooted!(in(scope.cx) let right = right);
                if !JS::SameValue(scope.cx, left.handle().into(), right.handle().into(), &mut same) {
                    return Err(Exc::pending());
                }
            }
            self.collected();
            return decided(same);
        }
        if self.rules != TreeRules::Loose {
            return Ok(Verdict::Different);
        }
        // Values of different types may be equal by `==`.
        let height = scope.ctx().handles.height();
        let (a, b) = (scope.local(left), scope.local(right));
        self.hand_back(scope, a, b)?;
        scope.ctx().handles.cut(height);
        Ok(Verdict::Equal)
    }

    fn strings(&mut self, scope: &mut Scope<'s>, left: Value, right: Value) -> JsResult<bool> {
        // SAFETY: live strings, whose header the engine publishes (js/shadow/String.h); nothing collects here.
        let known = unsafe {
            let (x, y) = (left.to_string(), right.to_string());
            if length(x) != length(y) { Some(false) } else { linear(x).and_then(|x| Some(same_chars(&x, &linear(y)?))) }
        };
        if let Some(same) = known {
            return Ok(same);
        }
        // A rope. Both are made flat before the characters of either are looked at.
        let height = scope.ctx().handles.height();
        let (a, b) = (scope.local(left), scope.local(right));
        scope.chars(a)?;
        scope.chars(b)?;
        self.collected();
        // SAFETY: as above.
        let same = unsafe {
            let flat = |string: Local<'_>| linear(string.value().to_string());
            flat(a).zip(flat(b)).is_some_and(|(x, y)| same_chars(&x, &y))
        };
        scope.ctx().handles.cut(height);
        Ok(same)
    }

    fn other_objects(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> JsResult<Verdict> {
        // SAFETY: nothing collects while the addresses are used.
        let (x, y) = unsafe { (raw(a), raw(b)) };
        if !x.has_no_properties()
            || !y.has_no_properties()
            || x.proto() != y.proto()
            || !self.is_ordinary_chain(x.proto(), false)
        {
            return Ok(Verdict::Open);
        }
        // SAFETY: live objects of the same class, whose name is a constant of the engine.
        unsafe {
            if JS_IsArrayBufferViewObject(a.value().to_object()) {
                return Ok(self.views(scope, a, b));
            }
            if std::ffi::CStr::from_ptr((*x.class()).name) != c"Date" {
                return Ok(Verdict::Open);
            }
            let (mut left, mut right) = (0.0f64, 0.0f64);
            for (date, time) in [(a, &mut left), (b, &mut right)] {
                rooted!(in(scope.cx) let date = date.value().to_object());
                if !mozjs::jsapi::js::DateGetMsecSinceEpoch(scope.cx, date.handle().into(), time) {
                    return Err(Exc::pending());
                }
            }
            let equal = left == right || left.is_nan() && right.is_nan() && !self.rules.is_bun();
            Ok(if equal { Verdict::Equal } else { Verdict::Different })
        }
    }

    fn views(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> Verdict {
        let (Some(left), Some(right)) = (scope.buffer_slice(a), scope.buffer_slice(b)) else { return Verdict::Open };
        if left.len != right.len {
            return Verdict::Different;
        }
        if left.len == 0 {
            return Verdict::Equal;
        }
        // SAFETY: live views; nothing collects here.
        let (kind, same) = unsafe {
            let same =
                std::slice::from_raw_parts(left.data, left.len) == std::slice::from_raw_parts(right.data, right.len);
            (JS_GetArrayBufferViewType(a.value().to_object()), same)
        };
        // NaN and zeros: equal bytes are not equal numbers everywhere, and the other way round.
        if matches!(kind, Scalar::Type::Float16 | Scalar::Type::Float32 | Scalar::Type::Float64) {
            let exact = matches!(self.rules, TreeRules::Strict | TreeRules::StrictWithoutPrototypes);
            return if same && exact { Verdict::Equal } else { Verdict::Open };
        }
        if same { Verdict::Equal } else { Verdict::Different }
    }

    /// Notes a pair for JavaScript to decide.
    fn hand_back(&mut self, scope: &mut Scope<'s>, a: Local<'s>, b: Local<'s>) -> JsResult<()> {
        let mut around = Vec::new();
        for index in 0..scope.array_length(self.outer)? {
            around.push(scope.get_index(self.outer, index)?);
        }
        for &(left, right) in &self.open {
            around.push(left);
            around.push(right);
        }
        let around = scope.new_array(&around)?;
        if self.left_count == 0 {
            let list = scope.new_array(&[])?;
            // SAFETY: the slot was made for this, below everything that is cut.
            unsafe { *Scope::out(self.left).ptr = list.value() };
        }
        for item in [a, b, around] {
            scope.set_index(self.left, self.left_count, item)?;
            self.left_count += 1;
        }
        self.collected();
        Ok(())
    }
}

/// Number of code units.
///
/// # Safety
/// A live string.
unsafe fn length(string: *mut JSString) -> usize {
    // SAFETY: the caller has a live string.
    unsafe { (*string.cast::<JS::shadow::String>()).flags_ >> 32 }
}

fn same_chars(left: &Chars<'_>, right: &Chars<'_>) -> bool {
    match (left, right) {
        (Chars::Latin1(left), Chars::Latin1(right)) => left == right,
        (Chars::Utf16(left), Chars::Utf16(right)) => left == right,
        (Chars::Latin1(bytes), Chars::Utf16(units)) | (Chars::Utf16(units), Chars::Latin1(bytes)) => {
            bytes.len() == units.len() && bytes.iter().zip(*units).all(|(&byte, &unit)| u16::from(byte) == unit)
        }
    }
}
