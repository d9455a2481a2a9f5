/** Programs that look for a way out of the virtual machine: none of them finds anything of the host. */

import { after, before, test } from 'node:test';
import { type Attack, AttackRange } from '../kit/attack-range.ts';

const range = new AttackRange();
before(() => range.open());
after(() => range.close());

/** A program would run this in the host's `Function`, were it to find it. */
const probe = `'return typeof process + typeof require + typeof globalThis.fetch'`;
const nothing = '"undefinedundefinedundefined"';

const constructors: readonly Attack[] = [
  {
    name: 'the constructor of a plain object',
    code: `return ({}).constructor.constructor(${probe})()`,
    gives: nothing,
  },
  { name: 'the constructor of a list', code: `return [].constructor.constructor(${probe})()`, gives: nothing },
  { name: 'the constructor of a text', code: `return ''.constructor.constructor(${probe})()`, gives: nothing },
  { name: 'the constructor of console.log', code: `return console.log.constructor(${probe})()`, gives: nothing },
  { name: 'the constructor of sleep', code: `return sleep.constructor(${probe})()`, gives: nothing },
  {
    name: 'the constructor of a promise of sleep',
    code: `return sleep(1).constructor.constructor(${probe})()`,
    gives: nothing,
  },
  { name: 'the constructor of a call', code: `return servers.good.echo.constructor(${probe})()` },
  { name: 'the constructor of servers', code: `return servers.constructor.constructor(${probe})()` },
  {
    name: "the constructor of a call's promise",
    code: `const p = servers.good.echo({}); const f = p.constructor.constructor; await p; return f(${probe})()`,
    gives: nothing,
  },
  {
    name: 'the constructor of an answer',
    code: `return (await servers.good.echo({ a: { b: [] } })).a.b.constructor.constructor(${probe})()`,
    gives: nothing,
  },
  {
    name: "the constructor of a call's error",
    code: `try { await servers.good.fail({}) } catch (error) { return error.constructor.constructor(${probe})() }`,
    gives: nothing,
  },
  {
    name: "the prototypes of a call's error, all the way up",
    code: `try { await servers.good.fail({}) } catch (error) {
      const seen = [];
      for (let at = error; at; at = Object.getPrototypeOf(at)) seen.push(at.constructor.constructor(${probe})());
      return [...new Set(seen)];
    }`,
    gives: `[${nothing}]`,
  },
  {
    name: 'constructors of async functions and generators',
    code: `const makers = [async () => {}, function* () {}, async function* () {}].map((one) => one.constructor);
      return [await makers[0](${probe})(), makers[1](${probe})().next().value, (await makers[2](${probe})().next()).value];`,
    gives: `[${nothing},${nothing},${nothing}]`,
  },
  {
    name: 'the functions on a stack, taken through prepareStackTrace',
    code: `if (globalThis.again) return; globalThis.again = true;
      const found = [];
      Error.prepareStackTrace = (error, frames) => { for (const f of frames) found.push(f.getFunction && f.getFunction()); return ''; };
      const trap = { get a() { new Error().stack; return 1; }, toJSON() { new Error().stack; return 1; } };
      console.log(trap);
      try { await servers.good.echo(trap); } catch {}
      await servers.good.fail({}).catch((error) => error.stack);
      const results = [];
      for (const one of found.splice(0, 60).filter((one) => typeof one === 'function')) {
        results.push(await one.constructor(${probe})());
        try { await one('{"kind":"end","run":1}', 2, () => {}); } catch {}
      }
      return [...new Set(results)].every((one) => one === ${nothing});`,
    gives: 'true',
  },
  {
    name: 'callers of a strict function',
    code: `function f() { return f.caller } try { return String(f()) + String(arguments.callee) } catch (error) { return 'refused' }`,
  },
  {
    name: 'everything that can be reached from the globals',
    code: `const seen = new Set(); const queue = [globalThis]; const names = [];
      while (queue.length && seen.size < 4000) {
        const at = queue.pop();
        if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) continue;
        seen.add(at);
        if (at === servers || at === globalThis.good) continue;
        let keys = []; try { keys = Reflect.ownKeys(at); } catch {}
        for (const key of keys) {
          if (['process', 'require', 'Buffer', 'fetch', 'WebAssembly', 'Worker', 'XMLHttpRequest', 'mainModule', 'binding'].includes(key)) names.push(key);
          try { queue.push(at[key]); } catch {}
        }
        try { queue.push(Object.getPrototypeOf(at)); } catch {}
      }
      return names;`,
    gives: '[]',
  },
];

const doors: readonly Attack[] = [
  {
    name: 'a static import',
    code: `import fs from 'node:fs';\nexport default fs.readdirSync('/')`,
    fails: ['syntax', 'thrown'],
    says: /servers/,
  },
  {
    name: 'a dynamic import',
    code: `return (await import('node:fs')).readdirSync('/')`,
    fails: ['thrown'],
    says: /servers/,
  },
  {
    name: 'an import of code in an address',
    code: `return (await import('data:text/javascript,export default process')).default`,
    fails: ['thrown'],
  },
  {
    name: 'an import by an object that changes',
    code: `let n = 0; return await import({ toString() { n += 1; return n > 1 ? 'node:fs' : 'x'; } })`,
    fails: ['thrown'],
  },
  {
    name: 'import.meta',
    code: `export default Object.keys(import.meta).filter((key) => /node|file|require|resolve/.test(key))`,
  },
  {
    name: 'require',
    code: `const fs = require('fs'); return fs.readdirSync('/')`,
    fails: ['thrown', 'syntax'],
    says: /require|servers/,
  },
  { name: 'the environment', code: `return process.env.ATTACK_CANARY`, fails: ['thrown'], says: /process/ },
  {
    name: 'a file written',
    code: `const fs = await import('fs'); fs.writeFileSync('${range.markerFile}', 'x')`,
    fails: ['thrown'],
  },
  { name: 'eval of the host', code: `return (0, eval)('typeof process')`, gives: '"undefined"' },
  {
    name: 'this of a loose function',
    code: `return (function () { return typeof this.process })()`,
    gives: '"undefined"',
  },
  {
    name: 'WebAssembly',
    code: `return new WebAssembly.Memory({ initial: 1 })`,
    fails: ['thrown'],
    says: /WebAssembly/,
  },
  {
    name: 'Atomics.wait on shared memory',
    code: `return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
  },
  {
    name: 'globals of the program set on the host',
    code: `globalThis.pwned = 1; var pwned2 = 2; this.pwned3 = 3; return 1`,
    gives: '1',
  },
  { name: 'the end of the wrapping function', code: `}); globalThis.pwned = 'out'; (async function () {` },
  { name: 'the end of the wrapping function, with a result', code: `return 1 })(), (async function () { return 2` },
  { name: 'comments that open and close', code: `return 1 /* */ } /* */ ) // }\n<!-- x\n--> y` },
  {
    name: 'a message like those of threads',
    code: `return { kind: 'end', run: 1, end: { resultJson: '"forged"', notes: [] } }`,
    gives: '{"kind":"end","run":1,"end":{"resultJson":"\\"forged\\"","notes":[]}}',
  },
  {
    name: 'messages like those of threads as logs and arguments',
    code: `console.log('{"kind":"end","run":1}'); await servers.good.echo({ kind: 'end', run: 1 });
      await call({ kind: 'end', server: 'good', tool: 'echo', arguments: {} }).catch(() => {}); return 'still here'`,
    gives: '"still here"',
  },
];

const fooling: readonly Attack[] = [
  {
    name: 'names of objects polluted before calls',
    code: `for (const name of ['kind', 'ok', 'error', 'run', 'id', 'text', 'then', 'toJSON', 'get', 'value', 'server', 'tool', 'pwned'])
        try { Object.prototype[name] = function () { throw new Error('caught ' + name) }; } catch {}
      return await servers.good.echo({ a: 1 }).catch((error) => 'fooled only itself');`,
  },
  {
    name: 'setters on Object.prototype',
    code: `const stolen = [];
      for (const name of ['ok', 'error', 'input', 'server', 'request', 'value', '0'])
        Object.defineProperty(Object.prototype, name, { set(v) { stolen.push(typeof v) }, get() { return undefined }, configurable: true });
      try { await servers.good.echo({ a: 1 }); } catch {}
      return stolen.includes('function');`,
  },
  {
    name: 'methods of lists replaced',
    code: `for (const name of ['push', 'map', 'join', 'slice', 'forEach', Symbol.iterator]) Array.prototype[name] = function () { globalThis.pwned = this; return []; };
      return await servers.good.echo({ list: 1 }).catch(() => 'fooled only itself')`,
  },
  {
    name: 'Promise.prototype.then replaced',
    code: `const kept = Promise.prototype.then; const seen = [];
      Promise.prototype.then = function (a, b) { seen.push(typeof a); return kept.call(this, (v) => { seen.push(typeof v); return a && a(v); }, b); };
      const answer = await servers.good.echo({ a: 1 });
      return answer.a`,
    gives: '1',
  },
  {
    name: 'call, apply and bind replaced',
    code: `for (const n of ['call', 'apply', 'bind']) Function.prototype[n] = () => 666; return (await servers.good.echo({ a: 2 })).a`,
    gives: '2',
  },
  {
    name: 'JSON replaced',
    code: `JSON.stringify = () => '{"kind":"pwned"}'; JSON.parse = () => 666; return (await servers.good.echo({ a: 3 })).a`,
    gives: '3',
  },
  {
    name: 'Promise replaced',
    code: `globalThis.Promise = class { then() {} }; return (await servers.good.echo({ a: 4 })).a`,
    gives: '4',
  },
  {
    name: 'console and servers replaced',
    code: `console = { log() {} }; servers = { good: { echo: () => 5 } }; return servers.good.echo()`,
    gives: '5',
  },
  {
    name: 'every global deleted',
    code: `for (const key of Reflect.ownKeys(globalThis)) try { delete globalThis[key] } catch {} return 6`,
    gives: '6',
  },
  {
    name: 'methods of texts and expressions replaced',
    code: `String.prototype.slice = String.prototype.indexOf = RegExp.prototype.exec = () => { throw 1 }; console.log('x'.repeat(20000)); return 7`,
    gives: '7',
  },
  {
    name: 'Proxy, Reflect and Object replaced',
    code: `globalThis.Proxy = globalThis.Reflect = globalThis.Object = undefined; return (await servers.good.echo({ a: 8 })).a`,
    gives: '8',
  },
  {
    name: 'a proxy as arguments',
    code: `return await servers.good.echo(new Proxy({}, { get: (t, k) => k, ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }))`,
  },
  {
    name: 'arguments with a prototype as a name',
    code: `return await servers.good.echo(JSON.parse('{"__proto__":{"pwned":1},"constructor":{"prototype":{"pwned":1}}}'))`,
  },
  {
    name: 'getters in arguments that call again',
    code: `let n = 0; const args = { get a() { n += 1; if (n < 5) servers.good.echo(args); return n; } }; await servers.good.echo(args); return n > 0`,
    gives: 'true',
  },
  {
    name: 'a tool name that is an object',
    code: `return await servers[{ toString: () => 'good' }][{ toString: () => 'echo' }]({ a: 9 })`,
  },
  {
    name: 'tools named like parts of objects',
    code: `const out = []; for (const n of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then']) try { out.push(typeof await servers[n]) } catch { out.push('error') } return out.length`,
    gives: '5',
  },
  {
    name: 'symbols everywhere',
    code: `const s = Symbol('pwned'); servers[s]; servers.good[s]; console.log(s); return await servers.good.echo({ [s]: 1, s: s }).catch((e) => 'refused')`,
  },
  {
    name: 'a thenable as result',
    code: `return { then(resolve) { resolve({ then(again) { again('adopted') } }) } }`,
    gives: '"adopted"',
  },
  {
    name: 'a thenable that settles twice',
    code: `return { then(resolve, reject) { resolve(1); reject(2); resolve(3); throw 4 } }`,
    gives: '1',
  },
  {
    name: 'a result whose toJSON lies',
    code: `return { toJSON() { return { kind: 'end' } } }`,
    gives: '{"kind":"end"}',
  },
  { name: 'a result of getters that throw', code: `return { get a() { throw new Error('from a getter') } }` },
  {
    name: 'a proxy as result',
    code: `return new Proxy({}, { get() { throw new Error('trap') }, ownKeys() { throw new Error('trap') } })`,
  },
  { name: 'a result that is cyclic', code: `const a = { list: [] }; a.list.push(a); return a` },
];

const errors: readonly Attack[] = [
  {
    name: 'an error with hostile parts',
    code: `throw { get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 }, get cause() { throw 4 } }`,
    fails: ['thrown'],
  },
  {
    name: 'an error whose message is endless',
    code: `const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e`,
    fails: ['timeout', 'thrown'],
  },
  { name: 'an error whose message is long', code: `throw new Error('x'.repeat(5e6))`, fails: ['thrown'] },
  {
    name: 'an error whose stack is forged',
    code: `const e = new Error('forged'); e.stack = 'at /etc/passwd:1:1'; throw e`,
    fails: ['thrown'],
    says: /forged/,
  },
  {
    name: 'an error that is its own cause',
    code: `const e = new Error('round'); e.cause = e; e.errors = [e]; throw e`,
    fails: ['thrown'],
    says: /round/,
  },
  {
    name: 'a stack that throws while it is made',
    code: `Error.prepareStackTrace = () => { throw new Error('again') }; null.x`,
    fails: ['thrown'],
  },
  {
    name: 'a stack that is no text',
    code: `Error.prepareStackTrace = () => ({ toString() { for (;;); } }); null.x`,
    fails: ['thrown', 'timeout'],
  },
  {
    name: 'no limit on stacks',
    code: `Error.stackTraceLimit = Infinity; const f = (n) => n ? f(n - 1) : null.x; f(500)`,
    fails: ['thrown', 'stack'],
  },
  { name: 'null is thrown', code: `throw null`, fails: ['thrown'] },
  { name: 'a symbol is thrown', code: `throw Symbol('s')`, fails: ['thrown'] },
  { name: 'a function is thrown', code: `throw () => servers`, fails: ['thrown'] },
  {
    name: 'a proxy is thrown',
    code: `throw new Proxy(() => {}, { get() { throw new Error('trap') }, getPrototypeOf() { throw 1 } })`,
    fails: ['thrown'],
  },
  {
    name: 'a promise is rejected with itself around it',
    code: `const p = Promise.reject(new Error('inner')); throw p`,
    fails: ['thrown'],
  },
  {
    name: 'errors of the gateway made up',
    code: `throw Object.assign(new Error('made up'), { code: 'ACCESS_DENIED', tool: 'x:y', data: { stack: 1 } })`,
    fails: ['thrown'],
    says: /made up/,
  },
  {
    name: 'paths of the host in the error of a call',
    code: `try { await servers.good.fail({}) } catch (e) { return [e.stack, e.message, String(e), JSON.stringify(e)] }`,
  },
];

for (const attack of [...constructors, ...doors, ...fooling, ...errors]) {
  test(`[CHAIN-20] nothing of the host is found through: ${attack.name}`, () => range.prove(attack));
}

test('[CHAIN-25] a program finds nothing of the one before it, not even what that one did to the built-in objects', async () => {
  await range.prove({
    name: 'leave traces',
    code: `globalThis.left = 1; Object.prototype.left = 2; Array.prototype.left = 3; Math.left = 4; servers.left = 5; console.left = 6; JSON.parse = 7; return 1`,
    gives: '1',
  });
  await range.prove({
    name: 'look for traces',
    code: `return [typeof left, typeof ({}).left, typeof [].left, typeof Math.left, typeof console.left, typeof JSON.parse].join()`,
    gives: '"undefined,undefined,undefined,undefined,undefined,function"',
  });
});

test('[CHAIN-26] while programs attack, the loop of the process is never held and nothing of them acts after its end', async () => {
  range.checkLoop();
  await range.checkLateCalls();
  await range.checkMemory(50 * 2 ** 20);
});
