//! The native functions of the family "fs". Those that end in `_sync` run at once; their namesakes run on the thread
//! pool and call back.

mod dirs;
mod files;
mod names;
mod watch;
mod whole;

use engine::ops;

ops!(pub fn family "fs" {
    files::open_sync, files::open, files::close_sync, files::close, files::track_fd, files::untrack_fd, files::read_sync, files::read, files::write_sync,
    files::write, files::write_text_sync, files::write_text, files::readv_sync, files::readv, files::writev_sync,
    files::writev, whole::read_start_sync, whole::read_start, whole::take_into, whole::take_bytes,
    whole::take_text, whole::later, whole::read_file, whole::read_file_fd_sync, whole::read_file_fd,
    whole::read_text_sync, whole::read_text, whole::read_text_fd_sync, whole::read_text_fd, files::write_file_sync,
    files::write_file, files::write_file_text_sync, files::write_file_text, files::write_all_sync, files::write_all,
    files::write_all_text_sync, files::ftruncate_sync, files::ftruncate, files::truncate_sync, files::truncate,
    files::transfer, files::fsync_sync, files::fsync, files::fdatasync_sync, files::fdatasync,
    names::stat_sync, names::stat, names::fstat_sync, names::fstat, names::statfs_sync, names::statfs,
    names::exists_sync, names::exists, names::access_sync, names::access, names::rename_sync, names::rename,
    names::link_sync, names::link, names::symlink_sync, names::symlink, names::readlink_sync, names::readlink,
    names::realpath_sync, names::realpath, names::unlink_sync, names::unlink, names::rmdir_sync, names::rmdir,
    names::mkdir_sync, names::mkdir, names::mkdir_all_sync, names::mkdir_all, names::mkdtemp_sync, names::mkdtemp,
    names::chmod_sync, names::chmod, names::fchmod_sync, names::fchmod, names::chown_sync, names::chown,
    names::lchown_sync, names::lchown, names::fchown_sync, names::fchown, names::utimes_sync, names::utimes,
    names::lutimes_sync, names::lutimes, names::futimes_sync, names::futimes, names::copy_file_sync, names::copy_file,
    names::rm_sync, names::rm, names::kind_of_sync, names::find_inside,
    dirs::readdir_sync, dirs::readdir, dirs::readdir_types_sync, dirs::readdir_types, dirs::opendir_sync,
    dirs::opendir, dirs::dir_read_sync, dirs::dir_read,
    watch::watch_init, watch::watch_add, watch::watch_add_tree, watch::watch_remove, watch::watch_next,
});
