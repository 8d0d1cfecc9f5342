/** node:cluster (https://nodejs.org/api/cluster.html). */

import { role } from "internal/cluster/role";

const isWorker = role.isWorker || Object.hasOwn(process.env, "NODE_UNIQUE_ID");
const { cluster } = require(isWorker ? "internal/cluster/child" : "internal/cluster/primary");

export default cluster;
