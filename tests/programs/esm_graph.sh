# A graph of 5,000 ES modules, the one of bench/startup, prints the sum that Node prints. Then a chain as long, with a cycle through all
# of it (Bun prints the same; Node runs out of stack), and one whose deepest module throws: every importer fails with its error.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
python3 -B - "$dir/graph" <<'PY'
import pathlib, sys
sys.path.insert(0, "../../bench/startup")
from generate import esm_graph
folder = pathlib.Path(sys.argv[1])
esm_graph(folder, 5000)
# A chain 5,000 modules deep, with a way back from its end.
chain = folder / "chain"
chain.mkdir()
for i in range(4999):
    (chain / f"c{i}.mjs").write_text(f'import {{ depth as below }} from "./c{i + 1}.mjs";\nexport const depth = below + 1;\n')
(chain / "c4999.mjs").write_text('import * as first from "./c0.mjs";\nexport const depth = 0;\nexport const names = () => Object.keys(first);\n')
(chain / "main.mjs").write_text('import { depth } from "./c0.mjs";\nimport { names } from "./c4999.mjs";\nconsole.log(depth, names());\n')
(chain / "bad.mjs").write_text('for (const name of ["./b0.mjs", "./b500.mjs", "./b999.mjs"])\n  await import(name).catch((error) => console.log(name, error.name, error.message));\n')
for i in range(999):
    (chain / f"b{i}.mjs").write_text(f'import "./b{i + 1}.mjs";\nconsole.log("not reached");\n')
(chain / "b999.mjs").write_text('throw new RangeError("at the bottom");\n')
PY
for program in graph/main.mjs graph/chain/main.mjs graph/chain/bad.mjs; do
  "$BAO" "$dir/$program" 2>&1 || echo "exit code $?"
done
