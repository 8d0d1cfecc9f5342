/** Node's internal/fs/utils, as far as bao has it. */
import { Dirent } from "internal/fs/dirent";
import { BigIntStats, Stats } from "internal/fs/stats";
import * as utils from "internal/fs/utils";

export default { ...utils, BigIntStats, Dirent, Stats };
