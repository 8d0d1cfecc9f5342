import * as yup from "yup";
const schema = yup
  .object({
    name: yup.string().required().trim(),
    age: yup.number().positive().integer().default(3),
    site: yup.string().url().nullable(),
    at: yup.date().min(new Date(0)),
    list: yup.array().of(yup.object({ n: yup.number().moreThan(2) })),
    conf: yup.string().oneOf([yup.ref("name")]),
  })
  .noUnknown();
console.log(await schema.validate({ name: " x ", age: "4", site: null, at: "2020-01-01T00:00:00Z" }));
for (const bad of [
  { name: "", age: -1.5, site: "no" },
  { name: "a", list: [{ n: 1 }, { n: 3 }, { n: "x" }], conf: "b", zzz: 1 },
])
  await schema.validate(bad, { abortEarly: false, strict: false }).catch((e) =>
    console.log(
      e.name,
      e.errors,
      e.inner.map((i) => [i.path, i.type]),
    ),
  );
console.log(
  schema.cast({ name: 5 }),
  await schema.isValid({}),
  yup.reach(schema, "list[0].n").type,
  schema.describe().fields.name.tests,
);
console.log(
  yup.tuple([yup.string(), yup.number()]).cast(["a", "1"]),
  yup.lazy((v) => (typeof v === "number" ? yup.number() : yup.string())).cast("q"),
);
