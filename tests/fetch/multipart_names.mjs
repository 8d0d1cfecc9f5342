// Parameters of a part's Content-Disposition are read from left to right: what stands in quotes is no other parameter.
const parse = async (disposition, type = "multipart/form-data; boundary=b") => {
  const body = `--b\r\nContent-Disposition: ${disposition}\r\n\r\ncontent\r\n--b--\r\n`;
  try {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    return JSON.stringify([...form].map(([name, value]) => [name, typeof value === "string" ? value : { file: value.name }]));
  } catch (error) {
    return error.name;
  }
};
for (const disposition of [
  'form-data; name="a"', 'form-data; name="a"; filename="f"', "form-data; name=a; filename=f", 'form-data; filename="f"; name="a"',
  'form-data; name="a; filename=b"', 'form-data; filename="; name=q"; name="real"', 'form-data; name="x"; y="; filename=z"', "form-data; name=\"a; filename=\\\"b\\\"\"",
  'form-data; name="a;name=b"', 'form-data;name="a";filename="f"', 'FORM-DATA; NAME="a"; FileName="f"', 'form-data; name="a\\"b"', 'form-data; name="a%22b%0D%0A"',
  'form-data; name="a"; filename="C:\\dir\\f.txt"', 'form-data; name="a"; filename="ends with \\"', 'form-data; name="', 'form-data; name="a', "form-data; name=", "form-data; name=;", 'form-data; name=""',
  'form-data; xname="a"', 'form-data; filename="f"', "form-data; filename*=UTF-8''x; name=a", 'form-data; name="a"; name="b"', 'form-data; name="a"x; filename="f"', "form-data; name=a b; filename=f",
  'form-data; ;; name="a"', 'form-data; x; name="a"', 'form-data; x="="; name="a"', "form-data", 'attachment; name="a"',
]) console.log(disposition, await parse(disposition));
for (const type of ['multipart/form-data; x="; boundary=c"; boundary=b', 'multipart/form-data; boundary="b"', "multipart/form-data;boundary=b ; x=y", 'multipart/form-data; boundary="\\b"', "multipart/form-data; xboundary=b", 'multipart/form-data; boundary="b']) {
  console.log(type, await parse('form-data; name="a"', type));
}
