//! Messages whole and in pieces of any size; what must be refused.

use super::*;

/// All steps of `input`, cut into pieces of `size` bytes.
fn run(kind: Kind, input: &[u8], size: usize) -> Result<Vec<String>, &'static str> {
    let mut parser = Parser::new(kind, 16 << 10, false);
    let mut found = Vec::new();
    let mut body = Vec::new();
    for piece in input.chunks(size) {
        let mut at = 0;
        loop {
            let (used, step) = parser.step(&piece[at..]).map_err(|e| e.code)?;
            at += used;
            match step {
                Step::More => break,
                Step::Head(head) => found.push(format!(
                    "head {} {} {}",
                    head.number,
                    head.keep_alive,
                    String::from_utf8_lossy(parser.text()).replace('\0', "|")
                )),
                Step::Body { len } => body.extend_from_slice(&piece[at - len..at]),
                Step::End => {
                    let text = String::from_utf8_lossy(parser.text()).replace('\0', "|");
                    found.push(format!("end {} {text}", String::from_utf8_lossy(&body)));
                    body.clear();
                }
            }
        }
    }
    Ok(found)
}

fn all(kind: Kind, input: &str) -> Result<Vec<String>, &'static str> {
    let whole = run(kind, input.as_bytes(), usize::MAX);
    for size in [1, 2, 3, 7] {
        assert_eq!(run(kind, input.as_bytes(), size), whole, "pieces of {size}");
    }
    whole
}

#[test]
fn requests() {
    assert_eq!(
        all(Kind::Request, "GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc")
            .unwrap(),
        ["head 1 true /a|Host|x", "end  ", "head 3 true /b|content-length|3", "end abc "]
    );
    assert_eq!(
        all(
            Kind::Request,
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
        )
        .unwrap(),
        ["head 4 true /|Transfer-Encoding|chunked", "end abc0123456789 T|v"]
    );
}

#[test]
fn responses() {
    assert_eq!(
        all(Kind::Response, "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").unwrap(),
        ["head 204 true No Content", "end  ", "head 200 true OK|Content-Length|2", "end hi "]
    );
    let mut parser = Parser::new(Kind::Response, 1000, false);
    parser.step(b"HTTP/1.1 200\r\n\r\n").unwrap();
    assert_eq!(parser.step(b"abc").unwrap(), (3, Step::Body { len: 3 }));
    assert_eq!(parser.finish(), Ok(true));
}

#[test]
fn refused() {
    let cases = [
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH"),
        ("GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("GET / HTTP/1.1\r\nA: x\r\n y\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("GET / HTTP/1.1\r\nA: x\ny: z\r\n\r\n", "HPE_CR_EXPECTED"),
        ("GET / HTTP/1.1\r\nA: x\ry\r\n\r\n", "HPE_LF_EXPECTED"),
        ("GET / HTTP/1.1\r\nA: \x01\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", "HPE_STRICT"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked, Chunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip, chunked\r\n\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("FOO / HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HPE_PAUSED_H2_UPGRADE"),
        ("get / HTTP/1.1\r\n\r\n", "HPE_INVALID_METHOD"),
        ("GET / HTTP/1.2\r\n\r\n", "HPE_INVALID_VERSION"),
        ("GET / FTP/1.1\r\n\r\n", "HPE_INVALID_CONSTANT"),
        ("GET /\r\n\r\n", "HPE_INVALID_CONSTANT"),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n", "HPE_CLOSED_CONNECTION"),
    ];
    for (input, code) in cases {
        assert_eq!(all(Kind::Request, input), Err(code), "{input:?}");
    }
    let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(20000));
    assert_eq!(run(Kind::Request, long.as_bytes(), usize::MAX), Err("HPE_HEADER_OVERFLOW"));
    assert_eq!(run(Kind::Request, long.as_bytes(), 100), Err("HPE_HEADER_OVERFLOW"));
}

#[test]
fn ends_that_cannot_become_right() {
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (rest, code) in [
        ("0\r\n\rA", "HPE_INVALID_HEADER_TOKEN"),
        ("0\r\nT: v\rA", "HPE_LF_EXPECTED"),
        ("0\r\nT\r: v", "HPE_INVALID_HEADER_TOKEN"),
        ("FFFFFFFFFFFFFFFF\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("8000000000000000\r\n", "HPE_INVALID_CHUNK_SIZE"),
    ] {
        assert_eq!(all(Kind::Request, &format!("{chunked}{rest}")), Err(code), "{rest:?}");
    }
    assert!(all(Kind::Request, &format!("{chunked}0\r\n\r")).is_ok());
    assert!(all(Kind::Request, &format!("{chunked}7fffffffffffffff\r\nx")).is_ok());
    assert_eq!(all(Kind::Request, "GET / HTTP/1.1\r\nA: b\rX"), Err("HPE_LF_EXPECTED"));
}

#[test]
fn extensions_of_chunks() {
    let run = |extension: &str| {
        let text = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1{extension}\r\nx\r\n0\r\n\r\n");
        all(Kind::Request, &text).map(|_| ())
    };
    for good in [";a", ";a=b", ";a=\"b\"", ";a=\"b\\\"c\"", ";a=\"b\";d", ";a=b;c=d;e", ";a=\"\t(;,)\""] {
        assert_eq!(run(good), Ok(()), "{good}");
    }
    for bad in [
        ";",
        ";;",
        "; a",
        ";a =b",
        ";a= b",
        ";a=b ",
        ";a=b\tc",
        ";a=\"",
        ";a=\"b",
        ";a=\"b\\\"",
        ";a=\"b\"c",
        ";\"a\"",
        ";a=b=c",
        ";a=\"b\" ",
        ";a=\"\u{1}\"",
        ";a/b",
    ] {
        assert_eq!(run(bad), Err("HPE_STRICT"), "{bad}");
    }
}

#[test]
fn hosts() {
    let odd = |host: &str| {
        let mut parser = Parser::new(Kind::Request, 16 << 10, false);
        match parser.step(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()) {
            Ok((_, Step::Head(head))) => head.odd_host,
            other => panic!("{other:?}"),
        }
    };
    for good in ["", "x", "X.y_z-1:80", "x:", "127.0.0.1:3000", "[::1]", "[::ffff:1.2.3.4]:8080", "a%20b", "a,b"] {
        assert!(!odd(good), "{good}");
    }
    for bad in [
        "x/admin?", "x/", "x#", "x?y", "x\\y", "a@b", "x y", "[::1", "[]", "[::1]x", "x:80/", "x:y", "x:1:2", "::1",
        "<", "\u{e9}", "a\"",
    ] {
        assert!(odd(bad), "{bad}");
    }
}

#[test]
fn lenient_values() {
    let parse = |text: &[u8]| {
        let mut parser = Parser::new(Kind::Request, 16 << 10, true);
        parser.step(text).map(|_| ()).map_err(|e| e.code)
    };
    assert_eq!(parse(b"GET / HTTP/1.1\r\nA: b\x19c\r\n\r\n"), Ok(()));
    assert_eq!(parse(b"GET / HTTP/1.1\r\nA: b\x19c\rd\r\n\r\n"), Err("HPE_LF_EXPECTED"));
    assert_eq!(parse(b"GET / HTTP/1.1\r\nA: b\x19c\0d\r\n\r\n"), Err("HPE_INVALID_HEADER_TOKEN"));
}
