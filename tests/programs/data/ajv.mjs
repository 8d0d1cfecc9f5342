import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import formats from "ajv-formats";
const ajv = new Ajv.default({ allErrors: true, useDefaults: true, coerceTypes: true });
formats.default(ajv);
const validate = ajv.compile({
  $id: "u",
  type: "object",
  required: ["name", "email"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 2 },
    email: { type: "string", format: "email" },
    age: { type: "integer", minimum: 0, default: 7 },
    tags: { type: "array", items: { $ref: "#/definitions/tag" }, uniqueItems: true },
    when: { type: "string", format: "date-time" },
  },
  definitions: { tag: { enum: ["a", "b"] } },
  if: { properties: { age: { minimum: 18 } } },
  then: { required: ["when"] },
});
for (const data of [
  { name: "Al", email: "a@b.co", age: "5" },
  { name: "A", email: "x", tags: ["a", "a", "z"], extra: 1 },
  { name: "Bob", email: "b@c.de", age: 30 },
])
  console.log(
    validate(data),
    data,
    ajv.errorsText(validate.errors),
    validate.errors?.map((e) => [e.instancePath, e.keyword, e.params]),
  );
ajv.addKeyword({ keyword: "even", type: "number", validate: (on, n) => (n % 2 === 0) === on });
console.log(ajv.validate({ type: "number", even: true }, 3), ajv.validate({ type: "number", even: true }, 4));
try {
  ajv.compile({ type: "nonsense" });
} catch (e) {
  console.log(e.constructor.name, e.message.slice(0, 80));
}
const next = new Ajv2020.default();
console.log(next.validate({ prefixItems: [{ type: "string" }], items: false, unevaluatedItems: false }, ["a", 1]), next.errors);
