/** Node's internal/priority_queue: the class itself. */
import { PriorityQueue } from "internal/priority_queue";

export default PriorityQueue;
