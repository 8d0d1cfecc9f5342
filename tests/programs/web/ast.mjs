import escodegen from "escodegen";
import estraverse from "estraverse";
import esprima from "esprima";
import * as espree from "espree";
import recast from "recast";
import { parse as meriyah } from "meriyah";
import { generate } from "astring";
import { Project, SyntaxKind } from "ts-morph";
import * as gql from "graphql";
import { SourceMapConsumer, SourceMapGenerator } from "source-map";
import fs from "node:fs";
import { createHash } from "node:crypto";
const text = fs.readFileSync("node_modules/graphql/execution/execute.js", "utf8");
const tree = esprima.parseScript(text.replace(/\?\?=|\?\?|\?\./g, (m) => (m === "?." ? "." : "||")));
console.log(createHash("md5").update(escodegen.generate(tree)).digest("hex"));
let n = 0;
estraverse.traverse(tree, {
  enter: () => {
    n++;
  },
});
console.log(n);
const m = meriyah(text, { next: true, ranges: true });
console.log(
  createHash("md5").update(generate(m)).digest("hex"),
  espree.parse(text, { ecmaVersion: "latest", loc: true }).body.length,
);
try {
  meriyah("let a = 1; let a");
} catch (e) {
  console.log(e.name, e.message ?? e.description);
}
try {
  meriyah("(", {});
} catch (e) {
  console.log(e.name, String(e.message).split("\n")[0]);
}
const ast = recast.parse("// keep\nvar   x  = {a:1 ,\n  b : 2};  function foo( a ) { return a }");
recast.visit(ast, {
  visitIdentifier(p) {
    if (p.node.name === "a" && p.parent.node.type !== "Property" && p.parent.node.type !== "ObjectProperty")
      p.node.name = "renamed";
    this.traverse(p);
  },
});
console.log(recast.print(ast).code);
const project = new Project({ useInMemoryFileSystem: true });
const sf = project.createSourceFile(
  "a.ts",
  "export interface A { x: number }\nexport class B implements A { x = 1; private m(): void {} }\nconst z: string = new B().x;",
);
sf.getClassOrThrow("B").addMethod({
  name: "added",
  parameters: [{ name: "p", type: "string" }],
  returnType: "string",
  statements: "return p;",
});
sf.getInterfaceOrThrow("A").rename("Renamed");
console.log(
  sf.getFullText(),
  project.getPreEmitDiagnostics().map((d) => d.getMessageText()),
  sf.getDescendantsOfKind(SyntaxKind.Identifier).length,
);
const schema = gql.buildSchema(
  `type Query { user(id: ID!): User, list: [Int!]! } type User { id: ID!, name: String, friends(first: Int = 2): [User] } enum E { A B }`,
);
const user = (id) => ({
  id,
  name: async () => "u" + id,
  friends: ({ first }) => Array.from({ length: first }, (_, i) => user(id + "-" + i)),
});
console.log(
  JSON.stringify(
    await gql.graphql({
      schema,
      source:
        "query Q($i: ID!) { a: user(id: $i) { ...F friends(first: 1) { id } __typename } list } fragment F on User { name }",
      variableValues: { i: "7" },
      rootValue: { user: ({ id }) => user(id), list: () => [1, null] },
    }),
  ),
);
console.log(JSON.stringify(await gql.graphql({ schema, source: "{ nope user { id } }" })), gql.printSchema(schema).length);
try {
  gql.parse("{ a(");
} catch (e) {
  console.log(String(e));
}
const gen = new SourceMapGenerator({ file: "o.js" });
gen.addMapping({ source: "i.js", original: { line: 3, column: 2 }, generated: { line: 1, column: 5 }, name: "q" });
console.log(gen.toString());
await SourceMapConsumer.with(gen.toJSON(), null, (c) =>
  console.log(c.originalPositionFor({ line: 1, column: 6 }), c.generatedPositionFor({ source: "i.js", line: 3, column: 2 })),
);
