// Objects marked with markAsUncloneable(); recorded with Node 25.8.1.
const {markAsUncloneable, MessageChannel}=require("worker_threads");
const t=(f)=>{try{console.log("ok",f())}catch(e){console.log(e.name,e.message,e.code)}};
t(()=>markAsUncloneable(5)); t(()=>markAsUncloneable(null)); t(()=>markAsUncloneable(undefined)); t(()=>markAsUncloneable());
const o={a:1}; t(()=>markAsUncloneable(o)); t(()=>structuredClone(o)); t(()=>structuredClone({o})); t(()=>structuredClone([o]));t(()=>structuredClone(new Map([[1,o]])));
const {port1}=new MessageChannel(); t(()=>port1.postMessage(o)); t(()=>port1.postMessage({o})); t(()=>structuredClone({b:1}));
const ab=new ArrayBuffer(4); markAsUncloneable(ab); t(()=>structuredClone(ab).byteLength);
const e=new Error("x"); markAsUncloneable(e); t(()=>structuredClone(e)); const f=()=>1; markAsUncloneable(f); t(()=>structuredClone(f));
const x=new Uint8Array(2); markAsUncloneable(x); t(()=>structuredClone(x).length); t(()=>structuredClone(Object.create(o)));
port1.close();
