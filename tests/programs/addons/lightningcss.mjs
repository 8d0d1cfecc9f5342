import { transform, bundle, browserslistToTargets } from "lightningcss";
const r = transform({
  filename: "a.css",
  code: Buffer.from(".a { color: rgb(255 0 0 / 50%); &:hover { margin: 0px 0px } }"),
  minify: true,
  targets: { chrome: 80 << 16 },
  visitor: {
    Color(c) {
      return c;
    },
  },
});
console.log(r.code.toString());
try {
  transform({ filename: "b.css", code: Buffer.from(".a { } }}}"), errorRecovery: false });
} catch (e) {
  console.log(e.name, e.message, e.loc);
}
