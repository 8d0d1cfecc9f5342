/** node:cluster (https://nodejs.org/api/cluster.html). */

import { role } from "internal/child_process/cluster/role";

const isWorker = role.isWorker || Object.hasOwn(process.env, "NODE_UNIQUE_ID");
const cluster: unknown = require(
  isWorker ? "internal/child_process/cluster/child" : "internal/child_process/cluster/primary",
).cluster;

export default cluster;
