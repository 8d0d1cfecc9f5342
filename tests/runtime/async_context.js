// Uncaught errors and rejections are told of in the async context of what failed. Recorded from Node 25.8.1.
const { AsyncLocalStorage, AsyncResource } = require('async_hooks');
const als = new AsyncLocalStorage();
process.on('uncaughtException', (e) => console.log('uncaught', e.message, als.getStore()));
process.on('unhandledRejection', (e) => console.log('rejection', e.message, als.getStore()));
als.run('A', () => queueMicrotask(() => { throw new Error('micro') }));
als.run('B', () => setTimeout(() => { throw new Error('timer') }, 100));
als.run('C', () => setImmediate(() => { throw new Error('immediate') }));
als.run('D', () => process.nextTick(() => { throw new Error('tick') }));
als.run('E', () => { Promise.reject(new Error('rej')) });
als.run('F', () => { Promise.resolve().then(() => { throw new Error('then') }) });
als.run('G', () => { (async () => { await 1; throw new Error('async') })() });
als.run('H', () => { new AsyncResource('X').runInAsyncScope(() => queueMicrotask(() => { throw new Error('micro2') })) });
queueMicrotask(() => { throw new Error('none') });
als.run('J', () => { const e = new (require('events'))(); e.on('x', () => { throw new Error('ev') }); setTimeout(() => e.emit('x'), 200) });
setTimeout(() => console.log('after', als.getStore()), 300);
