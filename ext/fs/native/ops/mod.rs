//! The native functions of the family "fs". Those that end in `_sync` run at once; their namesakes run on the thread
//! pool and call back.

mod dirs;
mod files;
mod links;
mod read_file;
mod watch;

use engine::ops;

ops!(pub fn family "fs" {
    files::open_sync, files::open, files::close_sync, files::close, files::track_fd, files::untrack_fd, files::read_sync, files::read, files::write_sync,
    files::write, files::write_text_sync, files::write_text, files::readv_sync, files::readv, files::writev_sync,
    files::writev, read_file::read_start_sync, read_file::read_start, read_file::take_into, read_file::take_bytes,
    read_file::take_text, read_file::later, read_file::read_file, read_file::read_file_fd_sync, read_file::read_file_fd,
    read_file::read_text_sync, read_file::read_text, read_file::read_text_fd_sync, read_file::read_text_fd, files::write_file_sync,
    files::write_file, files::write_file_text_sync, files::write_file_text, files::write_all_sync, files::write_all,
    files::write_all_text_sync, files::ftruncate_sync, files::ftruncate, files::truncate_sync, files::truncate,
    files::transfer, files::fsync_sync, files::fsync, files::fdatasync_sync, files::fdatasync,
    links::stat_sync, links::stat, links::fstat_sync, links::fstat, links::statfs_sync, links::statfs,
    links::exists_sync, links::exists, links::access_sync, links::access, links::rename_sync, links::rename,
    links::link_sync, links::link, links::symlink_sync, links::symlink, links::readlink_sync, links::readlink,
    links::realpath_sync, links::realpath, links::unlink_sync, links::unlink, links::rmdir_sync, links::rmdir,
    links::mkdir_sync, links::mkdir, links::mkdir_all_sync, links::mkdir_all, links::mkdtemp_sync, links::mkdtemp,
    links::chmod_sync, links::chmod, links::fchmod_sync, links::fchmod, links::chown_sync, links::chown,
    links::lchown_sync, links::lchown, links::fchown_sync, links::fchown, links::utimes_sync, links::utimes,
    links::lutimes_sync, links::lutimes, links::futimes_sync, links::futimes, links::handle_utimes,
    links::copy_file_sync, links::copy_file,
    links::rm_sync, links::rm, links::kind_of_sync, links::find_inside,
    dirs::readdir_sync, dirs::readdir, dirs::readdir_between, dirs::readdir_types_sync, dirs::readdir_types, dirs::opendir_sync,
    dirs::opendir, dirs::dir_read_sync, dirs::dir_read,
    watch::watch_init, watch::watch_add, watch::watch_add_tree, watch::watch_remove, watch::watch_next,
});
