// A passive listener cannot cancel, and the next one can again.
const target = new EventTarget();
const run = (...options) => {
  const controller = new AbortController();
  for (const passive of options) {
    target.addEventListener("x", (event) => { event.preventDefault(); event.returnValue = false; }, { passive, signal: controller.signal });
  }
  const event = new Event("x", { cancelable: true });
  console.log(options.join(), target.dispatchEvent(event), event.defaultPrevented);
  controller.abort();
};
run(true);
run(false);
run(true, true);
run(true, false);
run(false, true);
// (In Node initMessageEvent() has no effect; this is what the standard says.)
const init = new MessageEvent("a", { data: 1 });
init.initMessageEvent("b", true, true, 2, "o", "id", null, []);
console.log(init.type, init.bubbles, init.cancelable, init.data, init.origin, init.lastEventId, init.source, init.ports, init.initMessageEvent.length);
