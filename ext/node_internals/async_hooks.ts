/** Node's internal/async_hooks, as far as bao has it. */
import { kAsyncId, kTriggerId } from "internal/events/async_context";
import {
  enabledHooksExist,
  getExecutionAsyncId,
  getExecutionResource,
  getTriggerAsyncId,
  newAsyncId,
} from "internal/events/async_ids";

export default {
  enabledHooksExist,
  executionAsyncId: getExecutionAsyncId,
  executionAsyncResource: getExecutionResource,
  newAsyncId,
  symbols: { async_id_symbol: kAsyncId, trigger_async_id_symbol: kTriggerId },
  triggerAsyncId: getTriggerAsyncId,
};
