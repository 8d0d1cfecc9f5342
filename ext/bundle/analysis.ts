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
  const results = Object.entries(outputs);
  const entries = results.filter(([, { entryPoint }]) => entryPoint !== undefined);
  const total = results.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  const lines = [
    "# Bundle Analysis Report",
    "",
    "## Quick Summary",
    "",
    "| Metric | Value |",
    "|---|---|",
    `| Total output size | ${sizeOf(total)} |`,
    `| Input modules | ${Object.keys(inputs).length} |`,
    `| Entry points | ${entries.length} |`,
    "",
    "## Largest Modules by Output Contribution",
    "",
    "| Bytes | Module | Output |",
    "|---|---|---|",
  ];
  const parts = results.flatMap(([path, output]) =>
    largestInputs(output.inputs).map(([module, { bytesInOutput }]) => ({ path, module, bytesInOutput })),
  );
  parts.sort((a, b) => b.bytesInOutput - a.bytesInOutput);
  for (const { path, module, bytesInOutput } of parts.slice(0, 20))
    lines.push(`| ${sizeOf(bytesInOutput)} | ${module} | ${path} |`);
  lines.push("", "## Entry Point Analysis");
  for (const [path, output] of entries) {
    lines.push(
      "",
      `### ${output.entryPoint}`,
      "",
      `**Output file**: \`${path}\`, ${sizeOf(output.bytes)}`,
      "",
      "| Bytes | Module |",
      "|---|---|",
    );
    for (const [module, { bytesInOutput }] of largestInputs(output.inputs))
      lines.push(`| ${sizeOf(bytesInOutput)} | ${module} |`);
  }
  lines.push("", "## Full Module Graph", "");
  for (const [path, { bytes, imports }] of Object.entries(inputs)) {
    lines.push(`- ${path} (${sizeOf(bytes)})`);
    for (const { path: to, kind, external } of imports)
      lines.push(`  - ${to} (${kind}${external === true ? ", external" : ""})`);
  }
  return `${lines.join("\n")}\n`;
}
