//! A list on a terminal to choose from.
