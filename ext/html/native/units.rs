//! What a rewriter has stopped at: elements, text, comments, the doctype, end tags and the end of the document.
//!
//! Each op takes the rewriter and works on whatever that has stopped at. If that is of another kind, or nothing, the op
//! gives nothing and changes nothing; the classes in TypeScript know whether they are still current and do not ask then.

use engine::{Resource, op};
use lol_html::html_content::{ContentType, Element};

use crate::rewriter::{Rewriter, Unit};

/// Where content goes in relation to the unit.
const BEFORE: u32 = 0;
const AFTER: u32 = 1;
const PREPEND: u32 = 2;
const APPEND: u32 = 3;
const REPLACE: u32 = 4;
const SET_INNER: u32 = 5;

/// Runs `body` with a reference to what the pointer of a unit leads to.
macro_rules! with {
    ($pointer:expr, |$value:ident| $body:expr) => {{
        let mut pointer = $pointer;
        // SAFETY: the parser has stopped inside of the handler that made the pointer of a unique reference, and goes on
        // only by ops that run after this one; ops on one rewriter do not nest, since none calls JavaScript.
        let $value = unsafe { pointer.as_mut() };
        $body
    }};
}

fn with_element<R>(rewriter: &Rewriter, body: impl FnOnce(&mut Element<'static, 'static>) -> R) -> Option<R> {
    match rewriter.shared.unit.get() {
        Unit::Element(pointer) => Some(with!(pointer, |element| body(element))),
        _ => None,
    }
}

/// Inserts content. `place`: 0 before, 1 after, 2 prepend, 3 append, 4 replace, 5 set inner content.
#[op]
pub(crate) fn insert(rewriter: &Resource<Rewriter>, place: u32, content: String, html: bool) {
    let kind = if html { ContentType::Html } else { ContentType::Text };
    match (rewriter.shared.unit.get(), place) {
        (Unit::Element(unit), BEFORE) => with!(unit, |unit| unit.before(&content, kind)),
        (Unit::Element(unit), AFTER) => with!(unit, |unit| unit.after(&content, kind)),
        (Unit::Element(unit), PREPEND) => with!(unit, |unit| unit.prepend(&content, kind)),
        (Unit::Element(unit), APPEND) => with!(unit, |unit| unit.append(&content, kind)),
        (Unit::Element(unit), REPLACE) => with!(unit, |unit| unit.replace(&content, kind)),
        (Unit::Element(unit), SET_INNER) => with!(unit, |unit| unit.set_inner_content(&content, kind)),
        (Unit::Text(unit), BEFORE) => with!(unit, |unit| unit.before(&content, kind)),
        (Unit::Text(unit), AFTER) => with!(unit, |unit| unit.after(&content, kind)),
        (Unit::Text(unit), REPLACE) => with!(unit, |unit| unit.replace(&content, kind)),
        (Unit::Comment(unit), BEFORE) => with!(unit, |unit| unit.before(&content, kind)),
        (Unit::Comment(unit), AFTER) => with!(unit, |unit| unit.after(&content, kind)),
        (Unit::Comment(unit), REPLACE) => with!(unit, |unit| unit.replace(&content, kind)),
        (Unit::EndTag(unit), BEFORE) => with!(unit, |unit| unit.before(&content, kind)),
        (Unit::EndTag(unit), AFTER) => with!(unit, |unit| unit.after(&content, kind)),
        (Unit::DocumentEnd(unit), APPEND) => with!(unit, |unit| unit.append(&content, kind)),
        _ => {}
    }
}

/// Removes an element with its content, a text chunk, a comment, a doctype or an end tag.
#[op]
pub(crate) fn remove(rewriter: &Resource<Rewriter>) {
    match rewriter.shared.unit.get() {
        Unit::Element(unit) => with!(unit, |unit| unit.remove()),
        Unit::Text(unit) => with!(unit, |unit| unit.remove()),
        Unit::Comment(unit) => with!(unit, |unit| unit.remove()),
        Unit::Doctype(unit) => with!(unit, |unit| unit.remove()),
        Unit::EndTag(unit) => with!(unit, |unit| unit.remove()),
        Unit::DocumentEnd(_) | Unit::None => {}
    }
}

/// Removes the tags of an element.
#[op]
pub(crate) fn remove_and_keep_content(rewriter: &Resource<Rewriter>) {
    with_element(rewriter, Element::remove_and_keep_content);
}

/// Whether it is removed or replaced.
#[op]
pub(crate) fn is_removed(rewriter: &Resource<Rewriter>) -> Option<bool> {
    match rewriter.shared.unit.get() {
        Unit::Element(unit) => Some(with!(unit, |unit| unit.removed())),
        Unit::Text(unit) => Some(with!(unit, |unit| unit.removed())),
        Unit::Comment(unit) => Some(with!(unit, |unit| unit.removed())),
        Unit::Doctype(unit) => Some(with!(unit, |unit| unit.removed())),
        Unit::EndTag(unit) => Some(with!(unit, |unit| unit.removed())),
        Unit::DocumentEnd(_) | Unit::None => None,
    }
}

/// The name of an element or an end tag in lower case.
#[op]
pub(crate) fn name(rewriter: &Resource<Rewriter>) -> Option<String> {
    match rewriter.shared.unit.get() {
        Unit::Element(unit) => Some(with!(unit, |unit| unit.tag_name())),
        Unit::EndTag(unit) => Some(with!(unit, |unit| unit.name())),
        _ => None,
    }
}

/// Renames an element or an end tag. A string says what is wrong with the name.
#[op]
pub(crate) fn set_name(rewriter: &Resource<Rewriter>, name: String) -> Option<String> {
    match rewriter.shared.unit.get() {
        Unit::Element(unit) => with!(unit, |unit| unit.set_tag_name(&name).err().map(|error| error.to_string())),
        Unit::EndTag(unit) => {
            with!(unit, |unit| unit.set_name_str(name));
            None
        }
        _ => None,
    }
}

/// The text of a chunk or a comment.
#[op]
pub(crate) fn text(rewriter: &Resource<Rewriter>) -> Option<String> {
    match rewriter.shared.unit.get() {
        Unit::Text(unit) => Some(with!(unit, |unit| unit.as_str().to_owned())),
        Unit::Comment(unit) => Some(with!(unit, |unit| unit.text())),
        _ => None,
    }
}

/// Changes the text of a comment. A string says what is wrong with it.
#[op]
pub(crate) fn set_text(rewriter: &Resource<Rewriter>, text: String) -> Option<String> {
    match rewriter.shared.unit.get() {
        Unit::Comment(unit) => with!(unit, |unit| unit.set_text(&text).err().map(|error| error.to_string())),
        _ => None,
    }
}

/// Whether a chunk is the last one of its text node.
#[op]
pub(crate) fn is_last_in_text_node(rewriter: &Resource<Rewriter>) -> Option<bool> {
    match rewriter.shared.unit.get() {
        Unit::Text(unit) => Some(with!(unit, |unit| unit.last_in_text_node())),
        _ => None,
    }
}

/// Name, public id and system id of a doctype.
#[op]
pub(crate) fn doctype(rewriter: &Resource<Rewriter>) -> Option<(Option<String>, Option<String>, Option<String>)> {
    match rewriter.shared.unit.get() {
        Unit::Doctype(unit) => Some(with!(unit, |unit| (unit.name(), unit.public_id(), unit.system_id()))),
        _ => None,
    }
}

/// The namespace of an element.
#[op]
pub(crate) fn namespace_uri(rewriter: &Resource<Rewriter>) -> Option<String> {
    with_element(rewriter, |element| element.namespace_uri().to_owned())
}

/// Whether the tag of an element ends with `/>`.
#[op]
pub(crate) fn is_self_closing(rewriter: &Resource<Rewriter>) -> Option<bool> {
    with_element(rewriter, |element| element.is_self_closing())
}

/// Whether an element is not void and has an end tag.
#[op]
pub(crate) fn can_have_content(rewriter: &Resource<Rewriter>) -> Option<bool> {
    with_element(rewriter, |element| element.can_have_content())
}

/// Names and values of an element's attributes, by turns.
#[op]
pub(crate) fn attributes(rewriter: &Resource<Rewriter>) -> Option<Vec<String>> {
    with_element(rewriter, |element| {
        element.attributes().iter().flat_map(|attribute| [attribute.name(), attribute.value()]).collect()
    })
}

/// The value of an attribute.
#[op]
pub(crate) fn get_attribute(rewriter: &Resource<Rewriter>, name: String) -> Option<String> {
    with_element(rewriter, |element| element.get_attribute(&name)).flatten()
}

/// Whether an element has an attribute.
#[op]
pub(crate) fn has_attribute(rewriter: &Resource<Rewriter>, name: String) -> Option<bool> {
    with_element(rewriter, |element| element.has_attribute(&name))
}

/// Sets an attribute. A string says what is wrong with its name.
#[op]
pub(crate) fn set_attribute(rewriter: &Resource<Rewriter>, name: String, value: String) -> Option<String> {
    with_element(rewriter, |element| element.set_attribute(&name, &value).err().map(|error| error.to_string()))
        .flatten()
}

/// Removes an attribute.
#[op]
pub(crate) fn remove_attribute(rewriter: &Resource<Rewriter>, name: String) {
    with_element(rewriter, |element| element.remove_attribute(&name));
}

/// Has the rewriter stop at the end tag of the element as well; one of the same element before that is forgotten. Gives
/// the place of that event, or undefined if the element has no end tag.
#[op]
pub(crate) fn on_end_tag(rewriter: &Resource<Rewriter>) -> Option<u32> {
    with_element(rewriter, |element| {
        let handlers = element.end_tag_handlers()?;
        handlers.clear();
        let (handler, number) = rewriter.shared.end_tag_handler();
        handlers.push(handler);
        Some(number)
    })
    .flatten()
}
