/** Past calls on the command line: figures, habits, and alternatives for a tool that failed. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CliMachine, type CliRun, type StartedGateway } from '../kit/cli.ts';
import { serverCommand } from '../servers/launch.ts';

interface Figures {
  readonly toolKey: string;
  readonly callCount: number;
  readonly successCount: number;
  readonly failures: Record<string, number>;
  readonly successRate: number | null;
  readonly latencyMs: Record<string, number | null>;
  readonly lastError: { readonly errorType: string; readonly message: string } | null;
}

interface Listed {
  readonly tools: Figures[];
  readonly toolCount: number;
  readonly store: Record<string, number>;
  readonly days?: { readonly day: string; readonly callCount: number }[];
}

interface Usage {
  readonly topTools: { readonly toolKey: string; readonly callCount: number }[];
  readonly failingTools: { readonly toolKey: string; readonly successRate: number }[];
  readonly sequences: { readonly before: string; readonly after: string; readonly count: number }[];
  readonly queries: { readonly query: string; readonly toolKey: string; readonly count: number }[];
  readonly suggestions: Record<string, unknown>[];
}

interface Suggestion {
  readonly toolKey: string;
  readonly similarity: number;
  readonly reason: string;
}

const searching = {
  description: 'Searches the web for pages about a topic and returns their titles.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true, openWorldHint: true },
};
const refusal = { isError: true, content: [{ type: 'text', text: 'The quota of this month is used up.' }] };
const pages = { content: [{ type: 'text', text: 'Three pages.' }] };

const servers = {
  alpha: serverCommand({ tools: [{ name: 'search_web', ...searching, respond: refusal }] }),
  beta: serverCommand({ tools: [{ name: 'web_search', ...searching, respond: pages }] }),
  gamma: serverCommand({
    tools: [{ name: 'search_the_web', ...searching, respond: pages }],
    modes: { crashMidCall: true },
  }),
  plain: serverCommand({}),
};

/** One machine for a series of tests that build on each other. */
class Setup {
  #machine: CliMachine | undefined;
  #gateway: StartedGateway | undefined;

  async open(): Promise<void> {
    this.#machine = await CliMachine.make();
    await mkdir(this.#machine.dataDir);
    await writeFile(join(this.#machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: servers }));
    this.#gateway = await this.#machine.start();
    assert.equal((await this.run('refresh')).code, 0);
  }

  /** Ends the gateway; commands go on with the data folder. */
  async stop(): Promise<void> {
    await this.#gateway?.stop();
  }

  async close(): Promise<void> {
    await this.#machine?.[Symbol.asyncDispose]();
  }

  run(...argv: string[]): Promise<CliRun> {
    assert.ok(this.#machine, 'the setup is open');
    return this.#machine.run(...argv);
  }

  async list(...argv: string[]): Promise<Listed> {
    return (await this.run('metrics', ...argv, '--json')).json<Listed>();
  }
}

describe('a machine with calls', () => {
  const setup = new Setup();
  before(() => setup.open());
  after(() => setup.close());
  beforeAnyCall(setup);
  countedCalls(setup);
  chosenTools(setup);
  unknownNames(setup);
  habits(setup);
  suggestions(setup);
  reset(setup);
});

function beforeAnyCall(setup: Setup): void {
  test('before the first call metrics and usage say how they come about', async () => {
    const { code, stdout } = await setup.run('metrics');
    assert.equal(code, 0);
    assert.match(stdout, /^There are no metrics yet\. Toolcrib measures .*toolcrib call SERVER:TOOL$/m);
    assert.match((await setup.run('metrics', 'plain:add')).stdout, /^There are no metrics of plain:add yet\./);
    assert.match((await setup.run('metrics', '--failing-below', '0.5')).stdout, /^No tool fails that often\./);
    assert.match((await setup.run('metrics', '--reset')).stdout, /^There are no metrics of all tools/);
    assert.match((await setup.run('usage')).stdout, /^No tool was called yet\./);
    const empty = { tools: [], toolCount: 0, store: { waitingRows: 0, lostRows: 0 } };
    assert.deepEqual(await setup.list(), empty);
    assert.deepEqual(await setup.list('plain:add'), { ...empty, days: [] });
    const nothing = { topTools: [], failingTools: [], sequences: [], queries: [], suggestions: [] };
    assert.deepEqual((await setup.run('usage', '--json')).json(), nothing);
  });
}

function countedCalls(setup: Setup): void {
  test('[CALL-30] metrics shows calls, success, latency and failures by kind', async () => {
    for (const argv of [
      ['plain:add', 'a=1', 'b=2'],
      ['plain:add', 'a=3', 'b=4'],
      ['plain:add', '{"a":1}'],
      ['plain:fail', 'message=the disk is full'],
    ]) {
      await setup.run('call', ...argv);
    }
    const table = await setup.run('metrics', 'plain');
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^TOOL +CALLS +OK +P50 +P95 +LAST ERROR$/m);
    assert.match(table.stdout, /^plain:add +3 +100 % +\d\S* ms +\d\S* ms$/m);
    assert.match(table.stdout, /^plain:fail +1 +0 % .*the disk is full$/m);
    assert.match(table.stdout, /^2 tools\.$/m);

    const one = await setup.run('metrics', 'plain:add');
    assert.match(one.stdout, /^ {2}succeeded +100 % \(2 of 2\)$/m);
    assert.match(one.stdout, /^ {2}not counted +1 {2}wrong arguments$/m);
    assert.match(one.stdout, /^\d{4}-\d\d-\d\d +3 +100 % .*█+░+$/m);

    const { tools, toolCount, store, days } = await setup.list('plain:add');
    assert.deepEqual([toolCount, store], [1, { waitingRows: 0, lostRows: 0 }]);
    assert.deepEqual(
      days?.map(({ callCount }) => callCount),
      [3],
    );
    const [add] = tools;
    assert.ok(add);
    assert.deepEqual([add.callCount, add.successCount, add.successRate, add.lastError], [3, 2, 1, null]);
    assert.equal(add.failures.arguments, 1);
    for (const name of ['avg', 'p50', 'p95', 'p99']) assert.ok((add.latencyMs[name] ?? 0) > 0, name);
    const [fail] = (await setup.list('plain:fail')).tools;
    assert.equal(fail?.failures.tool, 1);
    assert.equal(fail.lastError?.message, 'the disk is full');
    assert.deepEqual((await setup.list('--days', '3')).days?.length, 1);
  });
}

function chosenTools(setup: Setup): void {
  test('tools are chosen by how reliable they are, and judged by enough calls only', async () => {
    for (let times = 0; times < 5; times += 1) await setup.run('call', 'plain:fail', 'message=no');
    for (let times = 0; times < 2; times += 1) await setup.run('call', 'plain:add', 'a=1', 'b=1');
    const keys = ({ tools }: Listed) => tools.map(({ toolKey }) => toolKey);
    assert.deepEqual(keys(await setup.list('--failing-below', '0.5')), ['plain:fail']);
    assert.deepEqual(keys(await setup.list('--top', '1')), ['plain:add']);
    for (const argv of [
      ['--failing-below', '50'],
      ['--top', '0'],
      ['--days', '366'],
      ['--reset', '--top', '3'],
      ['plain:add', '--top', '3'],
    ]) {
      assert.equal((await setup.run('metrics', ...argv)).code, 2, argv.join(' '));
    }
  });
}

function unknownNames(setup: Setup): void {
  test('an unknown name ends with 3 and names the nearest', async () => {
    const cases: [name: string, message: RegExp][] = [
      ['plian', /^There is no server "plian", .*\nhint: Did you mean "plain"\?$/m],
      ['plain:ad', /^There is no tool "ad" on server "plain", .*\nhint: Did you mean "plain:add"/m],
      ['qqqqqqqq', /^There is no server "qqqqqqqq", .*\nhint: ".*toolcrib metrics" shows all metrics\.$/m],
    ];
    for (const [name, message] of cases) {
      for (const flags of [[], ['--reset']]) {
        const { code, stdout, stderr } = await setup.run('metrics', name, ...flags);
        assert.deepEqual([code, stdout], [3, ''], name);
        assert.match(stderr, message);
      }
    }
    const { error } = JSON.parse((await setup.run('metrics', 'plain:ad', '--json')).stderr);
    assert.equal(error.code, 'TOOL_NOT_FOUND');
    assert.ok(error.data.nearest.includes('plain:add'));
  });
}

function habits(setup: Setup): void {
  test('[CALL-17][CALL-32] usage tells what followed what, and what a search led to', async () => {
    for (let times = 0; times < 2; times += 1) {
      await setup.run('search', 'add', 'two', 'numbers');
      assert.equal((await setup.run('call', 'plain:add', 'a=1', 'b=1')).code, 0);
      assert.equal((await setup.run('call', 'plain:echo', 'text=done')).code, 0);
    }
    const { stdout } = await setup.run('usage');
    assert.match(stdout, /^ {2}after plain:add, (usually|sometimes) plain:echo \(\d+ %, 2 times\)$/m);
    assert.match(stdout, /^ {2}"add two numbers": plain:add 2 times$/m);
    assert.match(stdout, /^Failing\n.*\n {2}plain:fail +6 +0 % +no$/m);
    const usage = (await setup.run('usage', '--json')).json<Usage>();
    assert.equal(usage.topTools[0]?.toolKey, 'plain:add');
    assert.deepEqual(
      usage.failingTools.map(({ toolKey, successRate }) => [toolKey, successRate]),
      [['plain:fail', 0]],
    );
    assert.ok(usage.sequences.some((seen) => seen.before === 'plain:add' && seen.after === 'plain:echo'));
    const [query] = usage.queries;
    assert.deepEqual(query, { query: 'add two numbers', toolKey: 'plain:add', count: 2, ok: 2 });
    assert.equal((await setup.run('usage', '--limit', '1', '--json')).json<Usage>().topTools.length, 1);
  });
}

function suggestions(setup: Setup): void {
  test('[CALL-33] a call that fails names other tools, and whether one was taken is known', async () => {
    const said = await setup.run('call', 'alpha:search_web', 'query=tool cribs');
    assert.deepEqual([said.code, said.stdout], [1, 'The quota of this month is used up.\n']);
    assert.match(said.stderr, /^The tool "alpha:search_web" reports an error\.\nOther tools to try:\n/);
    assert.match(said.stderr, /^ {2}beta:web_search {2}\S/m);
    const json = await setup.run('call', 'alpha:search_web', 'query=tool cribs', '--json');
    const { error } = JSON.parse(json.stderr);
    checkSuggestions(error.data.fallbackSuggestions);
    const result = json.json<{ isError: boolean; _meta: Record<string, { fallbackSuggestions: Suggestion[] }> }>();
    assert.equal(result.isError, true);
    checkSuggestions(result._meta['toolcrib/fallback']?.fallbackSuggestions);

    const died = await setup.run('call', 'gamma:search_the_web', 'query=tool cribs');
    assert.deepEqual([died.code, died.stdout], [1, '']);
    assert.match(died.stderr, /^Server "gamma" .*\n(hint: .*\n)?Other tools to try:\n {2}beta:web_search {2}\S/);
    const diedJson = JSON.parse((await setup.run('call', 'gamma:search_the_web', 'query=x', '--json')).stderr);
    checkSuggestions(diedJson.error.data.fallbackSuggestions);

    assert.equal((await setup.run('call', 'beta:web_search', 'query=tool cribs')).stdout, 'Three pages.\n');
    const { suggestions } = (await setup.run('usage', '--json')).json<Usage>();
    // The last suggestion is the one that was taken.
    assert.deepEqual(
      suggestions.find(({ suggested }) => suggested === 'beta:web_search'),
      { failed: 'gamma:search_the_web', suggested: 'beta:web_search', taken: 1, worked: 1 },
    );
    const line = /^ {2}instead of gamma:search_the_web: beta:web_search 1 time, worked 1 time$/m;
    assert.match((await setup.run('usage')).stdout, line);
  });
}

function reset(setup: Setup): void {
  test('[CALL-31] figures outlive the gateway, and --reset forgets what was named and no more', async () => {
    const before = await setup.list();
    await setup.stop();
    assert.deepEqual(await setup.list(), before);
    const forgotten = await setup.run('metrics', 'plain:fail', '--reset');
    assert.deepEqual([forgotten.code, forgotten.stdout], [0, 'Forgotten: 6 calls of plain:fail.\n']);
    assert.deepEqual((await setup.run('metrics', 'plain:fail', '--reset', '--json')).json(), {
      server: 'plain',
      tool: 'fail',
      removed: 0,
    });
    const rest = (await setup.list()).tools.map(({ toolKey }) => toolKey).sort();
    const expected = before.tools.map(({ toolKey }) => toolKey).filter((key) => key !== 'plain:fail');
    assert.deepEqual(rest, expected.sort());
    assert.match((await setup.run('metrics', 'plain', '--reset')).stdout, /^Forgotten: \d+ calls of server plain\.$/m);
    const others = await setup.list();
    assert.deepEqual(
      others.tools,
      before.tools.filter(({ toolKey }) => !toolKey.startsWith('plain:')),
    );
    assert.ok(others.tools.length >= 3);
    assert.match((await setup.run('metrics', '--reset')).stdout, /^Forgotten: \d+ calls of all tools\.$/m);
    assert.deepEqual((await setup.list()).tools, []);
  });
}

function checkSuggestions(suggestions: readonly Suggestion[] | undefined): void {
  const found = suggestions?.find(({ toolKey }) => toolKey === 'beta:web_search');
  assert.ok(found, JSON.stringify(suggestions));
  assert.ok(found.similarity > 0 && found.similarity <= 1);
  assert.notEqual(found.reason, '');
}
