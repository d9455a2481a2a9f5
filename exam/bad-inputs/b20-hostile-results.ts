/** B20: results, names and words of servers that try to be more than text, to agents, to the log and to the terminal. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { type CanaryPort, openCanary } from '../kit/canary-port.ts';
import { runCommand } from '../kit/command-line.ts';
import { hostileResults, terminalTricks, unsafeOutput } from '../kit/hostile-texts.ts';
import { headerOf, knock } from '../kit/knock.ts';
import { operate, order, statePrint } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const tricks = terminalTricks();
const all = tricks.join(' and ');

export const hostileWords: Check = {
  id: 'B20',
  kind: 'bad inputs',
  title: 'Hostile results, and words that forge logs or steer terminals',
  passes:
    'bytes reach the agent as they are, nothing is fetched, called or changed; no escape is printed, every record is one line',
  eras: ERAS,
  open: ['the dashboard in a browser and the terminal UI: test/browser/hostile-texts and test/tui/hostile try them'],
  async run(rig) {
    await using canary = await openCanary();
    const url = `http://127.0.0.1:${canary.port}`;
    const texts = hostileResults(url);
    const setup = await rig.open({
      servers: {
        local: {},
        remote: { transport: 'http', era: 'modern' },
        hostile: {
          instructions: all,
          tools: [{ name: 'linked', respond: linked(url, texts) }, { name: 'echo' }, ...speaking(url)],
          resources: [{ uri: `${url}/resource`, name: all, description: all, text: all }],
          prompts: [{ name: 'prompt', description: all, text: all }],
        },
      },
      config: { connect: { maxRetries: 0, timeoutMs: 5_000 } },
    });
    await rig.part('results', () => results(rig, setup, canary, texts));
    await rig.part('records', () => records(rig, setup, texts));
    await rig.part('last words', () => lastWords(rig, setup));
    await rig.part('command line', () => commands(rig, setup));
    await rig.part('pages', () => pages(rig, setup));
    logLines(rig, setup);
    rig.expect(canary.visits() === 0, `Something was fetched ${canary.visits()} times.`);
  },
};

/** Everything that a result can point to, and a schema and pictures beside it. */
function linked(url: string, texts: readonly string[]): Dict {
  return {
    content: [
      ...texts.map((text) => ({ type: 'text', text })),
      { type: 'resource_link', uri: `${url}/file`, name: all, icons: [{ src: `${url}/icon.svg` }] },
      { type: 'resource', resource: { uri: `${url}/page`, mimeType: 'text/html', text: `<img src="${url}/x">` } },
    ],
    structuredContent: { $ref: `${url}/schema`, html: `<script src="${url}"></script>` },
    _meta: { 'openai/outputTemplate': `${url}/template`, ui: { resourceUri: `${url}/ui` } },
  };
}

/** Definitions that would steer a terminal, point outside, or both. Toolcrib may withhold them or not. */
function speaking(url: string): { readonly name: string; readonly [member: string]: unknown }[] {
  return tricks.map((trick, at) => ({
    name: `say_${at}`,
    title: trick,
    description: `Says ${trick}.`,
    icons: [{ src: `${url}/icon-${at}.png` }],
    inputSchema: {
      type: 'object',
      $schema: `${url}/schema`,
      properties: { a: { type: 'string', description: trick } },
    },
    runAs: 'fail',
  }));
}

async function results(rig: Rig, setup: Setup, canary: CanaryPort, texts: readonly string[]): Promise<void> {
  const before = await statePrint(setup, []);
  const calls = () => ['local', 'remote', 'hostile', 'sibling'].map((name) => callsTo(setup, name));
  const tools = ['local.echo', 'remote.echo', 'local.fail'];
  let tried = 0;
  for (const [turn, era] of ERAS.entries()) {
    const agent = await setup.agent(era);
    for (const [at, text] of texts.entries()) {
      // In a quick examination each era gets every second one.
      if (rig.size === 'quick' && at % ERAS.length !== turn) continue;
      for (const tool of tools) await expectSame(rig, agent, tool, text);
      tried += tools.length;
    }
    const seen = calls();
    const { result } = await agent.call('hostile.linked', {});
    const content = (result.content ?? []) as { text?: string }[];
    const isSame = texts.every((text, at) => content[at]?.text === text) && content.length === texts.length + 2;
    rig.expect(isSame, `${era}: a result with links was altered: ${JSON.stringify(content).slice(0, 300)}`);
    await agent.request({ id: agent.nextId(), method: 'resources/list' });
    await agent.request({ id: agent.nextId(), method: 'prompts/get', params: { name: 'hostile.prompt' } });
    await agent.request({ id: agent.nextId(), method: 'tools/list' });
    const more = calls().map((count, at) => count - (seen[at] ?? 0));
    // The prober asks the sibling all the time.
    rig.expect(
      more[0] === 0 && more[1] === 0 && more[2] === 1,
      `${era}: one call became ${more.slice(0, 3).join(', ')}.`,
    );
  }
  rig.expect((await statePrint(setup, [])) === before, 'Results have changed what the owner set.');
  rig.expect(canary.visits() === 0, 'A link in a result was followed.');
  rig.figure('hostile results', tried);
}

async function expectSame(rig: Rig, agent: ExamAgent, tool: string, text: string): Promise<void> {
  const { said } = await agent.call(tool, tool.endsWith('fail') ? { message: text } : { text });
  // Beside the complaint of a tool we say what can be done.
  const isSame = tool.endsWith('fail') ? said.includes(text) : said === text;
  rig.expect(
    isSame,
    () => `${agent.era}: ${tool} said ${JSON.stringify(said).slice(0, 200)}, not ${JSON.stringify(text)}`,
  );
}

function callsTo(setup: Setup, name: string): number {
  return setup.server(name).noted('tool').length;
}

/** One record for every call, for any content. */
async function records(rig: Rig, setup: Setup, texts: readonly string[]): Promise<void> {
  const { stdout } = await runCommand(setup, ['audit', '--json', '--kind', 'execution', '--tool', 'echo']);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const kept = lines.map((line) => JSON.parse(line) as { server: string | null; tool: string | null });
  for (const server of ['local', 'remote']) {
    const found = kept.filter((one) => one.server === server && one.tool === 'echo').length;
    const made = texts.length * (rig.size === 'full' ? ERAS.length : 1);
    rig.expect(found === made, `${made} calls of ${server}.echo have ${found} records.`);
  }
  rig.figure('audit records', lines.length);
}

/** The output of a process on stderr, and in its errors, before it dies. */
async function lastWords(rig: Rig, setup: Setup): Promise<void> {
  const { ownerToken } = setup.gateway;
  for (const [at, trick] of tricks.entries()) {
    const code = `process.stderr.write(${JSON.stringify(`${trick}\n${all}`)}); process.exit(1)`;
    const spec = { command: process.execPath, args: ['-e', code] };
    await operate(setup, ownerToken, 'servers.add', { name: `shout-${at}`, spec });
    const { text } = await operate(setup, ownerToken, 'servers.output', { name: `shout-${at}` });
    rig.expect(text.includes('stderr'), `What shout-${at} said is not known: ${text.slice(0, 200)}`);
    await operate(setup, ownerToken, 'tools.info', { toolKey: `hostile:${trick}` });
    await operate(setup, ownerToken, 'servers.refresh', { name: trick });
  }
}

async function commands(rig: Rig, setup: Setup): Promise<void> {
  const asked = [
    ...[['list'], ['tools'], ['search', 'say'], ['doctor'], ['metrics'], ['audit'], ['changes'], ['usage']],
    ...[
      ['info', 'hostile:say_0'],
      ['info', 'hostile:linked'],
      ['call', 'hostile:echo'],
      ['changes', 'hostile'],
    ],
    ...[['info', `hostile:${tricks[0]}`], ['list', `--${tricks[4]}`], ['approvals'], ['token', 'list']],
  ];
  for (const [at, command] of asked.entries()) {
    const forms = rig.size === 'full' ? [[], ['--json']] : [at % 2 === 0 ? [] : ['--json']];
    for (const more of forms) {
      const { printed } = await runCommand(setup, [...command, ...more]);
      const bad = unsafeOutput.exec(printed);
      rig.expect(
        bad === null,
        () =>
          `toolcrib ${JSON.stringify(command)}: it prints ${JSON.stringify(printed.slice(Math.max(0, (bad?.index ?? 0) - 60), (bad?.index ?? 0) + 20))}`,
      );
    }
  }
  rig.figure('commands', asked.length * (rig.size === 'full' ? 2 : 1));
  for (const { name } of await order(setup, 'servers.list', {}))
    if (name.startsWith('shout-')) await order(setup, 'servers.remove', { name });
}

/** The few pages that are there say what they may do, and repeat nothing that they were asked for. */
async function pages(rig: Rig, setup: Setup): Promise<void> {
  const script = '<script>alert(1)</script>';
  for (const path of [
    '/',
    `/?code=${encodeURIComponent(script)}`,
    `/assets/${encodeURIComponent(script)}`,
    `/sign-in?code=${encodeURIComponent(script)}`,
    `/oauth/callback?error=${encodeURIComponent(script)}&state=x`,
  ]) {
    const answer = await knock(rig.history, setup.gateway.url, { path, headers: [['Accept', 'text/html']] });
    rig.expect(!answer.body.includes(script), `${path} repeats a script.`);
    if (!/text\/html/.test(headerOf(answer, 'content-type') ?? '')) continue;
    const policy = headerOf(answer, 'content-security-policy') ?? '';
    const isStrict = /frame-ancestors 'none'/.test(policy) && !/unsafe-(?:inline|eval)/.test(policy);
    rig.expect(isStrict, `${path} has the policy "${policy}".`);
  }
}

/** Every line of the log is one record of ours. */
function logLines(rig: Rig, setup: Setup): void {
  const text = readFileSync(join(rig.history.folder, 'gateway.log'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  rig.figure('log lines', lines.length);
  rig.expect(lines.length > 100, `The log has only ${lines.length} lines.`);
  rig.expect(!unsafeOutput.test(text), () => `The log holds ${JSON.stringify(unsafeOutput.exec(text)?.[0])}.`);
  for (const line of lines) {
    const record = asRecord(line);
    rig.expect(record !== undefined && record.event !== 'forged', () => `A line of the log is ${line.slice(0, 200)}`);
  }
  rig.expect(setup.gateway.log() === text, 'The log was written elsewhere.');
}

function asRecord(line: string): Dict | undefined {
  try {
    return JSON.parse(line) as Dict;
  } catch {
    return undefined;
  }
}
