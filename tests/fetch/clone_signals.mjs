// expected: recorded from node 25.9.0
// A clone of a request and a request made of one are aborted by what aborts the first, whether its signal was asked for before or after.
const post = (signal) => new Request("http://a/", { method: "POST", body: "text", signal });
for (const asked of [false, true]) {
  const controller = new AbortController();
  const first = post(controller.signal);
  if (asked) first.signal.aborted;
  const clone = first.clone();
  const again = clone.clone();
  const made = new Request(again, { headers: { a: "b" } });
  const other = new Request(first.clone(), { signal: null });
  const seen = [];
  for (const [name, request] of Object.entries({ clone, again, made, other })) request.signal.onabort = () => seen.push(name);
  console.log([first, clone, again, made, other].map((request) => request.signal.aborted));
  controller.abort("over");
  console.log([first, clone, again, made, other].map((request) => request.signal.reason), seen.sort());
  console.log(first.signal === clone.signal, clone.signal === clone.signal, await clone.text(), await made.text());
}
// One that was aborted before it was cloned.
console.log(post(AbortSignal.abort("before")).clone().signal.reason);
// Without a signal each has one of its own, which nobody can abort.
{
  const first = post();
  const clone = first.clone();
  console.log(first.signal === clone.signal, clone.signal instanceof AbortSignal, clone.signal.aborted, await first.text(), await clone.text());
}
