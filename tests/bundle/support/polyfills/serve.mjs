// What the development server gives a page that imports modules of Node.
const { default: page } = await import(process.argv[2]);
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: { console: false }, routes: { "/": page } });
const [, url] = (await (await fetch(server.url)).text()).match(/src="([^"]+)"/);
const script = await (await fetch(new URL(url, server.url))).text();
console.log(script.includes("bao-node:node:events"), script.includes("MaxListenersExceededWarning"), script.includes("utf8Slice"));
server.stop(true);
