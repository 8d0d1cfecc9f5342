// Key objects of node:crypto: import, export, signatures and shared secrets of fixed keys. Recorded from Node 25.8.1.
const crypto = require("node:crypto");
const rsa = crypto.createPrivateKey({
  format: "jwk",
  key: {
    kty: "RSA",
    n: "oahUIoWw0K0usKNuOR6H4wkf4oBUXHTxRvgb48E-BVvxkeDNjbC4he8rUWcJoZmds2h7M70imEVhRU5djINXtqllXI4DFqcI1DgjT9LewND8MW2Krf3Spsk_ZkoFnilakGygTwpZ3uesH-PFABNIUYpOiN15dsQRkgr0vEhxN92i2asbOenSZeyaxziK72UwxrrKoExv6kc5twXTq4h-QChLOln0_mtUZwfsRaMStPs6mS6XrgxnxbWhojf663tuEQueGC-FCMfra36C9knDFGzKsNa7LZK2djYgyD3JR_MB_4NUJW_TqOQtwHYbxevoJArm-L5StowjzGy-_bq6Gw",
    e: "AQAB",
    d: "kLdtIj6GbDks_ApCSTYQtelcNttlKiOyPzMrXHeI-yk1F7-kpDxY4-WY5NWV5KntaEeXS1j82E375xxhWMHXyvjYecPT9fpwR_M9gV8n9Hrh2anTpTD93Dt62ypW3yDsJzBnTnrYu1iwWRgBKrEYY46qAZIrA2xAwnm2X7uGR1hghkqDp0Vqj3kbSCz1XyfCs6_LehBwtxHIyh8Ripy40p24moOAbgxVw3rxT_vlt3UVe4WO3JkJOzlpUf-KTVI2Ptgm-dARxTEtE-id-4OJr0h-K-VFs3VSndVTIznSxfyrj8ILL6MG_Uv8YAu7VILSB3lOW085-4qE3DzgrTjgyQ",
    p: "1r52Xk46c-LsfB5P442p7atdPUrxQSy4mti_tZI3Mgf2EuFVbUoDBvaRQ-SWxkbkmoEzL7JXroSBjSrK3YIQgYdMgyAEPTPjXv_hI2_1eTSPVZfzL0lffNn03IXqWF5MDFuoUYE0hzb2vhrlN_rKrbfDIwUbTrjjgieRbwC6Cl0",
    q: "wLb35x7hmQWZsWJmB_vle87ihgZ19S8lBEROLIsZG4ayZVe9Hi9gDVCOBmUDdaDYVTSNx_8Fyw1YYa9XGrGnDew00J28cRUoeBB_jKI1oma0Orv1T9aXIWxKwd4gvxFImOWr3QRL9KEBRzk2RatUBnmDZJTIAfwTs0g68UZHvtc",
    dp: "ZK-YwE7diUh0qR1tR7w8WHtolDx3MZ_OTowiFvgfeQ3SiresXjm9gZ5KLhMXvo-uz-KUJWDxS5pFQ_M0evdo1dKiRTjVw_x4NyqyXPM5nULPkcpU827rnpZzAJKpdhWAgqrXGKAECQH0Xt4taznjnd_zVpAmZZq60WPMBMfKcuE",
    dq: "Dq0gfgJ1DdFGXiLvQEZnuKEN0UUmsJBxkjydc3j4ZYdBiMRAy86x0vHCjywcMlYYg4yoC4YZa9hNVcsjqA3FeiL19rk8g6Qn29Tt0cj8qqyFpz9vNDBUfCAiJVeESOjJDZPYHdHY8v1b-o-Z2X5tvLx-TCekf7oxyeKDUqKWjis",
    qi: "VIMpMYbPf47dT1w_zDUXfPimsSegnMOA1zTaX7aGk_8urY6R8-ZW1FxU7AlWAyLWybqq6t16VFd7hQd0y6flUK4SlOydB61gwanOsXGOAOv82cHq0E3eL4HrtZkUuKvnPrMnsUUFlfUdybVzxyjz9JF_XyaY14ardLSjf4L_FNY",
  },
});
const ed = crypto.createPrivateKey({
  format: "jwk",
  key: { kty: "OKP", crv: "Ed25519", d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
});
const ec = crypto.createPrivateKey({
  format: "jwk",
  key: {
    kty: "EC", crv: "P-256", x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    d: "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
  },
});
const data = Buffer.from("some data");

for (const [name, key] of [["rsa", rsa], ["ed25519", ed], ["ec", ec]]) {
  const pub = crypto.createPublicKey(key);
  console.log(name, key.type, key.asymmetricKeyType, key.asymmetricKeyDetails, pub.type);
  console.log(pub.export({ type: "spki", format: "pem" }));
  console.log(crypto.createHash("sha256").update(key.export({ type: "pkcs8", format: "der" })).digest("hex"));
  const again = crypto.createPrivateKey(key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open" }).replace("", "") && {
    key: key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open" }), passphrase: "open",
  });
  console.log(again.equals(key), crypto.createPublicKey(pub.export({ type: "spki", format: "der" }).toString("base64") && {
    key: pub.export({ type: "spki", format: "der" }), type: "spki", format: "der",
  }).equals(pub));
  const hash = name === "ed25519" ? null : "sha256";
  const signature = crypto.sign(hash, data, key);
  if (name !== "ec") console.log(signature.toString("base64").slice(0, 40));
  console.log(crypto.verify(hash, data, pub, signature), crypto.verify(hash, Buffer.from("other"), pub, signature));
}

// PKCS#1, PSS, OAEP, raw RSA.
console.log(crypto.createHash("sha1").update(rsa.export({ type: "pkcs1", format: "pem" })).digest("hex"));
const pss = { key: rsa, padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 };
console.log(crypto.verify("sha512", data, pss, crypto.sign("sha512", data, pss)));
const sealed = crypto.publicEncrypt({ key: rsa, oaepHash: "sha256", oaepLabel: Buffer.from("label") }, data);
console.log(crypto.privateDecrypt({ key: rsa, oaepHash: "sha256", oaepLabel: Buffer.from("label") }, sealed).toString());
console.log(crypto.publicDecrypt(rsa, crypto.privateEncrypt(rsa, data)).toString());

// r and s one after the other.
const plain = crypto.sign("sha256", data, { key: ec, dsaEncoding: "ieee-p1363" });
console.log(plain.length, crypto.verify("sha256", data, { key: ec, dsaEncoding: "ieee-p1363" }, plain));
console.log(crypto.createVerify("sha256").update(data).verify(ec, crypto.createSign("sha256").update("some ").update("data").sign(ec)));

// Shared secrets.
const a = crypto.createECDH("secp256k1");
const b = crypto.createECDH("secp256k1");
a.setPrivateKey("0b".repeat(32), "hex");
b.setPrivateKey("0c".repeat(32), "hex");
console.log(a.getPublicKey("hex", "compressed"), a.computeSecret(b.getPublicKey(), null, "hex"));
console.log(crypto.ECDH.convertKey(a.getPublicKey(), "secp256k1", null, "hex", "hybrid").slice(0, 10));
const one = crypto.getDiffieHellman("modp14");
const two = crypto.createDiffieHellman(one.getPrime(), one.getGenerator());
one.generateKeys();
two.generateKeys();
console.log(one.computeSecret(two.getPublicKey()).equals(two.computeSecret(one.getPublicKey())), one.verifyError);

for (const wrong of [
  () => crypto.createPrivateKey("abc"),
  () => crypto.createPrivateKey({ key: rsa.export({ type: "pkcs8", format: "pem", cipher: "aes-128-cbc", passphrase: "a" }), passphrase: "b" }),
  () => crypto.createPublicKey(crypto.createSecretKey("abc")),
  () => crypto.sign("sha256", data, ed),
  () => crypto.sign("nope", data, rsa),
  () => crypto.createSign("sha256").sign(),
  () => rsa.export(),
  () => rsa.export({ type: "sec1", format: "pem" }),
  () => ec.export({ type: "pkcs1", format: "pem" }),
  () => crypto.createECDH("none"),
  () => crypto.diffieHellman({ privateKey: ec, publicKey: crypto.createPublicKey(ed) }),
  () => a.computeSecret(Buffer.alloc(33)),
  () => crypto.getDiffieHellman("modp3"),
  () => crypto.generateKeyPairSync("none"),
  () => crypto.generateKeyPairSync("ec", { namedCurve: "none" }),
  () => crypto.generateKeyPairSync("rsa", { modulusLength: 100 }),
  () => crypto.createPublicKey({ key: { kty: "EC", crv: "P-256", x: "AA", y: "AA" }, format: "jwk" }),
]) {
  try {
    console.log(wrong());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
