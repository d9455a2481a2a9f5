/** The shapes in which models write programs: each gives what was meant, or an error that says how to fix it. */

import { after, test } from 'node:test';
import { ProgramStage, type Shape } from '../../test/kit/program-stage.ts';

const stage = new ProgramStage();
after(() => stage.close());

const bugs = `(await servers.github.list_issues({ state: 'open' })).issues.filter((one) => one.labels.includes('bug'))`;
const numbers = [1, 3];

const statements: readonly Shape[] = [
  { name: 'a bare return', code: `const found = ${bugs};\nreturn found.map((one) => one.number);`, gives: numbers },
  { name: 'a last expression', code: `const found = ${bugs};\nfound.map((one) => one.number)`, gives: numbers },
  { name: 'one expression', code: 'await servers.github.get_me()', gives: { login: 'ada' } },
  { name: 'one expression without await', code: 'servers.github.get_me()', gives: { login: 'ada' } },
  {
    name: 'an object, which could be a block',
    code: '{ me: (await servers.github.get_me()).login }',
    gives: { me: 'ada' },
  },
  {
    name: 'a return inside a condition, with functions around',
    code: `const short = (text) => { return text.slice(0, 5) };
if (true) { return short('Crash on start') }
return 'none';`,
    gives: 'Crash',
  },
  {
    name: 'a last declaration',
    code: `const numbers = ${bugs}.map((one) => one.number);`,
    gives: numbers,
    notes: /`numbers`/,
  },
  {
    name: 'a loop that fills a list',
    code: `const results = [];\nfor (const one of ${bugs}) {\n  results.push(one.number);\n}`,
    gives: numbers,
    notes: /`results`/,
  },
  {
    name: 'only a loop that prints',
    code: `for (const n of [1, 2]) console.log('n', n)`,
    gives: undefined,
    logs: ['n 1', 'n 2'],
  },
  {
    name: 'only printing',
    code: `console.log(await servers.github.get_me())`,
    gives: undefined,
    logs: ['{"login":"ada"}'],
  },
  {
    name: 'parallel calls',
    code: `return await Promise.all(['Rome', 'Oslo'].map((city) => servers.weather.get_forecast({ city })))`,
    gives: [
      { city: 'Rome', days: [{ high: 21 }] },
      { city: 'Oslo', days: [{ high: 21 }] },
    ],
  },
  {
    name: 'a list of promises that nobody awaited',
    code: `return [1, 2].map(async (n) => n * 2)`,
    gives: [2, 4],
    notes: /Promise\.all/,
  },
  {
    name: 'then instead of await',
    code: `servers.github.get_me().then((me) => me.login).catch((error) => console.error(error))`,
    gives: 'ada',
  },
  {
    name: 'an error that is caught',
    code: `try { await servers.github.create_issue({}) } catch (error) { error.code }`,
    gives: 'ARGUMENTS_INVALID',
  },
];

const functions: readonly Shape[] = [
  {
    name: 'an async arrow function',
    code: `async () => {\n  return (await servers.github.get_me()).login;\n}`,
    gives: 'ada',
    notes: /was called/,
  },
  {
    name: 'an arrow function that is given servers',
    code: `async ({ servers }) => (await servers.github.get_me()).login`,
    gives: 'ada',
  },
  {
    name: 'an arrow function whose parameter stands for servers',
    code: `async (tools) => (await tools.github.get_me()).login`,
    gives: 'ada',
  },
  { name: 'a function without a name', code: `async function () { return 5 }`, gives: 5 },
  {
    name: 'a declared function that nobody calls',
    code: `async function main() {\n  return (await github.get_me()).login;\n}`,
    gives: 'ada',
  },
  {
    name: 'several functions of which one is meant',
    code: `const double = (n) => { return n * 2 };\nasync function work() { return double(4) }`,
    gives: 8,
  },
  {
    name: 'a function that is called without its promise being returned',
    code: `async function main() { return 5 }\nmain();`,
    gives: 5,
  },
  {
    name: 'a function that is run on the spot',
    code: `(async () => {\n  return (await github.get_me()).login;\n})();`,
    gives: 'ada',
  },
  {
    name: 'a function that is run on the spot and prints',
    code: `;(async function () { console.log((await mcp.github.get_me()).login) }());`,
    gives: undefined,
    logs: ['ada'],
  },
  {
    name: 'a module with a default function',
    code: `export default async function run({ servers }) { return (await servers.github.get_me()).login }`,
    gives: 'ada',
  },
  { name: 'a module with a default arrow function', code: `export default async () => 5;`, gives: 5 },
  {
    name: 'a module with a value',
    code: `const me = await servers.github.get_me();\nexport default me.login;`,
    gives: 'ada',
  },
  {
    name: 'a module with named exports',
    code: `export const login = (await github.get_me()).login;\nexport const n = 1;`,
    gives: { login: 'ada', n: 1 },
  },
  { name: 'a module with a named function', code: `export async function handler() { return 5 }`, gives: 5 },
  { name: 'module.exports', code: `module.exports = async () => 5;`, gives: 5 },
  {
    name: 'module.exports with a run function',
    code: `module.exports = { name: undefined, async run() { return 5 } };`,
    gives: 5,
  },
  {
    name: 'a method that stands alone',
    code: `async run({ servers }) {\n  return (await servers.github.get_me()).login;\n}`,
    gives: 'ada',
  },
];

const wrapped: readonly Shape[] = [
  { name: 'a fence', code: '```js\nreturn 5;\n```', gives: 5 },
  {
    name: 'a fence with text around it',
    code: 'Here is the program:\n\n```javascript\nreturn 5;\n```\n\nIt gives five.',
    gives: 5,
  },
  { name: 'a fence of TypeScript', code: '```ts\nconst n: number = 5;\nreturn n;\n```', gives: 5, notes: /TypeScript/ },
  { name: 'a fence on one line', code: '```js return 5 ```', gives: 5 },
  {
    name: 'JSON that carries the code',
    code: JSON.stringify({ code: 'const n = 5;\nreturn n;' }),
    gives: 5,
    notes: /JSON/,
  },
  { name: 'the code as a JSON text', code: JSON.stringify('const n = 5;\nreturn n;'), gives: 5 },
  {
    name: 'a call of the chain inside the chain',
    code: JSON.stringify({ name: 'call_tool_chain', arguments: { code: 'return 5' } }),
    gives: 5,
  },
  { name: 'line breaks written as text', code: 'const n = 5;\\nreturn n;', gives: 5 },
  { name: 'HTML entities', code: 'return [1, 2, 3].filter(n =&gt; n &lt; 3 &amp;&amp; n &gt; 1)', gives: [2] },
  { name: 'typographic quotes', code: 'return “five”', gives: 'five' },
  { name: 'a label and a byte order mark', code: '\uFEFFjavascript: 5', gives: 5 },
  { name: 'a first line that is no code', code: 'Sure! Here is the code:\n\nreturn 5', gives: 5, notes: /first line/ },
  { name: 'a tag', code: '<script>\nreturn 5\n</script>', gives: 5 },
  { name: 'entities that are meant', code: `return 'a &lt; b'`, gives: 'a &lt; b' },
];

const typed: readonly Shape[] = [
  {
    name: 'TypeScript with types everywhere',
    code: `interface Issue { number: number; labels: string[] }
type Numbers = Issue['number'][];
const pick = <T,>(list: T[], at: number): T | undefined => list[at];
const { issues } = (await servers.github.list_issues({})) as { issues: Issue[] };
const numbers: Numbers = issues.filter((one): one is Issue => one.labels.length > 0).map((one) => one.number);
return { first: pick(numbers, 0)!, all: numbers satisfies Numbers };`,
    gives: { first: 1, all: numbers },
    notes: /TypeScript/,
  },
  { name: 'a typed function', code: `async function main(): Promise<number> {\n  return 5 as number;\n}`, gives: 5 },
  {
    name: 'a typed module',
    code: `import type { Server } from './types';\nexport default async function (given: Server): Promise<number> { return 5 }`,
    gives: 5,
  },
  {
    name: 'an enum',
    code: `enum Color { Red }\nreturn Color.Red;`,
    says: /enum is not supported here.*plain object/,
    line: 1,
  },
  {
    name: 'an import of a server',
    code: `import * as github from './servers/github';\nreturn (await github.get_me()).login;`,
    gives: 'ada',
  },
  {
    name: 'an import of a tool',
    code: `import { getForecast } from './servers/weather/index.js';\nreturn await getForecast({ city: 'Rome' });`,
    gives: { city: 'Rome', days: [{ high: 21 }] },
  },
  {
    name: 'an import of our own names',
    code: `import { servers } from 'toolcrib';\nreturn (await servers.github.get_me()).login;`,
    gives: 'ada',
  },
  {
    name: 'an import of something else',
    code: `const n = 1;\nimport axios from 'axios';`,
    says: /tools are under `servers`/,
    line: 2,
  },
];

for (const shape of statements) test(`[CHAIN-40] ${shape.name} gives what was meant`, () => stage.check(shape));
for (const shape of functions) test(`[CHAIN-40] ${shape.name} gives what was meant`, () => stage.check(shape));
for (const shape of wrapped) test(`[CHAIN-40] ${shape.name} is taken off the code`, () => stage.check(shape));
for (const shape of typed)
  test(`[CHAIN-42] ${shape.name} is read or refused with what to write instead`, () => stage.check(shape));
