// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  net: {
    /** Stores the functions that are told of events, in the order of `net::Callback`. */
    setCallbacks(functions?: unknown): void;
    /**
     * Begins a TCP connection to an IP address: a socket's number, or a negative errno. `local`: an address to bind to
     * before, with `localPort`.
     */
    connectTcp(address: string, port: number, local: string | null | undefined, localPort: number): number;
    /** Begins a connection to a unix socket (with a leading NUL: of the abstract namespace). */
    connectUnix(path: string): number;
    /** Binds a TCP socket for listening: a listener's number, or a negative errno. `flags`: 1 IPv6 only, 2 SO_REUSEPORT. */
    bindTcp(address: string, port: number, flags: number): number;
    /** Binds a unix socket for listening. */
    bindUnix(path: string): number;
    /** Takes over a descriptor as a listener. */
    openListener(fd: number): number;
    /** Takes over a descriptor as a connection. */
    openStream(fd: number): number;
    /**
     * Begins to listen: 0 or a negative errno. From now on the heap is kept small: a server runs for long, and its garbage is what
     * short requests leave.
     */
    listen(listener: number, backlog: number): number;
    /**
     * The heap is kept small as by `listen`: connections will come from another process, which listens, or large bodies will pass
     * through, and what they leave is collected early.
     */
    keepHeapSmall(): void;
    /**
     * Large bodies have passed through: what is left of them is collected now if the heap is small. Else it would count when the collector
     * decides how much garbage there may be, and that of the next bodies would come on top. With `areAll` no more will come, and the
     * system gets the memory back.
     */
    forgetBodies(areAll: boolean): void;
    /**
     * Code and constants of the executable that this process has used so far no longer count as its memory. What is used again comes from
     * the system's cache.
     */
    forgetExecutable(): void;
    /** The descriptor of a socket, -1 when closed. */
    socketFd(id: number): number;
    /** `[address, port, family]` of this side (`peer` false) or the other, or a negative errno. */
    socketAddress(id: number, peer: boolean): [number, [string, number, number] | undefined];
    /** Sets an integer socket option: 0 or a negative errno. */
    setOption(id: number, level: number, name: number, value: number): number;
    /** An integer socket option, or a negative errno. */
    getOption(id: number, level: number, name: number): number;
    /** TCP keep-alive; `delay`: seconds of silence before the first probe, 0 for the system's. 0 or a negative errno. */
    setKeepAlive(id: number, on: boolean, delay: number): number;
    /** Begins to read: 0 or a negative errno. */
    readStart(id: number): number;
    /** Stops reading. */
    readStop(id: number): void;
    /**
     * Writes two chunks (undefined for none), each a string or a buffer, with the encodings of strings (1 for Latin-1,
     * else UTF-8): a head and a body, in one system call. 0: the kernel has it; 1: the write event will tell; negative:
     * errno.
     */
    write(id: number, first: unknown, firstEncoding: number, second: unknown, secondEncoding: number): number;
    /** Writes many chunks: `[chunk, encoding, chunk, encoding, …]`; see `write`. */
    writeMany(id: number, chunks?: unknown): number;
    /**
     * Answers a request: a head (Latin-1: status line and headers, each with its line end), the Date (not with flag 4) and
     * Content-Length (not with flag 1), then a body: undefined, a string or bytes. Flag 2: only the length of the body is sent.
     * Results as of `write`.
     */
    httpRespond(id: number, head: unknown, body: unknown, flags: number): number;
    /**
     * Answers as `httpRespond` with what a file has, if that is a regular file: `(result of write, size)`, or 3 where the write event
     * will tell that the kernel has taken all of it and nothing may be written before, or 4 where that failed in the middle.
     * Otherwise nothing is sent, and the result is 2 (too large, or no file like that) or a negative errno of opening it.
     */
    httpRespondFile(id: number, head: unknown, path: string, flags: number): [number, number];
    /**
     * Answers with a part of a file that the kernel sends by itself: the head as for `httpRespond` (Content-Length is that of the
     * part), then `length` bytes from `start` on, at most what there is (undefined: to the end). `(result of write, length)`;
     * nothing was sent where the result is 2 (TLS, or no regular file) or a negative errno and the length is -1.
     */
    httpSendFile(id: number, head: unknown, path: string, start: number, length: number | null | undefined, flags: number): [number, number];
    /**
     * Writes what the kernel takes now of a string (as UTF-8) or a buffer and keeps nothing else: the number of bytes, or a
     * negative errno. Where that are not all, the write event tells when there is room.
     */
    writeSome(id: number, data?: unknown): number;
    /** Ends the reading side: 0 or a negative errno. */
    shutdownRead(id: number): number;
    /** Bytes that wait for the kernel. */
    queued(id: number): number;
    /** Ends the writing side: 0 done, 1 after what is queued (the write event tells), or a negative errno. */
    shutdown(id: number): number;
    /** Closes a socket or listener; the close event tells when the number is free. `reset`: with RST instead of FIN. */
    close(id: number, reset: boolean): number;
    /** Whether the loop waits for a socket. */
    setRef(id: number, on: boolean): void;
    /** See `setRef`. */
    hasRef(id: number): boolean;
    /** `[bytes read, bytes written]`, of what the kernel took. */
    byteCounts(id: number): [number, number];
    /** `[bytes read, bytes written]` by the program: of plaintext if the connection speaks TLS, and with what is still queued. */
    programBytes(id: number): [number, number];
    /** A parser of responses or requests: its number. `limit`: most bytes of a head; `lenient`: as `insecureHTTPParser`. */
    httpCreate(response: boolean, limit: number, lenient: boolean): number;
    /**
     * Has the requests that come on a socket parsed, instead of read by JavaScript. The parser has the number of the socket, under which
     * JavaScript is told of both. `limit`: most bytes of a head. False where there is no such socket.
     */
    httpServe(id: number, limit: number): boolean;
    /** What a parser of responses is to expect, see `Messages::expect`. */
    httpExpect(parser: number, bodyless: boolean): void;
    /**
     * Has the rest of a body gathered: it comes as one piece before its end, behind the bytes `early`. `expected`: how many bytes
     * the rest will be, or 0.
     */
    httpCollect(parser: number, early: unknown, expected: number): void;
    /** Has a parser read from a socket, instead of JavaScript. */
    httpConsume(parser: number, socket: number): boolean;
    /** Gives the socket back to JavaScript. */
    httpUnconsume(parser: number): void;
    /** Parses bytes that come from elsewhere. */
    httpExecute(parser: number, data?: unknown): void;
    /** The connection has ended. Undefined, or `[code, reason]` where that is in the middle of a message. */
    httpFinish(parser: number): [string, string] | undefined;
    /** Sets the function that gets frames, see `Net::frame_callback`. */
    wsCallback(function_?: unknown): void;
    /**
     * Has the frames of a WebSocket read from a socket from now on. `masked`: they must be, as those of clients; `limit`: most
     * bytes of one. False where there is no such socket.
     */
    wsStart(id: number, masked: boolean, limit: number): boolean;
    /** Frames that came with the head of an answer. */
    wsFeed(id: number, data?: unknown): void;
    /**
     * Sends one frame: its first byte, and a string or bytes (undefined for none). The number of bytes of the payload, -1 where
     * they wait for the kernel (the write event tells), less than -1 where they cannot be sent.
     */
    wsSend(id: number, first: number, payload: unknown, masked: boolean): number;
    /**
     * Sends one frame, made once, to many sockets: their numbers in a Uint32Array, without `except` (-1 for none). What is published
     * in one turn goes out together with `wsFlush`. A socket of which `limit` bytes (0 for any number) would wait for the kernel is
     * left out. Gives the number of bytes of the payload, then number and outcome (see `published`) of each socket that has one.
     */
    wsPublish(ids: unknown, except: number, first: number, payload: unknown, limit: number): number[];
    /** Sends what was published since the last call: the numbers of sockets whose part waits for the kernel. */
    wsFlush(): number[];
    /** Has what is written to a socket wait until that is switched off: 0, 1 where the write event will tell, negative errno. */
    cork(id: number, on: boolean): number;
    /** `[ms since the message under way began or -1, whether its head is complete]` */
    httpAge(parser: number): [number, boolean];
    /** Ends a parser; nothing happens where a socket has none (any more). */
    httpFree(parser: number): void;
    /** Names of methods by their numbers. */
    httpMethods(): string[];
    /** A new context for versions from `min` to `max` (0x0301 is TLS 1.0, 0x0304 TLS 1.3) with OpenSSL's options (`SSL_OP_…`). */
    tlsContext(min: number, max: number, options: number): number;
    /** Frees a context; connections that use it go on. */
    tlsContextFree(context: number): void;
    /**
     * Adds material to a context, by `kind`: 0 a certificate with those of its issuers, 1 a key, 2 certificates to trust, 3 lists of
     * revoked certificates (all PEM), 4 a PKCS #12 bundle, 5 parameters of Diffie-Hellman, which are checked only, 6 certificates to trust
     * beside whom the context trusts already (PEM). `secret` is the passphrase of a key or bundle. Throws OpenSSL's errors.
     */
    tlsAdd(id: number, kind: number, bytes: Native.Bytes, secret?: string | null | undefined): void;
    /**
     * Limits a context, by `kind`: 0 to suites before TLS 1.3 (OpenSSL's list), 1 to suites of TLS 1.3, 2 to groups, 3 to algorithms of
     * signatures (with colons between). 4 lets chains end in any trusted certificate. Throws OpenSSL's errors.
     */
    tlsLimit(id: number, kind: number, list: string): void;
    /** Identification of a server's sessions (at most 32 bytes), and how many seconds they last (0: two hours). */
    tlsSessionTerms(id: number, identification: Native.Bytes, seconds: number): void;
    /** The 48 bytes of a context's ticket keys, after setting them where some are given. */
    tlsTicketKeys(id: number, keys?: Native.Bytes | null | undefined): Uint8Array<ArrayBuffer>;
    /** A context's certificate and that of its issuer, as far as they are known (DER). */
    tlsOwnCertificates(id: number): Uint8Array<ArrayBuffer>[];
    /** Whom contexts made from now on trust that name nobody: Mozilla's roots or not, and certificates (PEM). */
    tlsDefaultTrust(mozilla: boolean, pem: Native.Bytes): void;
    /** Mozilla's root certificates (DER). */
    tlsRoots(): Uint8Array<ArrayBuffer>[];
    /** Names of all cipher suites, as OpenSSL has them. */
    tlsCiphers(): string[];
    /**
     * Begins a handshake as the client: 0 or a negative errno. `name`: of the server, to tell it (SNI), or empty; `marks`: the sum of 1 (tell
     * of sessions), 2 (of keys), 4 (ask for OCSP), 8 (the context keeps sessions, under `key`), 64 (pre-shared keys: the event of kind 5 asks
     * for `tlsAnswer`), 128 (trace); `session`: one to resume. Throws if the context asks for TLS 1.3 and there are pre-shared keys.
     */
    tlsStartClient(socket: number, context: number, name: string, alpn: readonly string[], marks: number, key?: string | null | undefined, session?: Native.Bytes | null | undefined): number;
    /**
     * Waits for a ClientHello: 0 or a negative errno. The TLS event of kind 2 asks for `tlsChoose`. `marks`: as for clients, and 16 (ask for a
     * certificate), 32 (refuse clients without one). `hint`: what clients are told about the pre-shared key; EINVAL if it is too long.
     */
    tlsStartServer(socket: number, context: number, marks: number, hint?: string | null | undefined): number;
    /** Before `tlsChoose`: the session that was found for the one that a client names, and a status of the certificate (OCSP, DER). */
    tlsPrepare(socket: number, session?: Native.Bytes | null | undefined, status?: Native.Bytes | null | undefined): void;
    /** Goes on with a handshake, with this context and these protocols. */
    tlsChoose(socket: number, context: number, alpn: readonly string[]): void;
    /** Answers the question for a pre-shared key: with the identity (a client's, else empty) and the key, or without a key. */
    tlsAnswer(socket: number, identity: string, key?: Native.Bytes | null | undefined): void;
    /** Says on standard error what TLS sends and receives from now on. */
    tlsTrace(socket: number): void;
    /** JavaScript agrees to who the peer is; until then nothing that was written is sent. */
    tlsRelease(socket: number): void;
    /** Two connected sockets, for TLS over something that is no socket: `[0, number, number]` or `[errno, …]`. */
    socketPair(): [number, number, number];
    /** `[protocol, cipher suite, ALPN protocol, server name, failure of the peer's certificate, standard name of the suite]` */
    tlsDescribe(socket: number): string[];
    /** The peer's certificates (DER), its own first; behind them those of issuers that a context trusts, where one is given. */
    tlsPeer(socket: number, context?: number | null | undefined): Uint8Array<ArrayBuffer>[];
    /** The own certificate in use (DER). */
    tlsOwnCertificate(socket: number): Uint8Array<ArrayBuffer> | undefined;
    /** Keying material (RFC 5705); undefined before the handshake has ended. */
    tlsExport(socket: number, length: number, label: string, context?: Native.Bytes | null | undefined): Uint8Array<ArrayBuffer> | undefined;
    /** Sessions that have come up since the last call: identification and session by turns. */
    tlsSessions(socket: number): Uint8Array<ArrayBuffer>[];
    /** The session; with `named`, the identification of the one that the ClientHello names. Empty where there is none. */
    tlsSession(socket: number, named: boolean): Uint8Array<ArrayBuffer>;
    /** The ticket of the session; empty where there is none. */
    tlsTicket(socket: number): Uint8Array<ArrayBuffer>;
    /** Whether the session was resumed. */
    tlsIsResumed(socket: number): boolean;
    /** The group that keys were exchanged in, by its number (RFC 8446, 4.2.7). */
    tlsGroup(socket: number): number;
    /** Algorithms of signatures that the peer takes. */
    tlsPeerAlgorithms(socket: number): string[];
    /** The last Finished message that was sent or, with `peer`, that has come; empty where there is none. */
    tlsFinished(socket: number, peer: boolean): Uint8Array<ArrayBuffer>;
    /** The status of the server's certificate that has come (OCSP, DER). */
    tlsStatus(socket: number): Uint8Array<ArrayBuffer> | undefined;
    /** Sends at most so many bytes of plaintext in a record: whether that number is allowed. */
    tlsMaxFragment(socket: number, size: number): boolean;
    /** Tells of new sessions and lines for key logs from now on, or no more. */
    tlsTell(socket: number, sessions: boolean, keys: boolean): void;
    /** Takes in ciphertext that has come by another way than the connection, before what comes there. */
    tlsFeed(socket: number, bytes: Native.Bytes): void;
    /** Sets the function that is told what happens. */
    h2Callback(function_?: unknown): void;
    /**
     * A session: its number. `limits`: fifteen numbers in the order of `http2::Options`, NaN for what is usual, then settings of the peer
     * that are of interest.
     */
    h2Create(server: boolean, limits: readonly number[]): number;
    /** Has a session read from and write to a socket. False where there is no such socket. */
    h2Consume(id: number, socket: number): boolean;
    /** Gives bytes that came by another way to a session. */
    h2Feed(id: number, data?: unknown): void;
    /** Sends what there is. */
    h2Flush(id: number): void;
    /** What was given to JavaScript to be written has been. */
    h2Written(id: number): void;
    /** Ends a session, with a last GOAWAY where `send` is set. The number stays until `h2_free`. */
    h2Close(id: number, code: number, send: boolean): void;
    /** Frees a session's number. */
    h2Free(id: number): void;
    /** Whether something is still to be sent. */
    h2Pending(id: number): boolean;
    /** What JavaScript wants to hear of beside the rest: 1 priorities, 2 when nothing is left to be sent. */
    h2Watch(id: number, bits: number): void;
    /** Writes to the socket so far. */
    h2Writes(id: number): number;
    /** Sends settings: identifiers and values in turn. False where too many wait for an answer. */
    h2Settings(id: number, list: readonly number[]): boolean;
    /**
     * The settings in force of this side, or of the peer: table size, push, window, frame size, streams, header list, connect protocol, then
     * others as identifiers and values.
     */
    h2SettingsOf(id: number, remote: boolean): number[];
    /** Sends a ping of eight bytes; false where too many wait for an answer. */
    h2Ping(id: number, payload: Native.Bytes): boolean;
    /** Sends a GOAWAY, with bytes for whoever looks into it. */
    h2Goaway(id: number, code: number, last: number, data?: Native.Bytes | null | undefined): void;
    /** Sends an ALTSVC frame. */
    h2Altsvc(id: number, stream: number, origin?: unknown, value?: unknown): void;
    /** Sends an ORIGIN frame. */
    h2Origin(id: number, origins: readonly string[]): void;
    /** See `Session::state`. */
    h2State(id: number): number[];
    /** See `Session::stream_state`. */
    h2StreamState(id: number, stream: number): number[];
    /** The window of the connection. */
    h2Window(id: number, size: number): void;
    /** Chooses the next stream; false where that cannot be. */
    h2NextId(id: number, next: number): boolean;
    /**
     * Sends a header block: fields as `name NUL value NUL`, with a 1 before names that must never be indexed. `kind`: 0 a request, 1 an
     * answer, 2 before the answer, 3 trailers, 4 a promise on `stream`. `flags`: 1 nothing follows, 2 trailers will. The number of a new
     * stream, 0, or what is wrong (nghttp2's number).
     */
    h2Headers(id: number, kind: number, stream: number, headers: unknown, flags: number): number;
    /** Queues a string (`encoding`: 1 Latin-1, else UTF-8) or bytes on a stream, and with `end` its end. False where there is no such stream. */
    h2Write(id: number, stream: number, chunk: unknown, encoding: number, end: boolean): boolean;
    /**
     * Answers a request in one call: fields as of `h2_headers`, then the whole body: undefined, a string or bytes. `quiet`: that the
     * stream is closed then is only told where it came to a bad end.
     */
    h2Reply(id: number, stream: number, headers: unknown, body: unknown, quiet: boolean): number;
    /** Ends the writing side of a stream. */
    h2Shut(id: number, stream: number): void;
    /** Whether what comes on a stream is wanted. */
    h2Reading(id: number, stream: number, on: boolean): void;
    /** Ends a stream with a code. */
    h2Reset(id: number, stream: number, code: number): void;
    /** Nobody has use for a stream any more. */
    h2Abandon(id: number, stream: number): void;
    /** Sets the function that is told what happens. */
    h3Callback(function_?: unknown): void;
    /**
     * A server's endpoint: its number, or a negative errno. `contexts` of TLS: the first is for names that are not among `names`, which has
     * one (or a wildcard) for each. `ask`: for a certificate. `idle`: milliseconds of silence before a connection ends, 0 for any number.
     */
    h3Listen(address: string, port: number, flags: number, contexts: readonly number[], names: readonly string[], ask: boolean, idle: number): number;
    /** An endpoint for clients' connections: its number, or a negative errno. */
    h3Open(): number;
    /** Closes an endpoint; with `refuse`, it only takes no more connections. */
    h3CloseEndpoint(id: number, refuse: boolean): void;
    /**
     * Begins a connection to an address: the number of its session. `name`: of the server, to tell it (SNI), or empty; `key`: what sessions of
     * TLS are kept under; `idle`: milliseconds of silence before the connection ends.
     */
    h3Connect(endpoint: number, address: string, port: number, context: number, name: string, key: string | null | undefined, idle: number): number;
    /** Address, port and family of a session's peer. */
    h3Address(id: number): [string, number, number] | undefined;
    /** Sends what there is. */
    h3Flush(id: number): void;
    /** Ends a session with a code: the peer is told. The number stays until `h3_free`. */
    h3Close(id: number, code: number): void;
    /** Frees a session's number. */
    h3Free(id: number): void;
    /** Whether JavaScript wants to hear when the peer has all that was sent. */
    h3Watch(id: number, on: boolean): void;
    /** Takes no more requests. */
    h3Goaway(id: number): void;
    /**
     * Sends a header block: fields as `name NUL value NUL`, pseudo-fields first, by `kind` as for HTTP/2. `flags`: 1 nothing follows. The number
     * of a new stream, 0, or -1 where that cannot be.
     */
    h3Headers(id: number, kind: number, stream: number, headers: unknown, flags: number): number;
    /** Queues a string or bytes on a stream, and with `end` its end. False where there is no such stream. */
    h3Write(id: number, stream: number, chunk: unknown, end: boolean): boolean;
    /**
     * Answers a request in one call: fields as of `h3_headers`, then the whole body: undefined, a string or bytes. `quiet`: that the stream is
     * closed then is only told where it came to a bad end.
     */
    h3Reply(id: number, stream: number, headers: unknown, body: unknown, quiet: boolean): number;
    /** Ends the writing side of a stream. */
    h3Shut(id: number, stream: number): void;
    /** Whether what comes on a stream is wanted. */
    h3Reading(id: number, stream: number, on: boolean): void;
    /** Ends a stream with a code. */
    h3Reset(id: number, stream: number, code: number): void;
    /**
     * Addresses of `host`. `family`: 0, 4 or 6; `hints`: AI_* flags. `callback(error, [code, addresses])`: code 0 or one
     * of libuv's (-3008 for ENOTFOUND).
     */
    getAddrInfo(host: string, family: number, hints: number, callback: Native.Callback<[number, string[]]>): void;
    getAddrInfo(host: string, family: number, hints: number): Promise<[number, string[]]>;
    /** The same on the calling thread, for functions that give a socket at once. */
    getAddrInfoNow(host: string, family: number, hints: number): [number, string[]];
    /** Name and service of an address. `callback(error, [code, host, service])`. */
    getNameInfo(address: string, port: number, callback: Native.Callback<[number, string, string]>): void;
    getNameInfo(address: string, port: number): Promise<[number, string, string]>;
    /** A datagram socket of family 4 or 6: its number, or a negative errno. */
    udpOpen(family: number): number;
    /** Takes over a descriptor: its number, EEXIST where a socket of this thread receives from it, EINVAL for what is no datagram socket. */
    udpAdopt(fd: number): number;
    /** Binds: 0 or a negative errno. `flags`: 1 IPv6 only, 2 SO_REUSEPORT, 4 SO_REUSEADDR. */
    udpBind(id: number, address: string, port: number, flags: number): number;
    /** Connects to an address, or with undefined disconnects: 0 or a negative errno. */
    udpConnect(id: number, address: string | null | undefined, port: number): number;
    /** Begins or stops to receive: 0 or a negative errno. */
    udpReceive(id: number, on: boolean): number;
    /**
     * Sends one datagram made of `chunks` (buffers) to an address (undefined when connected). 0: the kernel has it; 1: the
     * write event will tell; negative: errno.
     */
    udpSend(id: number, chunks: unknown, address: string | null | undefined, port: number): number;
    /**
     * Sends datagrams, each of three values in a list: a string (as UTF-8) or a buffer, a port, and an address (undefined when
     * connected), as far as the kernel takes them now: their number, or a negative errno. Where that are not all, the write
     * event tells when there is room.
     */
    udpSendSome(id: number, list?: unknown): number;
    /** `[bytes, datagrams]` that wait for the kernel. */
    udpQueued(id: number): [number, number];
    /**
     * Joins (`join`) or leaves a multicast group, of one source where `source` is given: 0 or a negative errno.
     * `interface`: an address of the interface, undefined for the system's choice.
     */
    udpMembership(id: number, join: boolean, group: string, interface?: string | null | undefined, source?: string | null | undefined): number;
    /** The interface for multicast, by an address of it (`::%eth0` for IPv6): 0 or a negative errno. */
    udpMulticastInterface(id: number, interface: string): number;
  };
}
