import * as I from "immutable";
import { createStore, combineReducers, applyMiddleware } from "redux";
import { configureStore, createSlice, createAsyncThunk } from "@reduxjs/toolkit";
import { makeAutoObservable, autorun, reaction, runInAction, toJS, computed, observable } from "mobx";
import { createMachine, createActor, assign } from "xstate";
import { atom, computed as nano } from "nanostores";
const m = I.fromJS({ a: { b: [1, 2] }, c: new Set([1]) });
console.log(
  m.setIn(["a", "b", 1], 9).toJS(),
  m.updateIn(["a", "b"], (l) => l.push(3)).getIn(["a", "b"]).size,
  I.is(I.Map({ a: 1 }), I.Map({ a: 1 })),
  String(I.OrderedMap([["z", I.List([1])]])),
  I.Range(0, Infinity)
    .filter((x) => x % 3 === 0)
    .take(3)
    .toArray(),
  I.Record({ x: 1 })({ x: 2 }).x,
  m.hashCode() === I.fromJS({ a: { b: [1, 2] }, c: new Set([1]) }).hashCode(),
  I.List([1, 2]),
);
const store = createStore(
  combineReducers({ n: (s = 0, a) => (a.type === "inc" ? s + 1 : s) }),
  applyMiddleware((api) => (next) => (a) => {
    const r = next(a);
    console.log(a.type, api.getState());
    return r;
  }),
);
store.dispatch({ type: "inc" });
try {
  store.dispatch(5);
} catch (e) {
  console.log(e.message.slice(0, 60));
}
const load = createAsyncThunk("load", async (x, { rejectWithValue }) => (x > 1 ? rejectWithValue("big") : x));
const slice = createSlice({
  name: "s",
  initialState: { list: [], status: "" },
  reducers: {
    add(s, { payload }) {
      s.list.push(payload);
    },
  },
  extraReducers: (b) =>
    b
      .addCase(load.fulfilled, (s, a) => {
        s.status = "ok" + a.payload;
      })
      .addCase(load.rejected, (s, a) => {
        s.status = a.payload;
      }),
});
const rtk = configureStore({ reducer: slice.reducer });
rtk.dispatch(slice.actions.add("x"));
await rtk.dispatch(load(1));
console.log(rtk.getState());
await rtk.dispatch(load(2));
console.log(rtk.getState().status);
class Todo {
  items = [];
  constructor() {
    makeAutoObservable(this);
  }
  get left() {
    return this.items.filter((i) => !i.done).length;
  }
  add(t) {
    this.items.push({ t, done: false });
  }
}
const t = new Todo();
const stop = autorun(() => console.log("left", t.left));
t.add("a");
runInAction(() => {
  t.add("b");
  t.items[0].done = true;
});
stop();
t.add("c");
console.log(toJS(t.items), observable(new Map([[1, 2]])).get(1));
const actor = createActor(
  createMachine({
    id: "l",
    initial: "red",
    context: { n: 0 },
    states: {
      red: { on: { GO: { target: "green", actions: assign({ n: ({ context }) => context.n + 1 }) } } },
      green: { after: { 5: "red" }, on: { GO: { guard: ({ context }) => context.n > 5, target: "red" } } },
    },
  }),
);
actor.subscribe((s) => console.log(s.value, s.context));
actor.start();
actor.send({ type: "GO" });
actor.send({ type: "GO" });
await new Promise((r) => setTimeout(r, 20));
actor.stop();
const a = atom(1),
  b = nano(a, (x) => x * 2);
b.subscribe((v) => console.log("nano", v));
a.set(4);
