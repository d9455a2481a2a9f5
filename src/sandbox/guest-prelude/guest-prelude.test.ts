/** A program's globals in its virtual machine, and how its result becomes JSON. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProgramStage } from '../../../test/kit/program-stage.ts';

const stage = new ProgramStage();
after(() => stage.close());

async function resultOf(code: string): Promise<unknown> {
  const { failure, result } = await stage.play(code);
  assert.equal(failure, undefined);
  return result;
}

test('[CHAIN-48] servers and their tools can be listed, looked for and taken apart', async () => {
  const code = `
    const seen = [];
    for (const name in servers) seen.push(name);
    const { list_issues, ...others } = servers.github;
    return {
      seen, keys: Object.keys(servers.github), has: ['github' in servers, 'gitlab' in servers, 'get_me' in servers.github],
      own: [Object.hasOwn(servers, 'weather'), servers.github.hasOwnProperty('nothing')],
      taken: [typeof list_issues, Object.keys(others)], entries: Object.entries(servers).length,
    };`;
  assert.deepEqual(await resultOf(code), {
    seen: ['github', 'my-files', 'weather'],
    keys: ['create_issue', 'list_issues', 'get_me', 'repos.get'],
    has: [true, false, true],
    own: [true, false],
    taken: ['function', ['create_issue', 'get_me', 'repos.get']],
    entries: 3,
  });
});

test('[CHAIN-48] awaiting, printing, joining or giving servers makes no call', async () => {
  const code = `
    console.log(servers.github, await servers.weather, \`\${servers.github.get_me}\`);
    servers.github = 1; delete servers.github;
    return [await servers.github, JSON.stringify(servers.weather), String(servers), typeof servers.github.then];`;
  const { result, logs, asked } = await stage.play(code);
  const tools = ['create_issue', 'list_issues', 'get_me', 'repos.get'];
  assert.deepEqual(result, [tools, '["get_forecast"]', 'servers', 'undefined']);
  assert.deepEqual(logs, [`${JSON.stringify(tools)} ["get_forecast"] servers.github.get_me`]);
  assert.deepEqual(asked, []);
});

test('every function asks the host for what it stands for', async () => {
  const code = `
    await search('find issues', { maxResults: 3 }); await search({ query: ['a', 'b'] });
    await info('github:get_me'); await info('github', 'get_me'); await types('github', 'weather:get_forecast');
    await keep({ a: new Set([1]) }, 'mine'); await load('toolcrib://result/1');
    await tool_discovery({ query: 'a' }); await search_tools({ query: 'a', top_k: 2 });
    await get_tool_schema({ server: 'github', tool: 'get_me' }); await read_result({ uri: 'toolcrib://result/2' });`;
  const { asked, failure } = await stage.play(code);
  assert.equal(failure, undefined);
  assert.deepEqual(
    asked.map(({ kind, input }) => [kind, input]),
    [
      ['search', { query: 'find issues', maxResults: 3 }],
      ['search', { query: ['a', 'b'] }],
      ['info', { toolKey: 'github:get_me' }],
      ['info', { server: 'github', tool: 'get_me' }],
      ['types', { names: ['github', 'weather:get_forecast'] }],
      ['keep', { value: { a: [1] }, name: 'mine' }],
      ['load', { uri: 'toolcrib://result/1' }],
      ['search', { query: 'a' }],
      ['search', { query: 'a', top_k: 2, maxResults: 2 }],
      ['info', { server: 'github', tool: 'get_me', detail: 'full' }],
      ['load', { uri: 'toolcrib://result/2' }],
    ],
  );
});

test('a call without what it needs is told how it is written, and nothing is asked', async () => {
  for (const [code, words] of [
    ['await search()', /search\('/],
    ['await info()', /info\('/],
    ['await load(5)', /load\('/],
    ['await keep(undefined)', /keep\(value\)/],
    ['await call(5)', /call\('server:tool'/],
    ['await call_tool_chain({ code: "1" })', /a chain already/],
    ['await servers.github.get_me([1])', /a list/],
    ['await servers.github.get_me(servers.github.get_me())', /await/],
  ] as const) {
    const { failure, asked } = await stage.play(code);
    assert.match(failure?.message ?? '', words);
    assert.equal(failure?.line, 1);
    assert.ok(asked.length <= 1);
  }
});

test('arguments are data when they leave: dates, maps and what is undefined', async () => {
  const code = `await servers.github.create_issue({ title: 'x', at: new Date(0), of: new Map([['a', 1]]), no: undefined, f() {} })`;
  assert.deepEqual(await resultOf(code), { number: 4, title: 'x', at: '1970-01-01T00:00:00.000Z', of: { a: 1 } });
});

test("a failed call's error tells everything, to the program and in JSON", async () => {
  const code = `
    try { await servers.github.create_issue({}) } catch (error) {
      return [error instanceof Error, String(error), error.code, error.tool, JSON.parse(JSON.stringify(error)).message, error];
    }`;
  const told = {
    name: 'ToolError',
    message: 'title is missing.',
    code: 'ARGUMENTS_INVALID',
    tool: 'github:create_issue',
  };
  assert.deepEqual(await resultOf(code), [
    true,
    'ToolError: title is missing.',
    'ARGUMENTS_INVALID',
    'github:create_issue',
    'title is missing.',
    { ...told, data: { tool: 'github:create_issue' } },
  ]);
});

test('[CHAIN-45] values that are not JSON are converted, and each change is noted with its path', async () => {
  const code = `return {
    map: new Map([['a', new Set([1])]]), pairs: new Map([[{}, 1]]), date: new Date(0), none: new Date('x'), small: 5n, large: 2n ** 70n,
    error: new TypeError('no'), typed: new Uint8Array([1, 2]), values: new Map([['a', 1]]).values(), pattern: /a/g, boxed: Object(5),
    nan: [NaN, undefined], f() {}, symbol: Symbol('s'), missing: undefined, own: { toJSON: () => 'mine' },
  };`;
  const { result, notes } = await stage.play(code);
  assert.deepEqual(result, {
    map: { a: [1] },
    pairs: [[{}, 1]],
    date: '1970-01-01T00:00:00.000Z',
    none: null,
    small: 5,
    large: '1180591620717411303424',
    error: { name: 'TypeError', message: 'no' },
    typed: [1, 2],
    values: [1],
    pattern: '/a/g',
    boxed: 5,
    nan: [null, null],
    own: 'mine',
  });
  for (const place of ['map', 'map.a', 'pairs', 'small', 'large', 'typed', 'values', 'nan[0]', 'f', 'symbol'])
    assert.ok(
      notes.some((note) => note.startsWith(`result.${place}: `)),
      place,
    );
  assert.ok(!notes.some((note) => /missing|date|pattern/.test(note)));
});

test('[CHAIN-49] every getter of a result and of arguments runs once', async () => {
  const code = `
    let runs = 0;
    const counted = { enumerable: true, get: () => (runs += 1) };
    const list = Object.defineProperty([0, 0], 1, counted);
    const map = new Map([['in', Object.defineProperty({}, 'map', counted)]]);
    await servers.github.create_issue({ get title() { return 'run ' + (runs += 1); } });
    return { get a() { return (runs += 1); }, deep: [{ b: Object.defineProperty({ next: 0 }, 'next', counted) }], list, map };`;
  const { result, asked } = await stage.play(code);
  const inputs = asked.map(({ input }) => (input as { arguments: unknown }).arguments);
  assert.deepEqual(inputs, [{ title: 'run 1' }]);
  assert.deepEqual(result, { a: 2, deep: [{ b: { next: 3 } }], list: [0, 4], map: { in: { map: 5 } } });
});

test('[CHAIN-45] cycles and endless nesting are cut at a named path', async () => {
  const cyclic = await stage.play('const a = { b: { c: [] } }; a.b.c.push(a.b); return a');
  assert.deepEqual(cyclic.result, { b: { c: ['[refers back to result.b]'] } });
  assert.match(cyclic.notes.join(), /result\.b\.c\[0\]/);
  const shared = await stage.play('const a = { n: 1 }; return [a, a]');
  assert.deepEqual(shared.result, [{ n: 1 }, { n: 1 }]);
  assert.deepEqual(shared.notes, []);
  const deep = await stage.play('let a = 1; for (let i = 0; i < 1_000; i += 1) a = { a }; return a');
  assert.match(deep.notes.join(), /deeper than 200 levels/);
  const wide = await stage.play('let a = [1]; for (let i = 0; i < 40; i += 1) a = [a, a]; return a', {
    timeoutMs: 20_000,
  });
  assert.ok(wide.failure !== undefined);
});

test('a program that gives nothing and prints nothing is told so', async () => {
  assert.match((await stage.play('const f = () => 1; f(); void 0')).notes.join(), /no result/);
  assert.deepEqual((await stage.play('console.log(1)')).notes, []);
  assert.match((await stage.play("return 'I am ' + servers.github.get_me()")).notes.join(), /await/);
});

test('[CHAIN-46] overwritten functions of the language change neither calls nor results', async () => {
  const code = `
    const fail = () => { throw new Error('fooled') };
    const namesOf = Object.getOwnPropertyNames;
    for (const owner of [JSON, Object, Array, Reflect, Number]) {
      for (const name of namesOf(owner)) if (typeof owner[name] === 'function') owner[name] = fail;
    }
    for (const type of [Map, Set, Date, WeakSet, String, Array]) {
      for (const name of ['forEach', 'push', 'join', 'has', 'add', 'slice', 'toISOString', 'indexOf', 'map'])
        if (type.prototype[name]) type.prototype[name] = fail;
    }
    Promise.prototype.then = fail;
    Array.prototype[Symbol.iterator] = fail;
    globalThis.Promise = globalThis.Error = globalThis.Proxy = globalThis.Map = globalThis.console = fail;
    const made = await servers.github.create_issue({ title: 'x', labels: ['a'] });
    let told;
    try { await servers.github.create_issue({}) } catch (error) { told = error.message }
    return { made, told, when: new Date(0) };`;
  assert.deepEqual(await resultOf(code), {
    made: { number: 4, title: 'x', labels: ['a'] },
    told: 'title is missing.',
    when: '1970-01-01T00:00:00.000Z',
  });
});

test('[CHAIN-46] polluted prototypes are nobody else’s, and the program still ends', async () => {
  for (const pollution of [
    'Object.prototype.toJSON = () => 5',
    'Object.prototype.get = () => 1; Object.prototype.enumerable = 1',
    'Object.defineProperty(Array.prototype, 0, { set() { throw new Error("fooled") }, configurable: true })',
    'Object.prototype.then = (resolve) => resolve(5)',
    'Object.prototype.error = { message: "fooled", code: "TIMEOUT" }',
  ]) {
    const { failure, resultJson } = await stage.play(`${pollution};\nreturn await servers.github.get_me({})`);
    assert.ok(failure !== undefined || resultJson !== undefined, pollution);
  }
  assert.deepEqual(await resultOf('return await servers.github.get_me({})'), { login: 'ada' });
});

test('our names can be declared anew', async () => {
  const code =
    'const servers = 1; const search = 2; let github = 3; const console = 4; function info() { return 5 }\n[servers, search, github, console, info()]';
  assert.deepEqual(await resultOf(code), [1, 2, 3, 4, 5]);
});

test('console writes lines as a person expects them', async () => {
  const code = `
    console.log('a', 1, null, undefined, true, 5n, [1, { b: 2 }], new Error('no'), new Map([['a', 1]]), Promise.resolve(1), function f() {});
    console.warn('%s is %d %%, %j', 'x', 5, { a: 1 }, 'more');
    console.group('in'); console.info('side'); console.groupEnd();
    console.assert(1 > 2, 'wrong'); console.count(); console.count(); console.table([{ a: 1 }], ['a']); console.dir({ a: 1 }, { depth: 1 });
    console.log({ get a() { throw 1 } }); console.log('x'.repeat(50_000).length, { a: 'y'.repeat(50_000) });`;
  const { logs, failure } = await stage.play(code);
  assert.equal(failure, undefined);
  const last = logs.at(-1) ?? '';
  assert.deepEqual(
    logs.slice(0, -1).map((line) => line.replace(/^\[?(?:warn|info|error|log)\]?:? /, '')),
    [
      'a 1 null undefined true 5n [1,{"b":2}] Error: no {"a":1} [Promise: put `await` before it to see its value] [function f]',
      'x is 5 %, {"a":1} more',
      'in',
      '  side',
      'Assertion failed: wrong',
      'default: 1',
      'default: 2',
      '[{"a":1}]',
      '{"a":1}',
      '[not printable]',
    ],
  );
  assert.ok(last.length < 10_000);
});

test('timers, clones and texts work within the budget', async () => {
  const code = `
    const order = [];
    const stopped = setTimeout(() => order.push('never'), 1); clearTimeout(stopped);
    setImmediate(() => order.push('soon'));
    const late = new Promise((done) => setTimeout((what) => done(order.push(what)), 5, 'late'));
    let ticks = 0;
    await new Promise((done) => { const every = setInterval(() => { ticks += 1; if (ticks === 3) done(clearInterval(every)) }, 1) });
    await late; await sleep(2);
    const source = { m: new Map([[1, { a: 2 }]]), d: new Date(0) }; source.self = source;
    const copy = structuredClone(source);
    return [order, ticks, copy.self === copy, copy !== source, copy.m.get(1), new TextDecoder().decode(new TextEncoder().encode('hé😀')),
      atob(btoa('a')), /^[0-9a-f-]{36}$/.test(crypto.randomUUID())];`;
  assert.deepEqual(await resultOf(code), [['soon', 'late'], 3, true, true, { a: 2 }, 'hé😀', 'a', true]);
});
