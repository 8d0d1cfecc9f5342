// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  crypto: {
    /** `[bytes of a result, bytes of a state, whether any length may be asked for]` of a hash function. */
    hashInfo(number: number): [number, number, boolean];
    /** The state of a hash of nothing. */
    hashStart(number: number): Uint8Array<ArrayBuffer>;
    /** Writes the state of a hash of some bytes, which is as long as that of any other data. */
    hashStartWith(number: number, state: Native.Bytes, data: Native.Bytes): void;
    /** Takes bytes into a state. */
    hashUpdate(number: number, state: Native.Bytes, data: Native.Bytes): void;
    /** Takes the UTF-8 of a string into a state. */
    hashUpdateText(number: number, state: Native.Bytes, data: string): void;
    /** The hash of a state, which stays as it is; `length` bytes, which only SHAKE can choose. */
    hashFinish(number: number, state: Native.Bytes, length: number): Uint8Array<ArrayBuffer>;
    /** The same as text. */
    hashFinishText(number: number, state: Native.Bytes, length: number, encoding: number): string;
    /** The hash of bytes. */
    hashBytes(number: number, data: Native.Bytes, length: number): Uint8Array<ArrayBuffer>;
    /** The hash of bytes as text. */
    hashBytesText(number: number, data: Native.Bytes, length: number, encoding: number): string;
    /** The hash of a string's UTF-8. */
    hashString(number: number, data: string, length: number): Uint8Array<ArrayBuffer>;
    /** The hash of a string's UTF-8 as text. */
    hashStringText(number: number, data: string, length: number, encoding: number): string;
    /** The hash of bytes, off the thread. */
    hashLater(number: number, data: Native.Bytes, length: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    hashLater(number: number, data: Native.Bytes, length: number): Promise<Uint8Array<ArrayBuffer>>;
    /** HMAC in one call. */
    hmacBytes(number: number, key: Native.Bytes, data: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    hmacLater(number: number, key: Native.Bytes, data: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    hmacLater(number: number, key: Native.Bytes, data: Native.Bytes): Promise<Uint8Array<ArrayBuffer>>;
    /** cSHAKE (NIST SP 800-185): `bits` 128 or 256. */
    cshake(bits: number, name: Native.Bytes, custom: Native.Bytes, data: Native.Bytes, length: number): Uint8Array<ArrayBuffer>;
    /** KMAC of the same standard; `fixed`: whether the length goes into the code, as it does but for KMACXOF. */
    kmac(bits: number, key: Native.Bytes, custom: Native.Bytes, data: Native.Bytes, length: number, fixed: boolean): Uint8Array<ArrayBuffer>;
    argon2Sync(message: Native.Bytes, nonce: Native.Bytes, numbers: readonly number[], secret: Native.Bytes, ad: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    argon2(message: Native.Bytes, nonce: Native.Bytes, numbers: readonly number[], secret: Native.Bytes, ad: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    argon2(message: Native.Bytes, nonce: Native.Bytes, numbers: readonly number[], secret: Native.Bytes, ad: Native.Bytes): Promise<Uint8Array<ArrayBuffer>>;
    /** Writes the state of an HMAC of nothing: that of the inner hash, then that of the outer one. */
    hmacStart(number: number, state: Native.Bytes, key: Native.Bytes): void;
    /** Takes bytes into such a state. */
    hmacUpdate(number: number, state: Native.Bytes, data: Native.Bytes): void;
    /** Takes the UTF-8 of a string into such a state. */
    hmacUpdateText(number: number, state: Native.Bytes, data: string): void;
    /** The code of a state. */
    hmacFinish(number: number, state: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same as text. */
    hmacFinishText(number: number, state: Native.Bytes, encoding: number): string;
    /** PBKDF2 with HMAC. */
    pbkdf2Sync(number: number, password: Native.Bytes, salt: Native.Bytes, iterations: number, length: number): Uint8Array<ArrayBuffer>;
    /** PBKDF2 with HMAC, off the thread. */
    pbkdf2(number: number, password: Native.Bytes, salt: Native.Bytes, iterations: number, length: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    pbkdf2(number: number, password: Native.Bytes, salt: Native.Bytes, iterations: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
    /** HKDF; `out`, at most 255 hashes, is other memory than the arguments. */
    hkdfSync(number: number, key: Native.Bytes, salt: Native.Bytes, info: Native.Bytes, out: Native.Bytes): void;
    /** HKDF, off the thread. */
    hkdf(number: number, key: Native.Bytes, salt: Native.Bytes, info: Native.Bytes, length: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    hkdf(number: number, key: Native.Bytes, salt: Native.Bytes, info: Native.Bytes, length: number): Promise<Uint8Array<ArrayBuffer>>;
    /** Whether scrypt can run: 0 yes, 1 a parameter is wrong, 2 it would take more than `maxMemory` bytes. */
    scryptCheck(n: number, r: number, p: number, maxMemory: number): number;
    /** scrypt with parameters that `scryptCheck` accepts. */
    scryptSync(password: Native.Bytes, salt: Native.Bytes, n: number, r: number, p: number, length: number): Uint8Array<ArrayBuffer>;
    /** The same, off the thread. */
    scrypt(password: Native.Bytes, salt: Native.Bytes, n: number, r: number, p: number, length: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    scrypt(password: Native.Bytes, salt: Native.Bytes, n: number, r: number, p: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
    /** Random bytes. */
    randomBytes(size: number): Uint8Array<ArrayBuffer>;
    /** Fills a buffer or view with random bytes. */
    randomFillSync(buffer: Native.Bytes): void;
    /** The same, off the thread. */
    randomFill(buffer: Native.Bytes, callback: Native.Callback<void>): void;
    randomFill(buffer: Native.Bytes): Promise<void>;
    /** A random UUID (version 4). With `fresh`, not from the stock of random bytes. */
    randomUuid(fresh: boolean): string;
    /** A UUID of a time in milliseconds since 1970 (version 7). */
    randomUuidV7(milliseconds: number, fresh: boolean): string;
    /** Compares bytes without telling by the time it takes where they differ. Throws where there are not as many of both. */
    timingSafeEqual(a: Native.Bytes, b: Native.Bytes): boolean;
    /**
     * A key from text or bytes: `format` 0 PEM, 1 DER; `kind` 0 unknown, 1 PKCS#1, 2 PKCS#8, 3 SEC1, 4 SPKI.
     * Throws OpenSSL's errors, and ERR_MISSING_PASSPHRASE.
     */
    keyImport(private: boolean, format: number, kind: number, passphrase: Native.Bytes | null | undefined, data: Native.Bytes): Native.Key;
    /** The encoding of a public key: `kind` 1 PKCS#1, 4 SPKI; PEM text or DER. */
    keyExportPublic(key: Native.Key, asPem: boolean, kind: number): Uint8Array<ArrayBuffer>;
    /** The encoding of a private key: `kind` 1 PKCS#1, 2 PKCS#8, 3 SEC1, 5 PKCS#8 with the seed only (ML-DSA, ML-KEM); with a cipher and a passphrase encrypted. */
    keyExportPrivate(key: Native.Key, asPem: boolean, kind: number, cipher?: string | null | undefined, passphrase?: Native.Bytes | null | undefined): Uint8Array<ArrayBuffer>;
    /** Whether the public halves of two keys are the same, and their parameters. */
    keyEqual(one: Native.Key, other: Native.Key): boolean;
    /** Type of a key and what belongs to it: [name, bits (RSA, DSA: modulus; DSA: and divisor), curve, public exponent of RSA]. */
    keyInfo(key: Native.Key): [string, number, number, string, Uint8Array<ArrayBuffer> | undefined];
    /** The numbers of an RSA key: n, e, and for a private one d, p, q, dp, dq, qi. */
    keyRsaParts(key: Native.Key, private: boolean): Uint8Array<ArrayBuffer>[];
    /**
     * An RSA key of its eight numbers, in the same order, one after the other with these lengths; `d` and the others are empty
     * for a public key.
     */
    keyRsaImport(lengths: readonly number[], data: Native.Bytes): Native.Key;
    /** The numbers of a key of an elliptic curve: x and y, and d for a private one, each with leading zeros. */
    keyEcParts(key: Native.Key, private: boolean): Uint8Array<ArrayBuffer>[];
    /** A key of an elliptic curve of its coordinates, and of d for a private one (else empty). */
    keyEcImport(curve: string, x: Native.Bytes, y: Native.Bytes, d: Native.Bytes): Native.Key;
    /** A public key of the bytes of a point, compressed or not. */
    keyEcFromPoint(curve: string, point: Native.Bytes): Native.Key;
    /** The bytes of a key's point; `form` 2 compressed, 4 uncompressed. */
    keyEcPoint(key: Native.Key, form: number): Uint8Array<ArrayBuffer>;
    /**
     * The bytes of a key of a type that has a raw form (ed25519, x25519, ed448, x448, ml-dsa-…, ml-kem-…). Of private keys of the
     * post-quantum types it is the seed, where the key has one.
     */
    keyRaw(key: Native.Key, private: boolean): Uint8Array<ArrayBuffer>;
    /** A key of such bytes. */
    keyRawImport(name: string, private: boolean, data: Native.Bytes): Native.Key;
    /** A new pair; see `generate` for the arguments. */
    keyGenerate(kind: string, name: string, numbers: readonly number[], bytes: Native.Bytes): Native.Key;
    /** The same off the thread. */
    keyGenerateLater(kind: string, name: string, numbers: readonly number[], bytes: Native.Bytes, callback: Native.Callback<Native.Key>): void;
    keyGenerateLater(kind: string, name: string, numbers: readonly number[], bytes: Native.Bytes): Promise<Native.Key>;
    /** The signature of data, or of a digest; see `Options` for the numbers. Throws OpenSSL's errors. */
    signSync(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    signLater(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    signLater(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes): Promise<Uint8Array<ArrayBuffer>>;
    /** Whether a signature is that of data, or of a digest. */
    verifySync(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes, signature: Native.Bytes): boolean;
    /** The same off the thread. */
    verifyLater(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes, signature: Native.Bytes, callback: Native.Callback<boolean>): void;
    verifyLater(key: Native.Key, options: readonly number[], context: Native.Bytes | null | undefined, data: Native.Bytes, signature: Native.Bytes): Promise<boolean>;
    /**
     * RSA as a cipher. `options`: [0 publicEncrypt, 1 privateDecrypt, 2 privateEncrypt, 3 publicDecrypt; padding; hash of OAEP;
     * hash of its mask].
     */
    rsaCryptSync(key: Native.Key, options: readonly number[], label: Native.Bytes | null | undefined, data: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    rsaCryptLater(key: Native.Key, options: readonly number[], label: Native.Bytes | null | undefined, data: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    rsaCryptLater(key: Native.Key, options: readonly number[], label: Native.Bytes | null | undefined, data: Native.Bytes): Promise<Uint8Array<ArrayBuffer>>;
    /** The shared secret of a private and a public key (ECDH, X25519, X448, Diffie-Hellman). */
    keyDerive(private: Native.Key, public: Native.Key): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    keyDeriveLater(private: Native.Key, public: Native.Key, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    keyDeriveLater(private: Native.Key, public: Native.Key): Promise<Uint8Array<ArrayBuffer>>;
    /** A fresh shared secret for a public key of a key encapsulation mechanism: [ciphertext, secret]. */
    keyEncapsulate(public: Native.Key): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    /** The shared secret in a ciphertext. */
    keyDecapsulate(private: Native.Key, ciphertext: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** What is known of a cipher by its name or its number: [number for `cipherStart`, name, mode, nid, block, IV, key bytes]. */
    cipherInfo(name: string, nid: number): [number, string, string, number, number, number, number] | undefined;
    /** All names. */
    cipherNames(): string[];
    /** Starts a cipher; key and vector have lengths that were checked by the caller. */
    cipherStart(number: number, encrypting: boolean, key: Native.Bytes, iv: Native.Bytes, tagLength: number): Native.Cipher;
    /** The same with the object of a cipher that is at its end. */
    cipherRestart(cipher: Native.Cipher, number: number, encrypting: boolean, key: Native.Bytes, iv: Native.Bytes, tagLength: number): void;
    /** Data through a cipher. */
    cipherUpdate(cipher: Native.Cipher, data: Native.Bytes): Uint8Array<ArrayBuffer>;
    /**
     * The same to `out`, which has as many bytes as come out: as went in, or for CBC and ECB the whole blocks that there are with
     * what was left over (but for the last one where padding is to be taken off). Both must not overlap.
     */
    cipherUpdateInto(cipher: Native.Cipher, data: Native.Bytes, out: Native.Bytes): void;
    /**
     * What is left, at the front of `out`, and its number of bytes; the tag, if there is one, is 32 bytes further. `out` has 48
     * bytes. Throws ERR_OSSL_BAD_DECRYPT and the like, and where a tag does not fit.
     */
    cipherFinal(cipher: Native.Cipher, out: Native.Bytes): number;
    /** Associated data, for CCM with the length of the data to come (else -1). */
    cipherAssociate(cipher: Native.Cipher, data: Native.Bytes, length: number): void;
    /** The tag to compare with. */
    cipherSetTag(cipher: Native.Cipher, tag: Native.Bytes): void;
    /** Whether the last block is padded. */
    cipherSetPadding(cipher: Native.Cipher, padded: boolean): void;
    /** AES-KW of WebCrypto; undefined where it fails. */
    aesWrap(encrypting: boolean, key: Native.Bytes, data: Native.Bytes): Uint8Array<ArrayBuffer> | undefined;
    /**
     * A cipher with a tag after the text, in one call. `options`: [number of the cipher, whether to encrypt, bytes of the
     * tag]. Undefined where the data is not authentic.
     */
    aeadSync(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, associated: Native.Bytes, data: Native.Bytes): Uint8Array<ArrayBuffer> | undefined;
    /** The same off the thread. */
    aeadLater(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, associated: Native.Bytes, data: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer> | undefined>): void;
    aeadLater(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, associated: Native.Bytes, data: Native.Bytes): Promise<Uint8Array<ArrayBuffer> | undefined>;
    /**
     * A cipher without a tag in one call; `bits` is the length of AES-CTR's counter, 0 for other ciphers. Undefined where
     * the padding is wrong.
     */
    cipherSync(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, data: Native.Bytes): Uint8Array<ArrayBuffer> | undefined;
    /** The same off the thread. */
    cipherLater(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, data: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer> | undefined>): void;
    cipherLater(options: readonly number[], key: Native.Bytes, iv: Native.Bytes, data: Native.Bytes): Promise<Uint8Array<ArrayBuffer> | undefined>;
    /** A pair: [private, public]. With a private key its public half. */
    dhGenerate(prime: Native.Bytes, generator: Native.Bytes, private: Native.Bytes): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    /** The shared secret, as long as the prime. Number instead where the other key is wrong: 1 too small, 2 too large. */
    dhCompute(prime: Native.Bytes, private: Native.Bytes, other: Native.Bytes): [number, Uint8Array<ArrayBuffer>];
    /** What is wrong with a prime and a generator: the `DH_…` flags of OpenSSL. */
    dhCheck(prime: Native.Bytes, generator: Native.Bytes): number;
    /** A new safe prime for a generator. */
    dhPrime(bits: number, generator: number): Uint8Array<ArrayBuffer>;
    /** The prime of RFC 3526 with so many bits; empty if there is none. */
    dhKnownPrime(bits: number): Uint8Array<ArrayBuffer>;
    /** The names of the curves. */
    curveNames(): string[];
    /**
     * A pair on a curve: [private, public, uncompressed]. With a private key its public half; without a public half that
     * key is none of the curve, and an empty list comes back.
     */
    ecdhGenerate(curveName: string, private: Native.Bytes): Uint8Array<ArrayBuffer>[];
    /** A point in another form (2 compressed, 4 uncompressed, 6 hybrid); undefined where the bytes are no point. */
    ecdhConvert(curveName: string, point: Native.Bytes, form: number): Uint8Array<ArrayBuffer> | undefined;
    /** The shared secret of a private key and the bytes of another's point; undefined where they are no point. */
    ecdhCompute(curveName: string, private: Native.Bytes, other: Native.Bytes): Uint8Array<ArrayBuffer> | undefined;
    /** A random prime, whose bytes have leading zeros. Those with a step are searched for in `ext/crypto/primes.ts`. */
    primeSync(bits: number, safe: boolean): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    primeLater(bits: number, safe: boolean, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    primeLater(bits: number, safe: boolean): Promise<Uint8Array<ArrayBuffer>>;
    /** Whether a number is a prime, after so many checks (0: as many as its size asks for). */
    checkPrimeSync(number: Native.Bytes, checks: number): boolean;
    /** The same off the thread. */
    checkPrimeLater(number: Native.Bytes, checks: number, callback: Native.Callback<boolean>): void;
    checkPrimeLater(number: Native.Bytes, checks: number): Promise<boolean>;
    /** A certificate in PEM or DER. */
    x509Parse(data: Native.Bytes): Native.Certificate;
    /**
     * A text of a certificate: 0 subject, 1 issuer, 2 alternative names, 3 access to information, 4 and 5 the times between
     * which it is valid, 6 serial number, 7 signature algorithm, 8 its object identifier, 9 PEM. Empty where there is none.
     */
    x509Text(certificate: Native.Certificate, what: number): string;
    /** The times between which a certificate is valid, in milliseconds since 1970. */
    x509Times(certificate: Native.Certificate): [number, number];
    /** DER of a certificate. */
    x509Raw(certificate: Native.Certificate): Uint8Array<ArrayBuffer>;
    /** The public key. */
    x509Key(certificate: Native.Certificate): Native.Key;
    /** Purposes of the key as object identifiers. */
    x509KeyUsage(certificate: Native.Certificate): string[];
    /** The parts of the subject's or the issuer's name: short name and value by turns. */
    x509Name(certificate: Native.Certificate, issuer: boolean): string[];
    /** Whether a certificate is for a host: the name in it that says so, or undefined. An error for a name with a NUL. */
    x509CheckHost(certificate: Native.Certificate, name: string, flags: number): string | undefined;
    /** The same for an address of electronic mail. */
    x509CheckEmail(certificate: Native.Certificate, name: string, flags: number): boolean;
    /** The same for an IP address; an error where the text is none. */
    x509CheckIp(certificate: Native.Certificate, address: string): boolean;
    /** Whether the other certificate is that of the issuer, by what they say. */
    x509CheckIssued(certificate: Native.Certificate, issuer: Native.Certificate): boolean;
    /** Whether the private key belongs to the certificate. */
    x509CheckPrivateKey(certificate: Native.Certificate, key: Native.Key): boolean;
    /** Whether the certificate is signed with the key. */
    x509Verify(certificate: Native.Certificate, key: Native.Key): boolean;
    /** Whether the certificate says that it may sign others. (The library's `X509_check_ca` takes all of version 1 for such.) */
    x509IsCa(certificate: Native.Certificate): boolean;
    /** NIST's name of a curve by its short name; empty where it has none. */
    curveNistName(name: string): string;
    /** Whether a SPKAC is signed with the key in it. */
    spkacVerify(data: Native.Bytes): boolean;
    /** The key in a SPKAC as PEM; empty where it is none. */
    spkacKey(data: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The challenge in a SPKAC; empty where there is none. */
    spkacChallenge(data: Native.Bytes): Uint8Array<ArrayBuffer>;
  };
}
