import Joi from "joi";
const schema = Joi.object({
  username: Joi.string().alphanum().min(3).max(8).required(),
  password: Joi.string().pattern(/^[a-z]{3,}$/),
  repeat: Joi.ref("password"),
  birth: Joi.number().integer().min(1900).max(2013),
  email: Joi.string().email({ tlds: { allow: ["com"] } }),
  at: Joi.date().iso(),
  list: Joi.array().items(Joi.number(), Joi.string().valid("x")).unique(),
})
  .with("username", "birth")
  .xor("password", "email");
for (const value of [
  { username: "abc", birth: "1994", password: "abc", repeat: "abc" },
  { username: "a!", birth: 1, password: "abc", email: "a@b.org" },
  { birth: 2000, email: "a@b.com", at: "2020-01-01", list: [1, "x", 1] },
  {},
]) {
  const { error, value: out } = schema.validate(value, { abortEarly: false });
  console.log(out, error?.name, error?.message);
  if (error) console.log(error.details.map((d) => [d.type, d.path.join(".")]));
}
console.log(
  Joi.attempt("5", Joi.number()),
  Joi.isSchema(schema),
  JSON.stringify(Joi.object({ a: Joi.any().when("b", { is: 1, then: Joi.required() }) }).describe()),
);
try {
  Joi.assert("x", Joi.number(), "prefix:");
} catch (e) {
  console.log(e.name, e.message.replace(/\x1b\[\d+m/g, ""));
}
await Joi.string()
  .external(async (v) => v + "!")
  .validateAsync("hey")
  .then(console.log);
