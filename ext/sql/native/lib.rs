//! Native half of `Bun.sql` (family `sql`): messages with rows become objects and arrays, straight from the buffer that was read.

mod postgres;
mod socket;
mod time;
mod values;

engine::ops!(pub fn family "sql" {
    postgres::columns,
    postgres::rows,
    socket::is_open,
});
