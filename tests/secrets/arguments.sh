# expected: written by hand
# Bun.secrets: what is refused, and the error where no keyring answers.
cat > "${TMPDIR:-/tmp}/secrets-$$.mjs" <<'X'
const { secrets } = Bun;
const show = async (f) => {
  try {
    console.log(await f());
  } catch (error) {
    console.log(error.name, error.code, error.code === "ERR_SECRETS_PLATFORM_ERROR" || error.message);
  }
};
await show(() => secrets.get());
await show(() => secrets.get(null));
await show(() => secrets.get("a"));
await show(() => secrets.get({}));
await show(() => secrets.get({ service: "a" }));
await show(() => secrets.get({ service: 1, name: "x" }));
await show(() => secrets.get({ service: "", name: "x" }));
await show(() => secrets.get({ service: "a\0", name: "b" }));
await show(() => secrets.set({ service: "a", name: "b" }));
await show(() => secrets.set({ service: "a", name: "b", value: 1 }));
await show(() => secrets.set("a", "b", "v\0"));
await show(() => secrets.delete());
await show(() => secrets.get({ service: "a", name: "b" }));
await show(() => secrets.get("a", "b"));
await show(() => secrets.set("a", "b", "v"));
await show(() => secrets.delete("a", "b"));
console.log(secrets.get.length, secrets.set.length, secrets.delete.length, secrets.delete.name, Object.isFrozen(secrets), Object.keys(secrets).join());
X
DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere "$BAO" "${TMPDIR:-/tmp}/secrets-$$.mjs"
rm -f "${TMPDIR:-/tmp}/secrets-$$.mjs"
