# --experimental-http2-fetch offers HTTP/2 to servers. Recorded from Bun.
cat > "${TMPDIR:-/tmp}/http2_flag_$$.mjs" <<END
import http2 from "node:http2";
import certificate from "$PWD/../net/support/certificate.js";
const server = http2.createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => response.end(request.httpVersion));
server.listen(0, "127.0.0.1", async () => {
  const response = await fetch("https://127.0.0.1:" + server.address().port, { tls: { rejectUnauthorized: false } });
  console.log(await response.text());
  process.exit();
});
END
"$BAO" "${TMPDIR:-/tmp}/http2_flag_$$.mjs"
"$BAO" --experimental-http2-fetch "${TMPDIR:-/tmp}/http2_flag_$$.mjs"
rm "${TMPDIR:-/tmp}/http2_flag_$$.mjs"
