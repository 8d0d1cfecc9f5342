// Percent signs in data: URLs, which stand for themselves where no two digits follow, at the end as well. The output is Node's.
for (const url of ["data:,a%", "data:,a%4", "data:,a%%zz", "data:,100%25%", "data:text/plain,%E0%A4%A", "data:application/json,%7B%7D%", "data:;base64,aGk%", "data:;base64,a%47k=", "data:text/plain;charset=utf-8,%ZZ"]) {
  try {
    const response = await fetch(url);
    console.log(url, response.headers.get("content-type"), JSON.stringify(await response.text()));
  } catch (error) {
    console.log(url, error.name);
  }
}
