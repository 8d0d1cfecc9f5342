// Types are stripped, nothing is checked: `bao hello.ts` starts at once.
interface Greeting {
  to: string;
  times?: number;
}

function greet({ to, times = 1 }: Greeting): string {
  return Array.from({ length: times }, () => `Hello, ${to}!`).join(" ");
}

console.log(greet({ to: process.argv[2] ?? "world" }));
