// expected: recorded from node 25.9
// A JWK of type AKP says which algorithm it is for.
const { publicKey } = await crypto.subtle.generateKey({ name: "ML-DSA-44" }, true, ["sign", "verify"]);
const { key_ops, alg, ...rest } = await crypto.subtle.exportKey("jwk", publicKey);
for (const jwk of [rest, { ...rest, alg: "ML-DSA-65" }, { ...rest, alg }]) {
  await crypto.subtle.importKey("jwk", jwk, { name: "ML-DSA-44" }, true, ["verify"]).then(
    () => console.log("imported"),
    (error) => console.log(error.name, error.message),
  );
}
