// The metafile for people: which modules make a result large, as Markdown (`--metafile-md`) and as text (`--analyze`).

interface Metafile {
  inputs: { [path: string]: { bytes: number; imports: { path: string; kind: string; external?: boolean }[] } };
  outputs: {
    [path: string]: { bytes: number; entryPoint?: string; inputs: { [path: string]: { bytesInOutput: number } } };
  };
}

/** A number of bytes as people read it, as in Bun's table. */
export function sizeOf(bytes: number): string {
  if (bytes < 512) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(2)} ${units[unit]}`;
}

function largestInputs(inputs: { [path: string]: { bytesInOutput: number } }) {
  return Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
}

/** The metafile as Markdown. */
export function markdownOf({ inputs, outputs }: Metafile): string {
  const lines = ["# Bundle", "", "| result | size | entry point | modules |", "|---|---|---|---|"];
  for (const [path, output] of Object.entries(outputs)) {
    lines.push(
      `| ${path} | ${sizeOf(output.bytes)} | ${output.entryPoint ?? ""} | ${Object.keys(output.inputs).length} |`,
    );
  }
  for (const [path, output] of Object.entries(outputs)) {
    const parts = largestInputs(output.inputs);
    if (parts.length === 0) continue;
    lines.push("", `## ${path}`, "", "| module | in the result | source |", "|---|---|---|");
    for (const [module, { bytesInOutput }] of parts) {
      lines.push(`| ${module} | ${sizeOf(bytesInOutput)} | ${sizeOf(inputs[module]?.bytes ?? 0)} |`);
    }
  }
  lines.push("", "## Imports", "");
  for (const [path, { imports }] of Object.entries(inputs)) {
    if (imports.length === 0) continue;
    lines.push(`- ${path}`);
    for (const { path: to, kind, external } of imports)
      lines.push(`  - ${to} (${kind}${external === true ? ", external" : ""})`);
  }
  return `${lines.join("\n")}\n`;
}
