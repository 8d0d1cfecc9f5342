# --permission: what Bun's APIs may not do; Bun has no such model. Written by hand.
. support/lib.sh
mkdir -p open closed
echo text >open/file
echo "export default 1" >open/entry.js
tar -cf open/archive.tar -C open file
cp open/archive.tar closed/archive.tar
file main.mjs <<'JS'
const show = async (name, run) => {
  try {
    console.log(name, "fine", await run());
  } catch (error) {
    console.log(name, error.name, error.code, error.permission, JSON.stringify(error.resource));
  }
};
const { open } = await import("bao:store");
// All files have to be given: an archive is not looked for among the paths that are.
await show("Bun.Archive.open", async () => (await Bun.Archive.open("closed/archive.tar")).format);
await show("bao:store", async () => (await open("open/archive.tar")).format);
await show("Bun.build", async () => (await Bun.build({ entrypoints: ["./open/entry.js"] })).success);
await show("Bun.dns.lookup", async () => (await Bun.dns.lookup("localhost")).length > 0);
JS
bao --no-warnings --permission --allow-fs-read=open --allow-fs-write="./open/*" main.mjs
bao --no-warnings --permission --allow-fs-read="*" main.mjs
bao --no-warnings --permission --allow-fs-read="*" --allow-fs-write="*" --allow-net main.mjs
