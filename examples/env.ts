// Variables come from .env beside this file; `WHO=you bao env.ts` wins over it.
interface Settings {
  greeting: string;
  port: number;
}

function settings(env: Record<string, string | undefined>): Settings {
  const { WHO = "world", PORT = "3000" } = env;
  const port = Number(PORT);
  if (!Number.isInteger(port)) throw new TypeError(`PORT is no number: ${PORT}`);
  return { greeting: `Hello, ${WHO}`, port };
}

const { greeting, port } = settings(process.env);
console.log(`${greeting} on port ${port}`);
