interface Greeting {
  readonly text: string;
  readonly to: string;
}

function greet<T extends Greeting>(greeting: T): string {
  return `${greeting.text}, ${greeting.to satisfies string}`;
}

console.log(greet({ text: "Hello", to: "world" } as Greeting));
