// A worker lives as long as it has a listener of messages: removing it, or one for a single event, lets it end.
// expected: recorded from bun 1.4.5, where one whose listener comes later ends all the same
const run = (code) =>
  new Promise((resolve) => {
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    const got = [];
    worker.onmessage = (event) => got.push(event.data);
    const late = setTimeout(() => {
      got.push("terminated");
      worker.terminate();
    }, 1500);
    worker.addEventListener("close", () => {
      clearTimeout(late);
      resolve(got.join());
    });
    for (let i = 0; i < 3; i++) worker.postMessage(i);
  });
console.log(await run('self.onmessage=e=>{postMessage(e.data);if(e.data===1)self.onmessage=null}'));
console.log(await run('addEventListener("message",e=>postMessage(e.data),{once:true})'));
console.log(await run('addEventListener("message",function f(e){postMessage(e.data);removeEventListener("message",f)});'));
console.log(await run('addEventListener("message",function f(e){removeEventListener("message",f);setTimeout(()=>{onmessage=e=>{postMessage(e.data);if(e.data==2)close()}},50)});'));
console.log(await run('onmessage=e=>postMessage(e.data)'));
