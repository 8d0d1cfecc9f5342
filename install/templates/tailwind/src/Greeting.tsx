import { type FormEvent, useState } from "react";

/** Asks the server for a greeting. */
export function Greeting() {
  const [text, setText] = useState("");

  async function greet(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get("name");
    try {
      const answer = await fetch(name ? `/api/greeting/${encodeURIComponent(String(name))}` : "/api/greeting");
      setText((await answer.json()).text);
    } catch (error) {
      setText(String(error));
    }
  }

  return (
    <>
      <form className="flex justify-center gap-2" onSubmit={greet}>
        <input
          className="rounded-lg border border-stone-400 bg-transparent px-3 py-2"
          name="name"
          placeholder="Your name"
          aria-label="Your name"
        />
        <button className="rounded-lg bg-amber-700 px-4 py-2 text-white hover:bg-amber-600" type="submit">
          Greet
        </button>
      </form>
      <output className="mt-4 block min-h-6">{text}</output>
    </>
  );
}
