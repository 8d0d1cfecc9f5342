// expected: recorded from bun 1.4.5
// In a script these are a call and a member of something that is called `await`; nothing else here says that the file is a module.
const later = async (value) => value;
console.log(await (later(1)));
console.log((await [later(2)]).length);
for (const each of [1]) if (each) console.log(await (async () => 3)());
