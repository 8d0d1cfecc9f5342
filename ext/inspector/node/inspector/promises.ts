// `node:inspector/promises` (https://nodejs.org/api/inspector.html#promises-api).
import inspector from "node:inspector";

/** As the Session of `node:inspector`, with commands that give promises. */
class Session extends inspector.Session {
  post(method: string, params?: unknown): Promise<Record<string, unknown> | undefined> {
    return new Promise((resolve, reject) => {
      super.post(method, params, (error, answer) => {
        if (error) reject(error);
        else resolve(answer);
      });
    });
  }
}

export default Object.defineProperties(
  { Session },
  {
    ...Object.getOwnPropertyDescriptors(inspector),
    Session: { value: Session, writable: true, enumerable: true, configurable: true },
  },
) as typeof inspector & { Session: typeof Session };
