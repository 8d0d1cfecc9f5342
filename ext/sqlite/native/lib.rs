//! Native half of `bun:sqlite` and `node:sqlite` (family `sqlite`) on SQLite's own C library.
//!
//! Connections, statements, sessions and backups are resource objects. Each keeps the connection that it belongs to, which frees them all when
//! it is closed: what is used afterwards says so. JavaScript that SQLite calls runs inside of the op that runs SQLite
//! ([`connection::Connection::run`]).

mod backup;
mod bind;
mod connection;
mod errors;
mod functions;
mod session_ffi;
mod sessions;
mod statement;

engine::ops!(pub fn family "sqlite" {
    connection::open,
    connection::deserialize,
    connection::deserialize_into,
    connection::serialize,
    connection::close,
    connection::is_open,
    connection::handle_number,
    connection::in_transaction,
    connection::location,
    connection::configure,
    connection::busy_timeout,
    connection::limit,
    connection::load_extension,
    connection::file_control_int,
    connection::file_control_bytes,
    connection::throw_code,
    statement::prepare,
    statement::exec,
    statement::run,
    statement::get,
    statement::all,
    statement::start,
    statement::next,
    statement::end,
    statement::finalize,
    statement::is_finalized,
    statement::parameter_count,
    statement::column_count,
    statement::column_names,
    statement::column_origins,
    statement::first_types,
    statement::is_read_only,
    statement::has_run,
    statement::source,
    statement::set_flag,
    statement::reads_big_integers,
    statement::set_prototype,
    functions::define_function,
    functions::set_update_hook,
    functions::set_authorizer,
    sessions::create_session,
    sessions::session_changes,
    sessions::close_session,
    sessions::apply_changeset,
    backup::backup_start,
    backup::backup_step,
    backup::backup_stop,
});
