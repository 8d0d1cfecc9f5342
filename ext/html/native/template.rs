//! What a rewriter listens for: selectors and kinds of handlers, in the order in which they were registered.

use std::cell::RefCell;
use std::rc::Rc;

use engine::{OpError, Resource, op};
use lol_html::Selector;

/// Bits of `kinds`: which handlers a registration has.
pub(crate) const ELEMENT: u32 = 1;
pub(crate) const COMMENTS: u32 = 2;
pub(crate) const TEXT: u32 = 4;
pub(crate) const DOCTYPE: u32 = 8;
pub(crate) const END: u32 = 16;

/// Most bytes of a selector. lol_html recurses once per combinator when it compiles one, on the stack of a rewriter.
const MAX_SELECTOR: usize = 4096;

pub(crate) struct Registration {
    /// `None` for handlers of the document.
    pub selector: Option<Rc<Selector>>,
    pub kinds: u32,
}

#[derive(Default)]
pub(crate) struct Template {
    pub registrations: RefCell<Vec<Registration>>,
}

/// A rewriter without handlers.
#[op]
pub(crate) fn new_template() -> Resource<Template> {
    Resource::new(Template::default())
}

/// Registers handlers for elements that `selector` matches; `kinds`: 1 element, 2 comments, 4 text. An Error says what
/// is wrong with the selector.
#[op]
pub(crate) fn add_element(template: &Resource<Template>, selector: String, kinds: u32) -> Result<(), OpError> {
    if selector.len() > MAX_SELECTOR {
        return Err(OpError::error(format!("The selector is longer than {MAX_SELECTOR} bytes.")));
    }
    let selector: Selector = selector.parse().map_err(|error| OpError::error(format!("{error}")))?;
    let registration = Registration { selector: Some(Rc::new(selector)), kinds };
    template.registrations.borrow_mut().push(registration);
    Ok(())
}

/// Registers handlers of the document; `kinds`: 2 comments, 4 text, 8 doctype, 16 end.
#[op]
pub(crate) fn add_document(template: &Resource<Template>, kinds: u32) {
    template.registrations.borrow_mut().push(Registration { selector: None, kinds });
}
