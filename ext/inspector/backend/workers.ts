// The domain NodeWorker (https://github.com/nodejs/node/blob/main/src/inspector/node_protocol.pdl): sessions of the main thread with
// its workers. The protocol of a worker travels as text in commands and events of this one.
import type { Agent } from "internal/inspector/backend/agent";
import { type Command, flag, text } from "internal/inspector/backend/protocol";
import type { Session } from "internal/inspector/backend/session";

const inspector = native("inspector");

/** A session with a worker. */
interface Attached {
  /** What a client calls it. */
  id: string;
  session: Session;
  link: number;
}

/** What a session keeps: the number of its last session with a worker. */
const LAST = "NodeWorker";

export class WorkerDomain {
  readonly #agent: Agent;
  /** By the number of the link. */
  readonly #attached = new Map<number, Attached>();

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  readonly commands: Record<string, Command> = {
    enable: (session, params) => {
      const waits = flag(params, "waitForDebuggerOnStart");
      const running = inspector.watchWorkers(session.id, !session.isRemote, waits);
      if (running === undefined) return {};
      const isFirst = !session.enabled.has("NodeWorker");
      session.enabled.add("NodeWorker");
      if (isFirst) for (const worker of running) this.#attach(session, worker, false);
      return {};
    },

    disable: (session) => {
      this.disconnect(session);
      return {};
    },

    sendMessageToWorker: (session, params) => {
      const message = text(params, "message");
      const attached = this.#find(session, text(params, "sessionId"));
      if (attached !== undefined) inspector.sendToThread(attached.link, message);
      return {};
    },

    detach: (session, params) => {
      const attached = this.#find(session, text(params, "sessionId"));
      if (attached !== undefined) {
        inspector.disconnectThread(attached.link);
        this.ended(attached.link);
      }
      return {};
    },
  };

  #find(session: Session, id: string): Attached | undefined {
    for (const attached of this.#attached.values()) {
      if (attached.session === session && attached.id === id) return attached;
    }
    return undefined;
  }

  /** `names`: title and URL of a worker that the session is told of also if it has ended. */
  #attach(session: Session, worker: number, waitingForDebugger: boolean, names?: [title: string, url: string]): void {
    const made = inspector.attachWorker(worker, !session.isRemote);
    if (made === undefined && names === undefined) return;
    const [link, title, url] = made ?? [undefined, ...names!];
    const number = ((session.kept.get(LAST) as number | undefined) ?? 0) + 1;
    session.kept.set(LAST, number);
    const id = `${number}`;
    if (link !== undefined) this.#attached.set(link, { id, session, link });
    session.notify("NodeWorker.attachedToWorker", {
      sessionId: id,
      workerInfo: { workerId: `${worker}`, type: "worker", title, url },
      waitingForDebugger,
    });
    if (link === undefined) session.notify("NodeWorker.detachedFromWorker", { sessionId: id });
  }

  /**
   * A worker has begun, and a session that watches is told; `text`, in lines: its number, "waits" if it waits for the session, its URL
   * and its title.
   */
  started(client: number, text: string): void {
    const [worker, waits, url, ...title] = text.split("\n");
    const session = this.#agent.sessions.get(client);
    if (session?.enabled.has("NodeWorker") !== true) return inspector.skipWorker(Number(worker));
    this.#attach(session, Number(worker), waits === "waits", [title.join("\n"), url!]);
  }

  /** A worker has sent a message. */
  message(link: number, message: string): void {
    const attached = this.#attached.get(link);
    attached?.session.notify("NodeWorker.receivedMessageFromWorker", { sessionId: attached.id, message });
  }

  /** A worker or the session with it has ended. */
  ended(link: number): void {
    const attached = this.#attached.get(link);
    if (attached === undefined) return;
    this.#attached.delete(link);
    inspector.disconnectThread(link);
    attached.session.notify("NodeWorker.detachedFromWorker", { sessionId: attached.id });
  }

  /** A session watches no longer, or has gone. */
  disconnect(session: Session): void {
    if (!session.enabled.delete("NodeWorker")) return;
    inspector.unwatchWorkers(session.id);
    for (const { link, session: other } of [...this.#attached.values()]) {
      if (other !== session) continue;
      this.#attached.delete(link);
      inspector.disconnectThread(link);
    }
  }
}
