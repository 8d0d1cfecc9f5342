import { Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

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
      <form className="flex gap-2" onSubmit={greet}>
        <Input name="name" placeholder="Your name" aria-label="Your name" />
        <Button type="submit">
          <Send className="size-4" /> Greet
        </Button>
      </form>
      <output className="mt-4 block min-h-6 text-center">{text}</output>
    </>
  );
}
