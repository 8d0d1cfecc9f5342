//! A document that is being rewritten.
//!
//! lol_html calls a handler in the middle of parsing, and goes on when that returns. A handler of a program may give a
//! promise, so parsing has to stop without returning. The parser therefore runs on a small stack of its own: a handler
//! leaves that stack with what it was called for, and is entered again when the program is done. Only lol_html runs
//! there; JavaScript runs on the stack of its thread, between two ops.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use engine::{OpError, Resource, op};
use lol_html::html_content::{Comment, Doctype, DocumentEnd, Element, EndTag, TextChunk};
use lol_html::{DocumentContentHandlers, ElementContentHandlers, HandlerResult, HtmlRewriter, OutputSink, Settings};

use crate::template::{COMMENTS, DOCTYPE, ELEMENT, END, TEXT, Template};

/// Bytes of a parser's stack. Its depth does not depend on the document: lol_html keeps the open elements on the heap.
const STACK_SIZE: usize = 256 << 10;
/// Stacks that a thread keeps for the next documents.
const MAX_SPARE_STACKS: usize = 4;

thread_local! {
    static SPARE_STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// What has come: the number of the event is 1 + kind + 8 * place of the handlers, or of the end tag handler.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Kind {
    Element,
    Comment,
    Text,
    Doctype,
    DocumentEnd,
    EndTag,
}

/// The input is used up, or the document is at its end.
const DONE: u32 = 0;
/// `takeFailure` says what has gone wrong.
const FAILED: u32 = u32::MAX;

fn event(kind: Kind, place: u32) -> u32 {
    1 + kind as u32 + 8 * place
}

/// What the parser's stack is entered with.
enum Command {
    Write(Vec<u8>),
    End,
    /// The handler is done.
    Proceed,
    /// Nobody wants the rest.
    Stop,
}

/// What a parser has stopped at. The pointer is to a value on the parser's stack or beneath it, which lives until the
/// parser goes on.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    None,
    Element(NonNull<Element<'static, 'static>>),
    Comment(NonNull<Comment<'static>>),
    Text(NonNull<TextChunk<'static>>),
    Doctype(NonNull<Doctype<'static>>),
    DocumentEnd(NonNull<DocumentEnd<'static>>),
    EndTag(NonNull<EndTag<'static>>),
}

/// What the parser's stack and the ops share.
pub(crate) struct Shared {
    /// Where the parser's stack is left; null before it was entered.
    yielder: Cell<*const Yielder<Command, u32>>,
    pub unit: Cell<Unit>,
    output: RefCell<Vec<u8>>,
    end_tags: RefCell<EndTagNumbers>,
}

/// Numbers of end tag handlers; one is used again once lol_html has called its handler or forgotten it.
#[derive(Default)]
struct EndTagNumbers {
    count: u32,
    free: Vec<u32>,
}

/// A number in use.
struct EndTagNumber {
    shared: Rc<Shared>,
    number: u32,
}

impl Drop for EndTagNumber {
    fn drop(&mut self) {
        self.shared.end_tags.borrow_mut().free.push(self.number);
    }
}

/// The error of a handler that was not awaited; nobody sees it.
const STOPPED: &str = "The rewriter has been stopped.";

impl Shared {
    /// Leaves the parser's stack until the program has handled `unit`.
    fn hold(&self, unit: Unit, event: u32) -> HandlerResult {
        self.unit.set(unit);
        // SAFETY: set when the stack was entered, and valid as long as that runs; handlers run nowhere else.
        let command = unsafe { &*self.yielder.get() }.suspend(event);
        self.unit.set(Unit::None);
        match command {
            Command::Proceed => Ok(()),
            _ => Err(STOPPED.into()),
        }
    }
}

struct Sink(Rc<Shared>);

impl OutputSink for Sink {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        self.0.output.borrow_mut().extend_from_slice(chunk);
    }
}

impl Shared {
    /// A handler of an end tag, and its number.
    pub(crate) fn end_tag_handler(self: &Rc<Self>) -> (lol_html::EndTagHandler<'static>, u32) {
        let mut numbers = self.end_tags.borrow_mut();
        let number = numbers.free.pop().unwrap_or_else(|| {
            numbers.count += 1;
            numbers.count - 1
        });
        let held = EndTagNumber { shared: self.clone(), number };
        let handler = move |tag: &mut EndTag<'_>| {
            held.shared.hold(Unit::EndTag(NonNull::from(tag).cast()), event(Kind::EndTag, held.number))
        };
        (Box::new(handler), number)
    }
}

fn settings(template: &Template, shared: &Rc<Shared>) -> Settings<'static, 'static> {
    // Documents that a browser and a streaming parser may read differently are rewritten as far as that goes, as in Bun.
    let mut settings = Settings::new().with_strict(false);
    for (place, registration) in template.registrations.borrow().iter().enumerate() {
        let (place, kinds) = (place as u32, registration.kinds);
        let comments = (kinds & COMMENTS != 0).then(|| {
            let shared = shared.clone();
            Box::new(move |comment: &mut Comment<'_>| {
                shared.hold(Unit::Comment(NonNull::from(comment).cast()), event(Kind::Comment, place))
            }) as lol_html::CommentHandler<'static>
        });
        let text = (kinds & TEXT != 0).then(|| {
            let shared = shared.clone();
            Box::new(move |text: &mut TextChunk<'_>| {
                shared.hold(Unit::Text(NonNull::from(text).cast()), event(Kind::Text, place))
            }) as lol_html::TextHandler<'static>
        });
        if let Some(selector) = &registration.selector {
            let element = (kinds & ELEMENT != 0).then(|| {
                let shared = shared.clone();
                Box::new(move |element: &mut Element<'_, '_>| {
                    shared.hold(Unit::Element(NonNull::from(element).cast()), event(Kind::Element, place))
                }) as lol_html::ElementHandler<'static>
            });
            let handlers = ElementContentHandlers { element, comments, text };
            settings = settings.append_element_content_handler((Cow::Owned(selector.as_ref().clone()), handlers));
        } else {
            let doctype = (kinds & DOCTYPE != 0).then(|| {
                let shared = shared.clone();
                Box::new(move |doctype: &mut Doctype<'_>| {
                    shared.hold(Unit::Doctype(NonNull::from(doctype).cast()), event(Kind::Doctype, place))
                }) as lol_html::DoctypeHandler<'static>
            });
            let end = (kinds & END != 0).then(|| {
                let shared = shared.clone();
                Box::new(move |end: &mut DocumentEnd<'_>| {
                    shared.hold(Unit::DocumentEnd(NonNull::from(end).cast()), event(Kind::DocumentEnd, place))
                }) as lol_html::EndHandler<'static>
            });
            let handlers = DocumentContentHandlers { doctype, comments, text, end };
            settings = settings.append_document_content_handler(handlers);
        }
    }
    settings
}

type Parser = Coroutine<Command, u32, Result<(), String>>;

/// What runs on the parser's stack. It ends with the document, with an error of lol_html, or if nobody wants the rest.
fn parse(
    shared: &Rc<Shared>,
    settings: Settings<'static, 'static>,
    yielder: &Yielder<Command, u32>,
    first: Command,
) -> Result<(), String> {
    shared.yielder.set(ptr::from_ref(yielder));
    let mut rewriter = HtmlRewriter::new(settings, Sink(shared.clone()));
    let mut command = first;
    loop {
        match command {
            Command::Write(bytes) => rewriter.write(&bytes).map_err(|error| error.to_string())?,
            Command::End => return rewriter.end().map_err(|error| error.to_string()),
            Command::Proceed => {}
            Command::Stop => return Ok(()),
        }
        command = yielder.suspend(DONE);
    }
}

/// A document that is being rewritten: what `start` gives.
pub(crate) struct Rewriter {
    pub shared: Rc<Shared>,
    /// `None` once it has ended.
    parser: RefCell<Option<Parser>>,
    failure: RefCell<Option<String>>,
}

impl Rewriter {
    fn new(template: &Template) -> std::io::Result<Self> {
        let shared = Rc::new(Shared {
            yielder: Cell::new(ptr::null()),
            unit: Cell::new(Unit::None),
            output: RefCell::new(Vec::new()),
            end_tags: RefCell::default(),
        });
        let settings = settings(template, &shared);
        let spare = SPARE_STACKS.with_borrow_mut(Vec::pop);
        let stack = spare.map_or_else(|| DefaultStack::new(STACK_SIZE), Ok)?;
        let inside = shared.clone();
        let parser = Coroutine::with_stack(stack, move |yielder: &Yielder<Command, u32>, first| {
            parse(&inside, settings, yielder, first)
        });
        Ok(Rewriter { shared, parser: RefCell::new(Some(parser)), failure: RefCell::new(None) })
    }

    /// Enters the parser's stack; gives the number of the event at which it was left.
    fn enter(&self, command: Command) -> u32 {
        // Taken out: if lol_html panics, what is left of it is dropped.
        let Some(mut parser) = self.parser.take() else {
            self.failure.borrow_mut().get_or_insert_with(|| STOPPED.to_owned());
            return FAILED;
        };
        match parser.resume(command) {
            CoroutineResult::Yield(event) => {
                self.parser.replace(Some(parser));
                event
            }
            CoroutineResult::Return(result) => {
                // The stack may be gone with its thread's table where a thread ends.
                let _ = SPARE_STACKS.try_with(|spare| {
                    let mut spare = spare.borrow_mut();
                    if spare.len() < MAX_SPARE_STACKS {
                        spare.push(parser.into_stack());
                    }
                });
                match result {
                    Ok(()) => DONE,
                    Err(message) => {
                        self.failure.replace(Some(message));
                        FAILED
                    }
                }
            }
        }
    }

    fn is_stopped_at_unit(&self) -> bool {
        !matches!(self.shared.unit.get(), Unit::None)
    }
}

impl Drop for Rewriter {
    fn drop(&mut self) {
        if self.parser.get_mut().is_some() {
            self.enter(Command::Stop);
        }
    }
}

/// Begins a document.
#[op]
pub(crate) fn start(template: &Resource<Template>) -> Result<Resource<Rewriter>, OpError> {
    match Rewriter::new(template) {
        Ok(rewriter) => Ok(Resource::new(rewriter)),
        Err(error) => Err(OpError::io(error, "mmap")),
    }
}

fn refuse_unit(rewriter: &Rewriter) -> Result<(), OpError> {
    if rewriter.is_stopped_at_unit() {
        return Err(OpError::error("a handler of this document is not done"));
    }
    Ok(())
}

/// Parses bytes, which are copied. 0: all are taken; 0xffffffff: `takeFailure` says what is wrong; else a handler is to
/// be called and `proceed` after it: 1 + kind + 8 * place. Kinds: 0 element, 1 comment, 2 text, 3 doctype, 4 end of the
/// document, whose place is that of the registration; 5 end tag, whose place is the number given to `onEndTag`.
#[op]
pub(crate) fn write(rewriter: &Resource<Rewriter>, bytes: &[u8]) -> Result<u32, OpError> {
    refuse_unit(rewriter)?;
    Ok(rewriter.enter(Command::Write(bytes.to_vec())))
}

/// Parses what is left at the end of the document. As `write`.
#[op]
pub(crate) fn end(rewriter: &Resource<Rewriter>) -> Result<u32, OpError> {
    refuse_unit(rewriter)?;
    Ok(rewriter.enter(Command::End))
}

/// Goes on after a handler. As `write`.
#[op]
pub(crate) fn proceed(rewriter: &Resource<Rewriter>) -> u32 {
    rewriter.enter(Command::Proceed)
}

/// Gives the rest of the document up.
#[op]
pub(crate) fn stop(rewriter: &Resource<Rewriter>) {
    if rewriter.parser.borrow().is_some() {
        rewriter.enter(Command::Stop);
    }
}

/// The bytes that have come out since the last call.
#[op]
pub(crate) fn take_output(rewriter: &Resource<Rewriter>) -> Vec<u8> {
    rewriter.shared.output.take()
}

/// The message of what has gone wrong.
#[op]
pub(crate) fn take_failure(rewriter: &Resource<Rewriter>) -> Option<String> {
    rewriter.failure.take()
}
