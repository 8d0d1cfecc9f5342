// A session of the protocol: takes commands as JSON, keeps what belongs to one client, sends answers and events.
import type { Agent } from "internal/inspector/backend/agent";
import { Objects } from "internal/inspector/backend/objects";
import { type Fields, LATER, Refusal } from "internal/inspector/backend/protocol";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

export class Session {
  readonly id: number;
  readonly agent: Agent;
  readonly objects: Objects;
  /** Whether there is a client that answers while the program is stopped: not the program itself. */
  readonly isRemote: boolean;
  /** The domains that are enabled. */
  readonly enabled = new Set<string>();
  /** What domains keep with a session. */
  readonly kept = new Map<string, unknown>();
  readonly #send: (message: string) => void;

  constructor(id: number, agent: Agent, isRemote: boolean, send: (message: string) => void) {
    this.id = id;
    this.agent = agent;
    this.isRemote = isRemote;
    this.objects = new Objects(id, agent);
    this.#send = send;
  }

  notify(method: string, params: Fields): void {
    this.#send(JSON.stringify({ method, params }));
  }

  respond(id: number, result: Fields): void {
    this.#send(JSON.stringify({ id, result }));
  }

  fail(id: number | undefined, code: number, message: string): void {
    this.#send(JSON.stringify({ ...(id === undefined ? {} : { id }), error: { code, message } }));
  }

  /** Takes a command. */
  dispatch(message: string): void {
    let request: unknown;
    try {
      request = JSON.parse(message);
    } catch {
      this.fail(undefined, PARSE_ERROR, "JSON: invalid message");
      return;
    }
    const { id, method, params } = (typeof request === "object" && request !== null ? request : {}) as Fields;
    if (typeof id !== "number" || !Number.isInteger(id)) {
      this.fail(undefined, INVALID_REQUEST, "Message must have integer 'id' property");
      return;
    }
    if (typeof method !== "string") {
      this.fail(id, INVALID_REQUEST, "Message must have string 'method' property");
      return;
    }
    if (params !== undefined && (typeof params !== "object" || params === null)) {
      this.fail(id, INVALID_REQUEST, "Message may have object 'params' property");
      return;
    }
    try {
      const result = this.agent.command(this, method, (params ?? {}) as Fields, id);
      if (result !== LATER) this.respond(id, result);
    } catch (error) {
      if (error instanceof Refusal) this.fail(id, error.code, error.message);
      else
        this.fail(
          id,
          INTERNAL_ERROR,
          `Internal error in bao: ${(error as Error)?.message}\n${(error as Error)?.stack}`,
        );
    }
  }
}
