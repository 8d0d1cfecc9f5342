//! Native half of `Bun.sql` (family `sql`): reads the sockets, and makes objects and arrays of rows straight from the buffer that was read.

mod link;
mod mysql;
mod mysql_link;
mod postgres;
mod postgres_link;
mod socket;
mod time;
mod values;

engine::ops!(pub fn family "sql" {
    mysql::mysql_columns,
    mysql_link::mysql_answered,
    mysql_link::mysql_define,
    mysql_link::mysql_detach,
    mysql_link::mysql_expect,
    mysql_link::mysql_hold,
    mysql_link::mysql_link,
    mysql_link::mysql_write,
    postgres::columns,
    postgres_link::postgres_columns,
    postgres_link::postgres_detach,
    postgres_link::postgres_expect,
    postgres_link::postgres_hold,
    postgres_link::postgres_link,
    postgres_link::postgres_open,
    postgres_link::postgres_write,
    socket::expect_many,
    socket::is_open,
});
