/** `bao:store`: random access to the files of an archive of the store, or of a tar archive. docs/store.md has the format. */
import { ArchiveEntry, ArchiveFile, open } from "internal/archive/reader";

export default { ArchiveEntry, ArchiveFile, open };
