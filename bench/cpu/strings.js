// Building and taking apart strings: templates, concatenation, join, slices, case, searching, code points.
function escape(text) {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 38) out += "&amp;";
    else if (c === 60) out += "&lt;";
    else if (c === 62) out += "&gt;";
    else if (c === 34) out += "&quot;";
    else out += text[i];
  }
  return out;
}

let hash = 0;
function mix(text) {
  for (let i = 0; i < text.length; i += 7) hash = (hash * 31 + text.charCodeAt(i)) | 0;
}

for (let round = 0; round < 25; round++) {
  let page = "<ul>";
  for (let i = 0; i < 8000; i++) {
    page += `<li class="${i % 2 ? "odd" : "even"}" id="row-${i}">${escape(`Item <${i}> & "${round}"`)}</li>`;
  }
  page += "</ul>";
  mix(page);
  const parts = page.split("</li>");
  mix(parts.map((p) => p.slice(p.indexOf(">") + 1).trim().toUpperCase()).join("|"));
  mix(page.replaceAll("row-", "line-"));
  let count = 0;
  for (let at = page.indexOf("&amp;"); at !== -1; at = page.indexOf("&amp;", at + 1)) count++;
  hash = (hash + count) | 0;
  let wide = "";
  for (const char of "naïve 😀 τέχνη ".repeat(600)) wide = char + wide.slice(0, 40);
  mix(wide);
  const words = {};
  for (const word of page.toLowerCase().split(" ")) words[word.substring(0, 8)] = (words[word.substring(0, 8)] ?? 0) + 1;
  hash = (hash + Object.keys(words).length) | 0;
  mix(Array.from({ length: 5000 }, (_, i) => String(i * 1.5).padStart(9, "0")).reverse().join(""));
}
console.log(hash);
