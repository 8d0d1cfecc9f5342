/** The old name of a part of node:http. */
import { Agent, globals } from "internal/http/agent";

export default {
  Agent,
  get globalAgent() {
    return globals.agent;
  },
  set globalAgent(agent) {
    globals.agent = agent;
  },
};
