//! Native half of `Bun.sql` (family `sql`): messages with rows become objects and arrays, straight from the buffer that was read.

mod mysql;
mod postgres;
mod socket;
mod time;
mod values;

engine::ops!(pub fn family "sql" {
    mysql::mysql_columns,
    mysql::mysql_rows,
    postgres::columns,
    postgres::rows,
    socket::is_open,
});
