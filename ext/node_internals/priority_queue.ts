/** Node's internal/priority_queue: the class itself. */
import { PriorityQueue } from "internal/core/priority_queue";

export default PriorityQueue;
