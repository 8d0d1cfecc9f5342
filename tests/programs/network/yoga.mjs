import http from "node:http";
import { createRequire } from "node:module";
import { createSchema, createYoga } from "graphql-yoga";
const { listen, ask } = createRequire(import.meta.url)("./lib/client.cjs");
const yoga = createYoga({
  logging: false, landingPage: false, graphiql: false, maskedErrors: true,
  schema: createSchema({
    typeDefs: "type Item { id: ID! name: String } type Query { hello(name: String = \"world\"): String! items: [Item!]! fails: String header: String } type Mutation { add(a: Int!, b: Int!): Int! } type Subscription { count(to: Int!): Int! }",
    resolvers: {
      Query: { hello: (_, { name }) => `hello ${name}`, items: async () => [{ id: 1, name: "one" }, { id: 2 }], fails: () => { throw new Error("secret"); }, header: (_, __, { request }) => request.headers.get("x-test") },
      Mutation: { add: (_, { a, b }) => a + b },
      Subscription: { count: { subscribe: async function* (_, { to }) { for (let i = 1; i <= to; i++) yield { count: i }; } } },
    },
  }),
});
const server = http.createServer(yoga);
const port = await listen(server);
const json = { "content-type": "application/json" };
const query = async (body, headers = json) => {
  const { status, headers: answer, body: text } = await ask(port, "/graphql", { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });
  console.log(status, answer["content-type"], text.toString());
};
await query({ query: "{ hello items { id name } }" });
await query({ query: "query Q($n: String) { hello(name: $n) __typename }", variables: { n: "bao" } });
await query({ query: "mutation { add(a: 2, b: 3) }" });
await query({ query: "{ fails hello }" });
await query({ query: "{ nothing }" });
await query({ query: "{ hello" });
await query({ query: "{ header }" }, { ...json, "x-test": "yes" });
await query({ query: "{ hello }" }, { ...json, accept: "application/graphql-response+json" });
await query({ query: "subscription { count(to: 3) }" }, { ...json, accept: "text/event-stream" });
const { status, body } = await ask(port, `/graphql?query=${encodeURIComponent("{ hello(name: \"get\") }")}`, { headers: { accept: "application/json" } });
console.log(status, body.toString());
console.log((await ask(port, "/graphql", { method: "PUT" })).status, (await ask(port, "/other")).status, (await ask(port, "/graphql", { method: "OPTIONS" })).status);
// Without a network, and by fetch.
const direct = await yoga.fetch("http://yoga/graphql", { method: "POST", headers: json, body: JSON.stringify({ query: "{ hello }" }) });
console.log(direct.status, await direct.json());
const form = new FormData();
form.set("operations", JSON.stringify({ query: "{ hello }" }));
form.set("map", "{}");
const uploaded = await fetch(`http://127.0.0.1:${port}/graphql`, { method: "POST", body: form });
console.log(uploaded.status, await uploaded.text());
const many = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(port, "/graphql", { method: "POST", headers: { ...json, "content-length": 40 + `${i}`.length }, body: JSON.stringify({ query: `{ hello(name: "${i}") }` }).padEnd(40 + `${i}`.length) })));
console.log(many.filter(({ body }, i) => body.toString().includes(`"hello ${i}"`)).length);
server.close(() => console.log("closed"));
