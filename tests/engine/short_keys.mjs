// Strings of each length and width that a program puts together, used as keys: then they refer to atoms, and must stay what they are
// for everything that reads them, before and after collections.
import { Worker, isMainThread, parentPort } from "node:worker_threads";

if (!isMainThread) {
  parentPort.once("message", (texts) => parentPort.postMessage(texts.map((text) => `${text}!`)));
} else {
  const made = (length, letter) => {
    let text = "";
    for (let i = 0; i < length; i++) text += String.fromCharCode(letter + (i % 7));
    return text;
  };
  const expected = (length, letter) => Array.from({ length }, (_, i) => String.fromCharCode(letter + (i % 7)));
  const collect = typeof Bun === "object" ? () => Bun.gc(true) : () => {};
  let problems = 0;
  const check = (name, isRight) => {
    if (!isRight) {
      problems++;
      console.log("wrong:", name);
    }
  };

  const kept = [];
  for (const isOld of [false, true]) {
    for (const letter of [97, 0xe0, 0x3b1, 0x4e00]) {
      for (let length = 0; length <= 34; length++) {
        const text = made(length, letter);
        const characters = expected(length, letter);
        const part = text.slice(1, Math.max(1, length - 1));
        if (isOld) collect();
        const map = new Map([[text, length]]);
        const object = { [text]: letter };
        const symbolic = Symbol.for(text);
        const label = `${isOld} ${letter} ${length}`;
        check(`${label} map`, map.get(made(length, letter)) === length && map.has(text));
        check(`${label} object`, object[made(length, letter)] === letter && text in object && Object.keys(object)[0] === text);
        check(`${label} symbol`, Symbol.keyFor(symbolic) === text);
        check(`${label} set`, new Set([text]).has(characters.join("")));
        check(`${label} characters`, [...text].join() === characters.join() && text.length === length && text.at(-1) === characters.at(-1));
        check(`${label} part`, part === characters.slice(1, Math.max(1, length - 1)).join(""));
        check(`${label} bytes`, Buffer.from(text).toString() === text && new TextDecoder().decode(new TextEncoder().encode(text)) === text);
        check(`${label} text`, JSON.parse(JSON.stringify({ [text]: text }))[text] === text && text.replace(/^/, "x").length === length + 1);
        check(`${label} joined`, `${text}|${text}`.split("|")[1] === text && (text + text).slice(length) === text);
        check(`${label} clone`, structuredClone(new Map([[text, text]])).get(text) === text);
        kept.push([text, part, characters.join("")]);
      }
    }
    collect();
    check(`${isOld} kept`, kept.every(([text, part, whole]) => text === whole && whole.slice(1, Math.max(1, whole.length - 1)) === part));
  }
  // Numbers as keys, and keys that are numbers in text.
  const byNumber = { 7: "seven", "07": "text", 4294967295: "large" };
  for (const digits of [["7"], ["0", "7"], ["42949", "67295"]]) {
    const text = digits.join("");
    check(`digits ${text}`, byNumber[text] === { 7: "seven", "07": "text", 4294967295: "large" }[text] && Number(text) === parseInt(digits.join(""), 10));
  }
  const worker = new Worker(new URL(import.meta.url));
  worker.postMessage(kept.map(([text]) => text));
  worker.on("message", (texts) => {
    check("worker", texts.every((text, i) => text === `${kept[i][2]}!`));
    collect();
    check("at last", kept.every(([text, , whole]) => text === whole && new Map([[whole, 1]]).get(text) === 1));
    console.log(kept.length, "strings,", problems, "problems");
    worker.terminate();
  });
}
