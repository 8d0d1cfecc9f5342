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
      <form onSubmit={greet}>
        <input name="name" placeholder="Your name" aria-label="Your name" />
        <button type="submit">Greet</button>
      </form>
      <output>{text}</output>
    </>
  );
}
