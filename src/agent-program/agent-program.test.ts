/** Tests of agent programs, with small programs in their place: what reaches them, what is read of them, and that nothing of them is left. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { eventually, HANG_MS, isAlive } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock as clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import type { AgentName } from '../config/config.ts';
import { Downstream } from '../downstream/downstream.ts';
import { AgentHomes, AgentProgram, agentModel } from './agent-program.ts';

const key = 'sk-key-of-the-owner-4711';
const env = { ...process.env, MODEL_KEY: key, OTHER_KEY: 'nobody-named-this', HOME: '/of/the/owner' };
const connect = { lazy: true, preconnect: [], timeoutMs: 1, installTimeoutMs: 1, maxRetries: 0, idleMs: 0, roots: [] };
const store = { findVerdict: async () => undefined, saveVerdict: async () => {}, removeVerdict: async () => {} };
const downstream = new Downstream({ connect, store, clock, log: silentLog, env, spool: testSpool() });
const dataDir = mkdtempSync(join(tmpdir(), 'agent-test-'));
const homes = new AgentHomes({ dataDir, log: silentLog });
after(async () => {
  await downstream.close();
  await homes.close();
  rmSync(dataDir, { recursive: true });
});

const door = { url: 'http://127.0.0.1:1/mcp', token: 'tc_for_one_run' };
const never = new AbortController().signal;

/** `code` is run by Node in place of the agent. */
function programOf(agent: AgentName, code: string): AgentProgram {
  const settings = { agent, command: [process.execPath, '-e', code, '--'], env: ['MODEL_KEY', 'NOT_SET'] };
  return new AgentProgram(settings, { downstream, homes, env, clock });
}

const printing = (...events: readonly object[]) =>
  `console.log(${JSON.stringify(events.map((event) => JSON.stringify(event)).join('\n'))});`;

/** How each agent says that it looked, failed once, and is done. */
const outputs: Readonly<Record<AgentName, readonly object[]>> = {
  claude: [
    { type: 'system', subtype: 'init', tools: [] },
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', name: 'x' },
        ],
      },
    },
    { type: 'user', message: { content: [{ type: 'tool_result', is_error: true, content: 'missing location' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'sunny' }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'It is sunny.' }] } },
    { type: 'result', is_error: false, result: 'It is sunny.', usage: { input_tokens: 5, output_tokens: 2 } },
  ],
  codex: [
    { type: 'item.completed', item: { type: 'error', message: 'No metadata for this model.' } },
    { type: 'item.completed', item: { type: 'agent_message', text: 'I look.' } },
    {
      type: 'item.completed',
      item: { type: 'mcp_tool_call', status: 'failed', result: null, error: { message: 'missing location' } },
    },
    { type: 'item.completed', item: { type: 'mcp_tool_call', status: 'completed', result: { content: [] } } },
    { type: 'item.completed', item: { type: 'agent_message', text: 'It is sunny.' } },
    { type: 'turn.completed', usage: { input_tokens: 5, cached_input_tokens: 4, output_tokens: 2 } },
  ],
  gemini: [
    { type: 'message', role: 'user', content: 'What is the weather?' },
    { type: 'message', role: 'assistant', content: 'I lo', delta: true },
    { type: 'message', role: 'assistant', content: 'ok.', delta: true },
    { type: 'tool_result', status: 'error', error: { message: 'missing location' } },
    { type: 'tool_result', status: 'success', output: 'sunny' },
    { type: 'message', role: 'assistant', content: 'It is sunny.', delta: true },
    { type: 'result', status: 'success', stats: { total_tokens: 7 } },
  ],
};

/** How each agent says that its model failed. */
const failures: Readonly<Record<AgentName, object>> = {
  claude: { type: 'result', is_error: true, result: 'API Error: 500 broken.' },
  codex: { type: 'turn.failed', error: { message: 'API Error: 500 broken.' } },
  gemini: { type: 'result', status: 'error', error: { message: 'API Error: 500 broken.' } },
};

interface Facts {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Paths of the files in its home, and their texts. */
  readonly files: readonly string[];
  readonly texts: string;
}

/** How each agent is kept from settings and instructions in the folders above its own. */
const shields: Readonly<Record<AgentName, (facts: Facts) => boolean>> = {
  claude: ({ env }) => env.CLAUDE_CODE_DISABLE_CLAUDE_MDS === '1',
  codex: ({ texts }) => texts.startsWith('project_root_markers = []\nproject_doc_max_bytes = 0\n'),
  gemini: ({ texts, files, cwd }) =>
    texts.includes('"memoryBoundaryMarkers":[]') && files.includes(`${cwd}/.gemini/.env`),
};

for (const agent of ['claude', 'codex', 'gemini'] as const) {
  test(`${agent}: its words, the errors of its tools and its tokens are read, and nothing else`, async () => {
    const { words, tokens } = await programOf(agent, printing(...outputs[agent])).run('Weather?', door, never);
    assert.deepEqual([words, tokens], ['I look.\nmissing location\nIt is sunny.', 7]);
  });

  test(`${agent}: a failure of its model is trouble, with the reason`, async () => {
    const said = `The agent program "${agent}" failed: API Error: 500 broken.`;
    const failing = programOf(agent, printing(failures[agent])).run('Weather?', door, never);
    await assert.rejects(failing, { code: 'MODEL_FAILED', message: said });
  });

  test(`${agent}: it has a home of its own, the named variables alone, and the prompt from its input`, async () => {
    const code = `
      const { readdirSync, readFileSync, statSync } = require('node:fs');
      const { HOME: home } = process.env;
      const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      const paths = files.map((file) => file.parentPath + '/' + file.name);
      const texts = paths.map((path) => readFileSync(path, 'utf8')).join('');
      const facts = {
        home, texts, files: paths, cwd: process.cwd(), mode: statSync(home).mode & 0o777, args: process.argv.join(' '),
        prompt: readFileSync(0, 'utf8'), env: process.env,
      };
      process.stderr.write('facts=' + Buffer.from(JSON.stringify(facts)).toString('hex'));
      process.exitCode = 7;`;
    const trouble = await programOf(agent, code)
      .run('--help me', door, never)
      .catch((error: unknown) => error);
    assert.ok(trouble instanceof GatewayError);
    const facts = JSON.parse(Buffer.from(/facts=([0-9a-f]+)/.exec(trouble.message)?.[1] ?? '', 'hex').toString());
    assert.match(trouble.message, /ended with exit code 7/);
    assert.deepEqual([facts.prompt, facts.mode, facts.cwd], ['--help me', 0o700, `${facts.home}/work`]);
    assert.equal(existsSync(facts.home), false, 'the home is gone');
    const { MODEL_KEY, OTHER_KEY, NOT_SET, XDG_CONFIG_HOME, TMPDIR } = facts.env;
    assert.deepEqual([MODEL_KEY, OTHER_KEY, NOT_SET], [key, undefined, undefined]);
    for (const folder of [XDG_CONFIG_HOME, TMPDIR]) assert.ok(folder.startsWith(facts.home), folder);
    assert.ok(facts.texts.includes(door.url), 'its files name the door');
    assert.ok(shields[agent](facts), 'nothing in the folders above is for it');
    for (const text of [facts.texts, facts.args]) assert.ok(!text.includes(door.token) && !text.includes(key));
  });
}

/** Why a program in place of Claude Code failed. */
async function troubleOf(code: string): Promise<string> {
  const trouble: unknown = await programOf('claude', code)
    .run('Weather?', door, never)
    .catch((error: unknown) => error);
  assert.ok(trouble instanceof GatewayError && trouble.code === 'MODEL_FAILED', String(trouble));
  return trouble.message.replace('The agent program "claude" failed: ', '');
}

const done = outputs.claude.at(-1) ?? {};

test('a program that breaks off, whatever it said before, is trouble', async () => {
  assert.equal(await troubleOf(''), 'ended with exit code 0.');
  const words = `console.error('Error: no key ' + process.env.MODEL_KEY); process.exitCode = 3`;
  assert.equal(await troubleOf(`${printing(done)} ${words}`), 'ended with exit code 3. It said: Error: no key ***');
  assert.equal(await troubleOf("process.kill(process.pid, 'SIGKILL')"), 'was ended by SIGKILL.');
  const flood = `const text = 'x'.repeat(2 ** 20); for (let i = 0; i < 20; i += 1) console.log(text);`;
  assert.equal(await troubleOf(`${flood} setInterval(() => {}, 1e9);`), 'printed too much.');
});

test('an agent that begins without the tools of the door is trouble', async () => {
  const servers = [{ name: 'toolcrib', status: 'failed' }];
  const start = { type: 'system', subtype: 'init', mcp_servers: servers };
  assert.equal(await troubleOf(printing(start, done)), 'it began without the tools (failed).');
});

test('lines that are no events do not matter', async () => {
  const junk = `console.log('npm warn {'); console.log('{"type":'); console.log('{}'); console.log('[]');`;
  const { words } = await programOf('claude', `${junk} ${printing(...outputs.claude)}`).run('Weather?', door, never);
  assert.equal(words.split('\n').at(-1), 'It is sunny.');
});

test('a program that is not there is named, with what to do', async () => {
  const settings = { agent: 'codex', command: ['/nowhere/codex'], env: [] } as const;
  const run = new AgentProgram(settings, { downstream, homes, env, clock }).run('Weather?', door, never);
  await assert.rejects(run, (error: unknown) => {
    assert.ok(error instanceof GatewayError);
    const said = 'The agent program "codex" could not be started: the command "/nowhere/codex" was not found.';
    assert.deepEqual([error.code, error.message], ['MODEL_FAILED', said]);
    return /give its full path/.test(error.hint ?? '');
  });
});

test('at its limit the whole tree of processes ends before anything else happens', { timeout: HANG_MS }, async () => {
  const told = join(dataDir, 'pids');
  const code = `
    const child = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' });
    process.on('SIGTERM', () => {});
    require('node:fs').writeFileSync(${JSON.stringify(told)}, process.pid + ' ' + child.pid + ' ' + process.env.HOME);
    setInterval(() => {}, 1e9);`;
  const limit = new AbortController();
  const run = programOf('claude', code).run('Weather?', door, limit.signal);
  const words = await eventually('a program', () => (existsSync(told) && readFileSync(told, 'utf8')) || undefined);
  const [pid, child, home = ''] = words.split(' ');
  limit.abort(new Error('No answer in time.'));
  await assert.rejects(run, { message: 'No answer in time.' });
  assert.deepEqual([isAlive(Number(pid)), isAlive(Number(child)), existsSync(home)], [false, false, false]);
});

test('an agent program in place of a model has no tools, and its answer is text', async () => {
  const listing = `
    const { readFileSync } = require('node:fs');
    const config = readFileSync(process.argv[process.argv.indexOf('--mcp-config') + 1], 'utf8');
    const message = { content: [{ type: 'text', text: config }] };
    console.log(JSON.stringify({ type: 'assistant', message }));`;
  const ask = agentModel(programOf('claude', `${listing} ${printing(done)}`), { clock, timeoutMs: HANG_MS });
  const question = { system: 'Be short.', text: 'Who?', maxTokens: 10 };
  const { text, ended } = await ask(question, never);
  assert.deepEqual([text, ended], ['{"mcpServers":{}}', 'whole']);
  const silent = agentModel(programOf('claude', printing(done)), { clock, timeoutMs: HANG_MS });
  await assert.rejects(silent(question, never), { code: 'MODEL_FAILED', message: 'The agent program said nothing.' });
});

test('an agent program in place of a model is ended at the limit', async () => {
  const time = new ManualClock();
  const run: AgentProgram['run'] = (_prompt, _door, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const asking = agentModel({ run }, { clock: time, timeoutMs: 5_000 });
  const answer = assert.rejects(asking({ system: '', text: 'Who?', maxTokens: 10 }, never), /within 5000 ms/);
  await time.advance(5_000);
  await answer;
});
