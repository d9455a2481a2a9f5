/** Programs that never end, or work for as long as they can: each is ended at its limit, in the middle of anything. */

import { after, before, test } from 'node:test';
import { type Attack, AttackRange } from '../kit/attack-range.ts';

const range = new AttackRange();
before(() => range.open());
after(() => range.close());

const onTime = { fails: ['timeout'], says: /did not end within/ } as const;
/** For those that are in their loop at once: more time would show nothing more. */
const atOnce = { ...onTime, limits: { timeoutMs: 120 } } as const;

const loops: readonly Attack[] = [
  { name: 'while', code: 'while (true) {}', ...atOnce },
  { name: 'a loop after a call', code: 'await servers.good.echo({}); for (;;);', ...atOnce },
  { name: 'a loop after a sleep', code: 'await sleep(20); do {} while (true)', ...atOnce },
  {
    name: 'promises that follow each other',
    code: 'const f = () => Promise.resolve().then(f); return await f()',
    fails: ['timeout', 'memory'],
  },
  {
    name: 'an async function that calls itself',
    code: 'const f = async () => { await null; return f(); }; return await f()',
    fails: ['timeout', 'memory'],
  },
  {
    name: 'a generator',
    code: 'function* g() { for (;;) yield 1 } let n = 0; for (const one of g()) n += one; return n',
    ...atOnce,
  },
  {
    name: 'an async generator',
    code: 'async function* g() { for (;;) yield 1 } let n = 0; for await (const one of g()) n += one; return n',
    ...atOnce,
  },
  {
    name: 'an iterator that has no end',
    code: 'return new Map({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: [1, 1] }) }) })',
    ...atOnce,
  },
  { name: 'a getter of the result', code: 'return { get a() { for (;;); } }', ...atOnce },
  { name: 'toJSON of the result', code: 'return { toJSON() { for (;;); } }', ...atOnce },
  { name: 'the keys of a proxy as result', code: 'return new Proxy({}, { ownKeys() { for (;;); } })', ...atOnce },
  {
    name: 'toString of something that is logged',
    code: 'console.log({ get a() { for (;;); }, toString() { for (;;); } })',
    ...atOnce,
  },
  { name: 'a getter of arguments', code: 'return await servers.good.echo({ get a() { for (;;); } })', ...atOnce },
  { name: 'a catch around the interrupt', code: 'for (;;) try { for (;;); } catch {}', ...atOnce },
  { name: 'a finally after the interrupt', code: 'try { for (;;); } finally { for (;;); }', ...atOnce },
  {
    name: 'a finally in an async function after the interrupt',
    code: 'const f = async () => { try { await null; for (;;); } finally { for (;;); } }; return await f()',
    ...atOnce,
  },
  {
    name: 'a generator that does not return',
    code: 'function* g() { try { yield 1 } finally { for (;;); } } for (const one of g()) break; return 1',
    ...atOnce,
  },
  {
    name: 'a thenable that adopts itself',
    code: 'const t = { then(resolve) { resolve(t) } }; return await t',
    ...atOnce,
  },
  { name: 'a comparison that never ends', code: 'return [3, 2, 1].sort(() => { for (;;); })', ...atOnce },
  {
    name: 'a comparison that is never the same',
    code: 'const a = Array.from({ length: 2e5 }, Math.random); for (;;) a.sort(() => Math.random() - 0.5)',
    fails: ['timeout', 'memory'],
  },
  { name: 'a replacement that never ends', code: "return 'aaa'.replace(/a/g, () => { for (;;); })", ...atOnce },
  { name: 'a reviver', code: "return JSON.parse('[1]', () => { for (;;); })", ...atOnce },
  {
    name: 'timers that start each other',
    code: 'const again = () => setTimeout(again, 0); again(); await new Promise((resolve) => setTimeout(resolve, 1e9))',
    ...atOnce,
  },
  { name: 'an interval', code: 'setInterval(() => {}, 0); await sleep(1e9)', ...atOnce },
  { name: 'a sleep longer than the budget', code: 'await sleep(1e12)', ...atOnce },
  { name: 'a sleep of no length', code: 'for (;;) await sleep(-1)', ...atOnce },
  { name: 'a call that is never answered', code: 'return await servers.good.slow({})', ...atOnce },
  {
    name: 'many calls that are never answered',
    code: 'return await Promise.all(Array.from({ length: 45 }, () => servers.good.slow({})))',
    ...atOnce,
  },
  {
    name: 'calls without end',
    code: 'for (;;) await servers.good.echo({})',
    ...onTime,
    limits: { timeoutMs: 120, maxCalls: 1_000_000 },
  },
  {
    name: 'calls without end whose errors are caught',
    code: 'for (;;) try { await servers.good.echo({}) } catch {}',
    ...atOnce,
  },
  {
    name: 'a module that never ends',
    code: 'export default await new Promise((resolve) => setTimeout(resolve, 1e9))',
    ...atOnce,
  },
  {
    name: 'a promise that nothing settles',
    code: 'await new Promise(() => {})',
    fails: ['thrown'],
    says: /can never settle/,
  },
];

/** Work inside a single built-in function, where the machine looks at the clock seldom or never. */
const natives: readonly Attack[] = [
  { name: 'a nested quantifier', code: "return /^(a+)+$/.test('a'.repeat(40) + '!')", ...atOnce },
  {
    name: 'alternatives that overlap',
    code: "return /^(?:a|a|aa)*$/.test('a'.repeat(60) + '!')",
    fails: ['timeout', 'memory'],
  },
  { name: 'back references', code: "return /^(.*)*\\1\\1$/.test('ab'.repeat(40) + '!')", fails: ['timeout', 'memory'] },
  { name: 'a look-ahead', code: "return /^(?=(a+)+$)b/.test('a'.repeat(40) + '!')", ...atOnce },
  {
    name: 'a list without content of greatest length',
    code: 'return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
    ...atOnce,
  },
  {
    name: 'a search in a list of greatest length',
    code: 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    ...atOnce,
  },
  {
    name: 'lists joined without end',
    code: 'const a = new Array(2 ** 31); return a.join()',
    fails: ['timeout', 'memory', 'thrown'],
  },
  {
    name: 'a long list sorted',
    code: 'const a = new Uint32Array(4e6).map(() => Math.random() * 2 ** 32); for (;;) a.sort().reverse().sort((x, y) => y - x)',
    ...onTime,
  },
  { name: 'typed arrays filled', code: 'const a = new Uint8Array(2e7); for (;;) a.fill(1).indexOf(2)', ...onTime },
  {
    name: 'a power of big numbers',
    code: 'return String(7n ** (7n ** 8n)).length',
    fails: ['timeout', 'memory', 'thrown'],
  },
  { name: 'big numbers multiplied', code: 'let a = 3n; for (;;) a = a * a', fails: ['timeout', 'memory', 'thrown'] },
  { name: 'text searched for text', code: "return ('a'.repeat(5e6) + 'b').indexOf('a'.repeat(2e6) + 'c')" },
  {
    name: 'JSON written again and again',
    code: 'const a = Array.from({ length: 1e5 }, (_, i) => ({ i })); for (;;) JSON.parse(JSON.stringify(a))',
    ...onTime,
  },
  { name: 'text split into characters', code: "for (;;) 'x'.repeat(1e6).split('')", fails: ['timeout', 'memory'] },
  {
    name: 'text normalised',
    code: "for (;;) '\\u1E9B\\u0323'.repeat(3e5).normalize('NFKD')",
    fails: ['timeout', 'memory'],
  },
];

for (const attack of [...loops, ...natives]) {
  test(`[CHAIN-21] a program that does not end is ended at its limit: ${attack.name}`, () => range.prove(attack));
}

test('[CHAIN-24] nothing of a program acts after its end: no timer, no loop that nobody awaits, no finaliser', async () => {
  const late = [
    "setTimeout(() => servers.good.echo({ late: 1 }), 30); setInterval(() => servers.good.echo({ late: 2 }), 10); return 'timers'",
    "(async () => { for (;;) { await sleep(1); await servers.good.echo({ late: 3 }); } })(); return 'loop'",
    "new FinalizationRegistry(() => servers.good.echo({ late: 4 })).register({}, 1); return 'finaliser'",
    "Promise.resolve().then(function again() { servers.good.echo({ late: 5 }).finally(again); }); return 'chain'",
    'Promise.reject(1).finally(() => sleep(20).then(() => servers.good.echo({ late: 6 }))); while (true) await sleep(1)',
  ];
  for (const code of late) await range.prove({ name: code, code });
  await range.checkLateCalls();
});

test('[CHAIN-34] a program that has its result has no more than its time for calls that it did not wait for', async () => {
  // All of this time passes, so both run at once and it is short, yet long enough for one result on any machine.
  const limits = { timeoutMs: 5_000 };
  await Promise.all([
    range.prove({
      name: 'one call nobody awaits',
      code: 'servers.good.slow({}); return 1',
      gives: '1',
      mostCalls: 1,
      limits,
    }),
    range.prove({
      name: 'calls that lead to calls without end',
      code: '(function again() { servers.good.echo({}).finally(again); })(); return 2',
      gives: '2',
      limits,
    }),
  ]);
});

test('[CHAIN-26] while programs do not end, the loop of the process is never held and nothing of them acts after its end', async () => {
  range.checkLoop();
  await range.checkLateCalls();
  await range.checkMemory(50 * 2 ** 20);
});
