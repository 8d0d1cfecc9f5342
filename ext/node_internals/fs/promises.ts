/** Node's internal/fs/promises. */
import { FileHandle } from "internal/fs/filehandle";
import { promises } from "internal/fs/promises";

export default { FileHandle, exports: promises };
