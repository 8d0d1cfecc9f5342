/** @jsxRuntime classic @jsx element */
// Data files are imported as they are (TOML, YAML, JSON5), and JSX becomes HTML with a function of ten lines.
import menu from "./data/menu.toml";
import opening from "./data/opening.yaml";
import recipe from "./data/recipes/bao.json5";

type Child = Html | string | number | false | null | undefined | Child[];
class Html {
  constructor(readonly text: string) {}
}

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const render = (child: Child): string =>
  Array.isArray(child) ? child.map(render).join("") : child instanceof Html ? child.text : child === 0 || child ? escape(String(child)) : "";

function element(tag: string | ((props: any) => Html), props: Record<string, any> | null, ...children: Child[]): Html {
  if (typeof tag === "function") return tag({ ...props, children });
  const attributes = Object.entries(props ?? {}).map(([name, value]) => ` ${name}="${escape(String(value))}"`);
  return new Html(`<${tag}${attributes.join("")}>${render(children)}</${tag}>`);
}

const money = new Intl.NumberFormat("en", { style: "currency", currency: menu.currency });

const Dish = ({ name, price, tags }: { name: string; price: number; tags: string[] }) => (
  <li class={tags.includes("vegan") ? "vegan" : "any"}>
    {name}: <b>{money.format(price)}</b>
    {tags.length > 0 && <i> ({tags.join(", ")})</i>}
  </li>
);

console.log((
  <main>
    <h1>{menu.title}</h1>
    <ul>{menu.dishes.map((dish: any) => <Dish {...dish} />)}</ul>
    <p title={`ready in ${recipe.minutes} min`}>{recipe.steps.join(" → ")}</p>
    <p>
      Saturday {opening.saturday.from} to {opening.saturday.to}
    </p>
  </main>
).text);
