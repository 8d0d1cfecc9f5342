// expected: written by hand; Bun 1.4.5 gives the same, but the URL for what is imported as code after it was imported as text
// An import that asks for text or JSON gets that of a `data:` URL of any type, and never runs it.
const code = "data:text/javascript,globalThis.ran = 1; export default 5";
const say = async (url, type) => {
  const options = type ? { with: { type } } : undefined;
  const result = await import(url, options).then(
    (module) => module.default,
    (error) => error.name,
  );
  console.log(type, JSON.stringify(result), globalThis.ran);
};
await say(code, "json");
await say(code, "text");
await say('data:text/plain,{"a":1}', "json");
await say("data:text/html,<p>", "text");
await say("data:image/png;base64,AAEC", "text");
await say('data:application/json,{"a":1}', "text");
await say('data:application/json,{"a":1}', "json");
await say(code);
await say(code, "text");
