//! The tree: values with their places in the text, so that an edit can replace just one of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::cursor::{Cursor, Flavor, Scalar, Sink};
use crate::error::Error;
use crate::numbers;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    pub node: Node<'a>,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

#[derive(Clone, Debug)]
pub enum Node<'a> {
    Null,
    Bool(bool),
    /// As written: nothing is rounded. [`Value::number`] is its value.
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Value<'a>>),
    /// As written: a repeated key is there twice. [`Value::get`] gives the last, [`unique`] what JavaScript makes of it.
    Object(Vec<Member<'a>>),
}

#[derive(Clone, Debug)]
pub struct Member<'a> {
    pub key: Cow<'a, str>,
    /// Offset of the key's quote.
    pub key_at: usize,
    pub value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Reads a whole document of JSONC.
    ///
    /// # Errors
    /// The first thing that is no JSONC.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::whole(Cursor::new(bytes, Flavor::Jsonc))
    }

    /// Reads a whole document.
    ///
    /// # Errors
    /// The first thing that is not of this flavour.
    pub fn read(text: &'a str, flavor: Flavor) -> Result<Self, Error> {
        Self::whole(Cursor::of(text, flavor))
    }

    fn whole(mut cursor: Cursor<'a>) -> Result<Self, Error> {
        let value = cursor.value();
        value.filter(|_| cursor.end().is_some()).ok_or_else(|| cursor.error())
    }

    /// The member `key` of an object: the last one of that name.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    pub fn str(&self) -> Option<&str> {
        match &self.node {
            Node::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn bool(&self) -> Option<bool> {
        match self.node {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self.node {
            Node::Number(text) => Some(numbers::value(text)),
            _ => None,
        }
    }

    /// The members of an object; nothing for other values.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.node {
            Node::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array; nothing for other values.
    pub fn items(&self) -> &[Value<'a>] {
        match &self.node {
            Node::Array(items) => items,
            _ => &[],
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.node, Node::Object(_))
    }

    /// `get(key)` as a string, or empty.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::str).unwrap_or("")
    }
}

/// The members as a JavaScript object has them: a repeated key keeps its first place and its last value.
pub fn unique(members: Vec<Member<'_>>) -> Vec<Member<'_>> {
    let mut keys: Vec<&str> = members.iter().map(|member| &*member.key).collect();
    keys.sort_unstable();
    if keys.windows(2).all(|pair| pair[0] != pair[1]) {
        return members;
    }
    let mut places = HashMap::new();
    let mut out: Vec<Member<'_>> = Vec::with_capacity(members.len());
    for member in members {
        match places.entry(member.key.clone()) {
            Entry::Occupied(place) => out[*place.get()] = member,
            Entry::Vacant(place) => {
                place.insert(out.len());
                out.push(member);
            }
        }
    }
    out
}

impl<'a> Cursor<'a> {
    /// Reads the value at the cursor as a tree.
    pub fn value(&mut self) -> Option<Value<'a>> {
        let mut tree = Tree { open: Vec::new(), done: None };
        self.walk(&mut tree)?;
        tree.done
    }
}

/// Builds a tree.
struct Tree<'a> {
    /// Arrays and objects that are not closed. The last member of an object is null until its value is read.
    open: Vec<Value<'a>>,
    done: Option<Value<'a>>,
}

impl<'a> Tree<'a> {
    #[inline]
    fn add(&mut self, value: Value<'a>) {
        match self.open.last_mut().map(|last| &mut last.node) {
            Some(Node::Array(items)) => items.push(value),
            Some(Node::Object(members)) => {
                if let Some(member) = members.last_mut() {
                    member.value = value;
                }
            }
            _ => self.done = Some(value),
        }
    }
}

impl<'a> Sink<'a> for Tree<'a> {
    fn open(&mut self, object: bool, start: usize) {
        let node = if object { Node::Object(Vec::new()) } else { Node::Array(Vec::new()) };
        self.open.push(Value { node, start, end: start });
    }

    fn key(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        cursor.peek();
        let key_at = cursor.at;
        let key = cursor.key_text()?;
        if let Some(Node::Object(members)) = self.open.last_mut().map(|last| &mut last.node) {
            members.push(Member { key, key_at, value: Value { node: Node::Null, start: key_at, end: key_at } });
        }
        Some(())
    }

    fn string(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        let start = cursor.at;
        let text = cursor.string()?;
        self.add(Value { node: Node::String(text), start, end: cursor.at });
        Some(())
    }

    fn scalar(&mut self, scalar: Scalar<'a>, start: usize, end: usize) {
        let node = match scalar {
            Scalar::Null => Node::Null,
            Scalar::Bool(value) => Node::Bool(value),
            Scalar::Number(text) => Node::Number(text),
        };
        self.add(Value { node, start, end });
    }

    fn close(&mut self, end: usize) {
        if let Some(mut value) = self.open.pop() {
            value.end = end;
            self.add(value);
        }
    }

    fn in_object(&self) -> Option<bool> {
        self.open.last().map(Value::is_object)
    }
}
