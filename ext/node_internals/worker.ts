/** Node's internal/worker, as far as bao has it. */
import { own } from "internal/worker/thread_info";

/** Replaces the data that getEnvironmentData() reads; undefined leaves it as it is. */
export function assignEnvironmentData(data: Map<unknown, unknown> | undefined): void {
  if (data === undefined) return;
  for (const { 0: key, 1: value } of data) own.environmentData.set(key, value);
}
