// expected: recorded from node 25.9.0
// Promises as resources of async_hooks: ids, triggers, executionAsyncResource(), hooks that want none, hooks that begin within a job.
const hooks = require("node:async_hooks");
const { executionAsyncId, executionAsyncResource, triggerAsyncId } = hooks;

const lines = [];
const first = executionAsyncId();
const from = (id) => id - first;
const ofPromises = new Set();
const hook = hooks.createHook({
  init(id, type, trigger, resource) {
    if (type !== "PROMISE") return;
    ofPromises.add(id);
    lines.push(`init ${from(id)} trigger ${from(trigger)} in ${from(executionAsyncId())} ${resource instanceof Promise}`);
  },
  before(id) {
    if (ofPromises.has(id)) lines.push(`before ${from(id)} in ${from(executionAsyncId())} trigger ${from(triggerAsyncId())}`);
  },
  after(id) {
    if (ofPromises.has(id)) lines.push(`after ${from(id)}`);
  },
  promiseResolve(id) {
    lines.push(`resolved ${from(id)} in ${from(executionAsyncId())}`);
  },
}).enable();

(async () => {
  await 1;
  await Promise.resolve(2).then(() => {
    lines.push(`then in ${from(executionAsyncId())} ${executionAsyncResource() instanceof Promise}`);
    executionAsyncResource().mark = "of the resource";
  });
  lines.push(`goes on in ${from(executionAsyncId())}`);
})();
let resource;
const chained = Promise.resolve().then(() => void (resource = executionAsyncResource()));
chained.then(() => lines.push(`its own resource ${resource === chained}`));

setTimeout(() => {
  hook.disable();
  console.log(lines.join("\n"));
  withoutPromises();
}, 20);

function withoutPromises() {
  const types = [];
  const other = hooks.createHook({ init: (_id, type) => void types.push(type), trackPromises: false }).enable();
  Promise.resolve().then(() => {});
  setTimeout(() => {
    other.disable();
    console.log(types.includes("PROMISE"), types.includes("Timeout"));
    try {
      hooks.createHook({ promiseResolve() {}, trackPromises: false });
    } catch (error) {
      console.log(error.code);
    }
    within();
  }, 1);
}

function within() {
  const heard = [];
  let late;
  const wait = Promise.resolve().then(() => {
    late = hooks.createHook({ after: () => void heard.push("after"), before: () => void heard.push("before") }).enable();
    heard.push("enabled");
  });
  wait.then(() => heard.push(executionAsyncId() > 0)).then(() => {
    late.disable();
    console.log(heard.join(" "));
    overflow();
  });
}

// The program's own recursion is the program's own error, not the hooks'.
function overflow() {
  const all = hooks.createHook({ init() {}, before() {}, after() {}, destroy() {}, promiseResolve() {} }).enable();
  const recursive = () => {
    new Promise(() => {});
    return recursive() + 1;
  };
  try {
    recursive();
  } catch (error) {
    console.log(error.name, error.message);
  }
  all.disable();
}
