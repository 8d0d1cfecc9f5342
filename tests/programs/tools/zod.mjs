import { z } from "zod";
const User = z
  .object({
    id: z.uuid(),
    name: z.string().min(2).max(10).trim(),
    email: z.email().optional(),
    age: z.coerce.number().int().positive().lte(150),
    role: z.enum(["admin", "user"]).default("user"),
    tags: z.array(z.string()).nonempty(),
    meta: z.record(z.string(), z.union([z.number(), z.boolean(), z.null()])),
    when: z.iso.datetime().transform((s) => new Date(s)),
    address: z.object({ zip: z.string().regex(/^\d{5}$/) }).strict(),
  })
  .refine((u) => u.role !== "admin" || u.age >= 18, { message: "too young for an admin", path: ["age"] });
const good = {
  id: "123e4567-e89b-42d3-a456-426614174000",
  name: " Ann ",
  age: "42",
  tags: ["x"],
  meta: { a: 1, b: null },
  when: "2024-01-02T03:04:05Z",
  address: { zip: "12345" },
};
console.log(User.parse(good));
for (const bad of [
  { ...good, age: "x", tags: [], email: "no" },
  { ...good, role: "admin", age: 3 },
  { ...good, address: { zip: "1", extra: true }, meta: { a: "s" } },
  null,
  {},
]) {
  const { success, error } = User.safeParse(bad);
  console.log(success, z.prettifyError(error));
  console.log(JSON.stringify(error.issues), JSON.stringify(z.flattenError(error)));
}
const Tree = z.object({
  value: z.number(),
  get children() {
    return z.array(Tree).optional();
  },
});
console.log(JSON.stringify(Tree.parse({ value: 1, children: [{ value: 2, children: [] }] })));
const Shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("c"), r: z.number() }),
  z.object({ kind: z.literal("s"), side: z.number() }),
]);
console.log(Shape.safeParse({ kind: "s", side: "1" }).error.message, Shape.safeParse({ kind: "x" }).error.issues[0].code);
console.log(
  await z
    .string()
    .refine(async (s) => s.length > 3, "short")
    .safeParseAsync("abc")
    .then((r) => r.error.issues[0].message),
);
console.log(
  z.toJSONSchema(
    z.object({ a: z.string().min(1).describe("d"), b: z.number().optional(), c: z.tuple([z.string(), z.int()]), d: Shape }),
  ),
);
console.log(
  z.map(z.string(), z.number()).parse(new Map([["a", 1]])),
  z.set(z.number()).safeParse(new Set(["a"])).success,
  z.string().brand("X").parse("b"),
  z.preprocess(Number, z.number()).parse("7"),
  z.templateLiteral(["v", z.number()]).safeParse("v1").success,
);
try {
  z.string().parse(1);
} catch (error) {
  console.log(error.constructor.name, error instanceof z.ZodError, error instanceof Error, error.message);
}
