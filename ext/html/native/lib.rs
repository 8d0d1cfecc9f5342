//! Native half of `HTMLRewriter` (family `html`), on lol_html.
//!
//! A [`template`] is what `on` and `onDocument` have registered. A [`rewriter`] is one document that is being rewritten:
//! it takes bytes, gives bytes, and stops at each handler. What it has stopped at is read and changed by the ops of
//! [`units`]; JavaScript is never called from here.

mod rewriter;
mod template;
mod units;

engine::ops!(pub fn family "html" {
    template::new_template,
    template::add_element,
    template::add_document,
    rewriter::start,
    rewriter::write,
    rewriter::end,
    rewriter::proceed,
    rewriter::stop,
    rewriter::take_output,
    rewriter::take_failure,
    units::insert,
    units::remove,
    units::remove_and_keep_content,
    units::is_removed,
    units::name,
    units::set_name,
    units::text,
    units::set_text,
    units::is_last_in_text_node,
    units::doctype,
    units::namespace_uri,
    units::is_self_closing,
    units::can_have_content,
    units::attributes,
    units::get_attribute,
    units::has_attribute,
    units::set_attribute,
    units::remove_attribute,
    units::on_end_tag,
});
