import { Scanner } from "@tailwindcss/oxide";
const s = new Scanner({ sources: [] });
console.log(s.scanFiles([{ content: '<div class="p-4 md:flex hover:bg-red-500">', extension: "html" }]));
