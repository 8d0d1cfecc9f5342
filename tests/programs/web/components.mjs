import React, {
  Suspense,
  createContext,
  forwardRef,
  lazy,
  memo,
  use,
  useContext,
  useEffect,
  useId,
  useMemo,
  useReducer,
  useState,
} from "react";
import { renderToString, renderToStaticMarkup, renderToPipeableStream } from "react-dom/server";
import { h as ph, Fragment } from "preact";
import { render as prender } from "preact-render-to-string";
import { createSSRApp, h as vh, ref, computed, reactive, watch, nextTick } from "vue";
import { renderToString as vrender } from "@vue/server-renderer";
import * as vueCompiler from "@vue/compiler-sfc";
import { compile } from "svelte/compiler";
import { PassThrough } from "node:stream";
const h = React.createElement,
  Ctx = createContext("none");
const Counter = ({ start }) => {
  const [n] = useState(() => start * 2);
  const [s, d] = useReducer((a, b) => a + b, 1);
  const id = useId();
  useEffect(() => {
    throw new Error("never on the server");
  });
  return h(
    "p",
    { id, className: useContext(Ctx), style: { marginTop: 4, "--x": 1, WebkitFlex: 1 }, "data-n": n, onClick: () => d(1) },
    n,
    " ",
    s,
    " & <",
    useMemo(() => n + 1, [n]),
  );
};
const Memo = memo(
  forwardRef(({ items }, ref) =>
    h(
      React.Fragment,
      null,
      items.map((i) =>
        h("li", { key: i, dangerouslySetInnerHTML: i > 1 ? { __html: "<b>raw</b>" } : undefined }, i > 1 ? undefined : i),
      ),
      null,
      false,
      [h("input", { key: "i", defaultValue: "v", disabled: true, checked: true, readOnly: true })],
    ),
  ),
);
class Old extends React.Component {
  static getDerivedStateFromProps = (p) => ({ twice: p.x * 2 });
  state = {};
  render() {
    return h("i", null, this.state.twice, this.props.children);
  }
}
const tree = h(
  Ctx.Provider,
  { value: "ctx" },
  h(Counter, { start: 3 }),
  h(Memo, { items: [1, 2] }),
  h(Old, { x: 4 }, "kids"),
  h("textarea", { value: "t<", readOnly: true }),
  h("select", { defaultValue: "b" }, h("option", { value: "a" }), h("option", { value: "b" })),
);
console.log(renderToString(tree), renderToStaticMarkup(tree));
const Later = lazy(async () => {
  await new Promise((r) => setTimeout(r, 5));
  return { default: () => h("em", null, "later") };
});
const data = new Promise((r) => setTimeout(r, 3, "data"));
const Uses = () => h("u", null, use(data));
console.log(
  await new Promise((done, fail) => {
    const out = new PassThrough();
    let text = "";
    out.on("data", (c) => (text += c)).on("end", () => done(text));
    const s = renderToPipeableStream(h("main", null, h(Suspense, { fallback: "wait" }, h(Later), h(Uses))), {
      onAllReady: () => s.pipe(out),
      onError: fail,
    });
  }),
);
try {
  renderToString(
    h(() => {
      throw new TypeError("in render");
    }),
  );
} catch (e) {
  console.log(e.name, e.message);
}
try {
  renderToString(h("div", null, {}));
} catch (e) {
  console.log(e.message.slice(0, 60));
}
console.log(
  prender(
    ph(
      Fragment,
      null,
      ph(
        "div",
        { class: "a", style: { color: "red" } },
        ph(({ n }) => ph("b", null, n + 1), { n: 1 }),
        "<",
      ),
      ph("br"),
    ),
  ),
);
const app = createSSRApp({
  components: {
    kid: {
      props: ["v"],
      emits: ["x"],
      setup: (p, { slots }) => {
        const d = computed(() => p.v * 2);
        return () => vh("b", { class: ["k", { on: d.value > 3 }] }, [d.value, slots.default?.()]);
      },
    },
  },
  data: () => ({ list: ["<a>", "b"], ok: true, n: 2 }),
  template: `<div :id="'i' + n" v-bind:style="{color: 'red'}"><p v-if="ok" v-for="(x, i) in list" :key="i">{{ x.toUpperCase() }}</p><kid :v="n">slot {{ n }}</kid><input v-model="n"><span v-html="list[0]" v-show="!ok"></span></div>`,
});
console.log(await vrender(app));
const state = reactive({ a: 1, deep: { b: [1] } });
const seen = [];
watch(
  () => state.deep.b.length,
  (n, o) => seen.push([n, o]),
);
state.deep.b.push(2);
await nextTick();
console.log(seen, computed(() => state.a + ref(1).value).value);
const { descriptor } = vueCompiler.parse(
  `<script setup lang="ts">import { ref } from "vue"; const props = defineProps<{ a: string, b?: number }>(); const n = ref(0);</script><template><p @click="n++">{{ a }} {{ n }}</p></template><style scoped>p{color:red}</style>`,
  { filename: "X.vue" },
);
console.log(
  vueCompiler.compileScript(descriptor, { id: "x", inlineTemplate: true }).content,
  vueCompiler.compileStyle({ source: "p{a:b} .q :deep(r){}", id: "data-v-1", scoped: true, filename: "X.vue" }).code,
);
const svelte = `<script>let { name = "w", items } = $props(); let n = $state(0); let d = $derived(n * 2);</script><h1 class:big={d > 2} onclick={() => n++}>Hi {name} {d}</h1>{#each items as i (i.id)}<p>{i.t}</p>{:else}none{/each}{#if n}{@html name}{/if}<style>h1 { color: red }</style>`;
for (const generate of ["client", "server"]) {
  const { js, css, warnings } = compile(svelte, { generate, filename: "App.svelte" });
  console.log(
    js.code,
    css?.code,
    warnings.map((w) => w.code),
  );
}
try {
  compile("{#if x}<p>", {});
} catch (e) {
  console.log(e.name, e.code, e.position);
}
