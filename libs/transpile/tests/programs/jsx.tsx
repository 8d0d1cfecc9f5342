// JSX: elements, fragments, spreads, keys, entities, member names, namespaces, nested expressions.
import type { ReactNode } from "react";
const Comp = (props: { x: number; children?: ReactNode }) => props;
const ns = { Inner: Comp };
const rest = { a: 1, b: "two" };
const show = (v: unknown) => console.log(JSON.stringify(v));
show(<div id="i" data-x='q"' hidden>text &amp; {1 + 1} more{" "}
  <b />   lines
  joined</div>);
show(<Comp x={1} key="k"><i>one</i>{[<u key={1} />]}</Comp>);
show(<><ns.Inner {...rest} x={2} /></>);
show(<a xlink:href="u" {...rest} key="late" />);
const generic = <T,>(v: T) => <p title={`t${v}`}>{v as string}</p>;
show(generic<string>("g"));
