// expected: recorded from node 25.9
// HTTPParser of _http_common, which packages that stand between node:http and the network use.
const { HTTPParser, methods } = require("_http_common");

function run(type, chunks, answer) {
  const parser = new HTTPParser();
  parser.initialize(type, {});
  const log = [];
  parser[HTTPParser.kOnMessageBegin] = () => log.push("begin");
  parser[HTTPParser.kOnHeaders] = (headers, url) => log.push(["headers", headers, url]);
  parser[HTTPParser.kOnHeadersComplete] = (major, minor, headers, method, ...rest) => {
    log.push([major, minor, headers, method === undefined ? method : methods[method], ...rest]);
    return answer;
  };
  parser[HTTPParser.kOnBody] = (bytes) => log.push(`body ${bytes}`);
  parser[HTTPParser.kOnMessageComplete] = () => log.push("complete");
  const result = (value) => (value instanceof Error ? [value.code] : value);
  for (const chunk of chunks) log.push(result(parser.execute(Buffer.from(chunk))));
  log.push(result(parser.finish()));
  parser.free();
  console.log(JSON.stringify(log));
}

run(HTTPParser.REQUEST, ["GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n"]);
run(HTTPParser.REQUEST, ["POST /a HTTP/1.0\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe", "llo"]);
run(HTTPParser.REQUEST, [
  "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: t\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n",
]);
run(HTTPParser.RESPONSE, ["HTTP/1.1 200 OK fine\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"]);
run(HTTPParser.RESPONSE, ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"], 1);
run(HTTPParser.RESPONSE, ["HTTP/1.1 200 OK\r\n\r\nuntil", "end"]);
run(HTTPParser.REQUEST, ["GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\nrest"], 2);
run(HTTPParser.REQUEST, ["POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe"]);
