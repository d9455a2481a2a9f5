/** Programs that want too much: memory, stack, calls, log lines, code. Each is held to its limits, and the memory comes back. */

import { after, before, test } from 'node:test';
import { type Attack, AttackRange } from '../kit/attack-range.ts';

const range = new AttackRange();
before(() => range.open());
after(() => range.close());

/** On a busy machine a bomb may run out of time before it runs out of memory. */
const full = { fails: ['memory', 'timeout'] } as const;

const bombs: readonly Attack[] = [
  { name: 'lists', code: 'const a = []; for (;;) a.push(new Array(1000).fill(0))', ...full },
  { name: 'lists in lists', code: 'let a = []; for (;;) a = [a, a, a]', ...full },
  { name: 'one long list', code: 'return new Array(1e9).fill(1)', ...full },
  { name: 'objects', code: 'const all = {}; for (let i = 0; ; i++) all["key" + i] = { i }', ...full },
  { name: 'texts that double', code: "let s = 'x'; for (;;) s += s", fails: ['memory', 'timeout', 'thrown'] },
  { name: 'texts that are kept', code: "globalThis.a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", ...full },
  { name: 'a text that is padded', code: "return 'x'.padEnd(2 ** 29, 'y')", fails: ['memory', 'timeout', 'thrown'] },
  { name: 'typed arrays', code: 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))', ...full },
  {
    name: 'one large buffer',
    code: 'return new ArrayBuffer(2 ** 31).byteLength',
    fails: ['memory', 'timeout', 'thrown'],
  },
  {
    name: 'a buffer that is resized',
    code: 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30); return b.byteLength',
  },
  { name: 'maps', code: 'const m = new Map(); for (let i = 0; ; i++) m.set({}, i)', ...full },
  { name: 'sets of texts', code: "const s = new Set(); for (let i = 0; ; i++) s.add('t' + i)", ...full },
  { name: 'big numbers', code: 'let a = 1n; for (;;) a = a << 1_000_000n', fails: ['memory', 'timeout', 'thrown'] },
  {
    name: 'JSON that explodes',
    code: 'let a = [0]; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a).length',
    fails: ['memory', 'timeout', 'thrown'],
  },
  { name: 'a result that explodes', code: 'let a = [0]; for (let i = 0; i < 40; i++) a = [a, a]; return a' },
  {
    name: 'a template that explodes',
    code: "let a = 'x'.repeat(1e6); for (;;) a = String.raw({ raw: [a, a, a] }, a, a)",
    fails: ['memory', 'timeout', 'thrown'],
  },
  { name: 'functions', code: 'const a = []; for (;;) a.push(() => a)', ...full },
  {
    name: 'errors that are caught',
    code: 'const a = []; for (;;) try { a.push(new Array(1e5).fill(a.length)) } catch {}',
    ...full,
  },
  {
    name: 'memory used up inside a catch',
    code: 'globalThis.a = []; try { for (;;) a.push("y".repeat(1e5) + a.length) } catch { return a.length > 1 }',
  },
  {
    name: 'a million promises',
    code: 'return (await Promise.all(Array.from({ length: 1e6 }, async (_, i) => i))).length',
  },
  { name: 'promises without end', code: 'const a = []; for (;;) a.push(new Promise(() => {}))', ...full },
  {
    name: 'a million timers',
    code: 'for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6); await sleep(1e6)',
    fails: ['memory', 'timeout', 'thrown'],
  },
  {
    name: 'a million sleeps',
    code: 'return (await Promise.allSettled(Array.from({ length: 1e6 }, () => sleep(1e6)))).length',
    fails: ['memory', 'timeout'],
  },
  { name: 'symbols', code: 'const a = []; for (let i = 0; ; i++) a.push(Symbol.for("s" + i))', ...full },
];

const depths: readonly Attack[] = [
  { name: 'plain recursion', code: 'const f = () => f() + 1; return f()', fails: ['stack'], says: /stack|recursion/i },
  {
    name: 'recursion with many arguments',
    code: 'const f = (...a) => f(...a, 1); return f()',
    fails: ['stack', 'memory', 'timeout'],
  },
  {
    name: 'recursion of async functions',
    code: 'const f = async () => { await f() }; await f()',
    fails: ['stack', 'memory', 'timeout'],
  },
  { name: 'recursion of generators', code: 'const f = function* () { yield* f() }; return [...f()]', fails: ['stack'] },
  { name: 'recursion through getters', code: 'const o = { get x() { return this.x } }; return o.x', fails: ['stack'] },
  {
    name: 'recursion through conversion',
    code: "const x = { toString() { return '' + x } }; return '' + x",
    fails: ['stack'],
  },
  { name: 'recursion of constructors', code: 'class A { constructor() { new A() } } return new A()', fails: ['stack'] },
  {
    name: 'recursion through sort, map and replace',
    code: "const f = () => [2, 1].sort(() => 'a'.replace(/a/, () => [1].map(f))); return f()",
    fails: ['stack'],
  },
  {
    name: 'recursion that catches its own end',
    code: 'let n = 0; const f = () => { n += 1; try { f() } catch { f() } }; f(); return n',
    fails: ['stack', 'timeout'],
  },
  { name: 'JSON nested deeply', code: "return JSON.parse('['.repeat(1e6))", fails: ['stack', 'thrown'] },
  { name: 'a deep value as result', code: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a' },
  {
    name: 'deep arguments',
    code: 'let a = {}; for (let i = 0; i < 2000; i++) a = { a }; return await servers.good.echo(a)',
  },
  {
    name: 'a deep value that is logged',
    code: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a); return 1',
  },
  { name: 'an expression nested deeply', code: "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5))" },
  { name: 'groups repeated deeply', code: "return /(?:(a)|b)*/.exec('ab'.repeat(1e6)).length" },
  {
    name: 'proxies of proxies',
    code: 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x',
    fails: ['stack', 'memory', 'timeout'],
  },
  {
    name: 'destructuring nested deeply',
    code: "return eval('(' + '['.repeat(1e4) + 'a' + ']'.repeat(1e4) + ') => a')",
    fails: ['stack', 'thrown', 'timeout', 'syntax'],
  },
  {
    name: 'functions bound to each other',
    code: 'let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f()',
    fails: ['stack', 'memory', 'timeout'],
  },
  {
    name: 'a chain of prototypes',
    code: 'let o = {}; for (let i = 0; i < 2e5; i++) o = Object.create(o); return o.x === undefined',
  },
  {
    name: 'causes of causes',
    code: "let e = new Error('first'); for (let i = 0; i < 1e4; i++) e = new Error('e' + i, { cause: e }); throw e",
    fails: ['thrown', 'timeout'],
  },
];

const floods: readonly Attack[] = [
  {
    name: '3,000 calls at once',
    code: 'return (await Promise.all(Array.from({ length: 3_000 }, (_, i) => servers.good.echo({ i })))).length',
    fails: ['calls'],
    says: /at most 50 calls/,
  },
  {
    name: '3,000 calls whose errors are caught',
    code: 'const all = await Promise.allSettled(Array.from({ length: 3_000 }, (_, i) => servers.good.echo({ i }))); return all.filter((one) => one.status === "fulfilled").length',
    gives: '50',
    limits: { memoryBytes: 128 * 2 ** 20 },
  },
  {
    name: '3,000 searches',
    code: 'const all = await Promise.allSettled(Array.from({ length: 3_000 }, () => search("x"))); return all.filter((one) => one.status === "fulfilled").length <= 1000',
    gives: 'true',
  },
  {
    name: 'huge arguments',
    code: "return await servers.good.echo({ text: 'x'.repeat(5e6) })",
    fails: ['thrown'],
    says: /at most/,
    mostCalls: 0,
    limits: { memoryBytes: 64 * 2 ** 20 },
  },
  {
    name: 'huge arguments of many calls',
    code: "const text = 'x'.repeat(1e6); return (await Promise.allSettled(Array.from({ length: 50 }, () => servers.good.slow({ text })))).length",
    fails: ['timeout', 'memory'],
  },
  {
    name: 'long lists as arguments of many calls',
    code: 'const text = JSON.stringify({ list: Array.from({ length: 50_000 }, () => ({ a: 1 })) }); const list = JSON.parse(text); return (await Promise.allSettled(Array.from({ length: 12 }, () => servers.good.slow(list)))).length',
    limits: { timeoutMs: 1_500 },
    fails: ['timeout', 'memory'],
  },
  {
    name: 'large answers that are kept',
    code: 'const all = []; for (;;) all.push(await servers.good.big({}) + all.length)',
    fails: ['calls', 'memory', 'timeout'],
  },
  {
    name: 'an import of a long name',
    code: "return await import('x'.repeat(1e7))",
    fails: ['thrown', 'memory', 'timeout'],
  },
  {
    name: 'a server of a long name',
    code: "return await servers['x'.repeat(5e6)].echo({})",
    fails: ['thrown', 'memory', 'timeout'],
    mostCalls: 0,
  },
  {
    name: 'ten million log lines',
    code: "for (let i = 0; i < 1e7; i++) console.log('line', i); return 1",
    fails: ['timeout'],
  },
  {
    name: 'a log line of 30 MB',
    code: "console.log('x'.repeat(3e7)); return 1",
    limits: { memoryBytes: 256 * 2 ** 20, timeoutMs: 2_000 },
  },
  {
    name: 'a log of a large value',
    code: 'console.log(Array.from({ length: 1e5 }, (_, i) => ({ i }))); return 1',
    gives: '1',
  },
  {
    name: 'a result of 20 MB',
    code: "return 'x'.repeat(2e7)",
    limits: { memoryBytes: 256 * 2 ** 20 },
    fails: ['output'],
    says: /at most/,
  },
];

const nest = (open: string, close: string) => `return ${open.repeat(100_000)}1${close.repeat(100_000)}`;
/** Some parsers give up in a way that takes their thread with them. */
const unread = { fails: ['syntax', 'stack', 'timeout', 'crashed'] } as const;
const codes: readonly Attack[] = [
  { name: 'code of 4 MB', code: `return '${'x'.repeat(4_000_000)}'`, fails: ['syntax'], says: /at most/ },
  { name: '100,000 nested brackets', code: nest('[', ']'), ...unread },
  { name: '100,000 nested parentheses', code: nest('(', ')'), ...unread },
  { name: '100,000 signs', code: nest('!', ''), ...unread },
  { name: 'brackets that never close', code: `return ${'['.repeat(100_000)}`, ...unread },
  { name: 'templates in templates', code: nest('`${', '}`').slice(0, 200_000), ...unread },
  {
    name: 'types nested without end',
    code: `const a: ${'Array<'.repeat(20_000)}string${'>'.repeat(20_000)} = 1; return 1`,
    limits: { timeoutMs: 1_000 },
  },
  { name: 'JSON nested without end', code: '['.repeat(200_000), ...unread },
  {
    name: 'calls in JSON nested without end',
    code: `{"tool":"good:echo","arguments":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    mostCalls: 0,
  },
  { name: 'lines that only some programs see', code: 'return 1 //\u2028 + 1\u2029 + 1' },
  { name: 'text that turns around', code: 'const admin = "\u202E\u2066"; return admin.length', gives: '2' },
  {
    name: 'zero bytes and half characters',
    code: `return ${JSON.stringify('a\u0000b')}.length + '\uD800'.length`,
    gives: '4',
  },
  { name: 'names of letters that look alike', code: 'const \u0430 = 1, a = 2; return \u0430 + a', gives: '3' },
  { name: 'nothing', code: '', fails: ['syntax'] },
  { name: 'white space and comments only', code: ' \n// nothing\n/* at all */' },
];

for (const attack of bombs) test(`[CHAIN-22] memory stays bounded: ${attack.name}`, () => range.prove(attack));
for (const attack of depths)
  test(`[CHAIN-31] a deep recursion gives a clear error: ${attack.name}`, () => range.prove(attack));
for (const attack of floods)
  test(`[CHAIN-23] calls, logs and results stay bounded: ${attack.name}`, () => range.prove(attack));
for (const attack of codes)
  test(`[CHAIN-32] code is read within its limits: ${attack.name}`, () => range.prove(attack));

test('[CHAIN-26] after all that, the loop of the process was never held and its memory is what it was', async () => {
  range.checkLoop();
  await range.checkLateCalls();
  await range.checkMemory(50 * 2 ** 20);
});
