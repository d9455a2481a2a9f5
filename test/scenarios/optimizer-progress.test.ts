/** The progress of a job: the same for agents of both eras, in the events of the API, and on a terminal. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GatewayEvent } from '../../src/admin/admin.ts';
import { connectAdmin } from '../../src/admin/client/client.ts';
import { connectAgent } from '../kit/agents.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ask, manyPrompts, weather } from '../kit/optimizing-agent.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';

const description = 'An everyday sentence about a city: sun, rain and wind of now.';
const tool = { server: 'weather', tool: 'get_current' };

const open = (onAgents: (count: number) => void = () => {}) =>
  openTestGateway({
    onAgents,
    servers: { weather, other: hostedServer({ name: 'other' }) },
    config: { optimize: { enabled: true } },
  });

const members = [
  ...['byCategory', 'candidate', 'candidates', 'completedTools', 'currentProgress', 'currentTool', 'phase'],
  ...['prompts', 'serverName', 'totalTools'],
];

for (const kind of ['v1', 'v2 legacy', 'v2 modern'] as const) {
  test(`[OPT-26] an agent that asks for progress hears how far its job is, and has the outcome as its answer (${kind})`, async () => {
    await using gateway = await open();
    const { headers } = await makeToken(gateway, { scopes: ['optimize'] });
    await using agent = await connectAgent(kind, `${gateway.url}/gateway/mcp`, { headers });
    await ask(agent, 'save_golden_prompts', { ...tool, prompts: manyPrompts(20) });
    await ask(agent, 'propose_candidate', { ...tool, description });
    type Told = { progress: number; total?: number | undefined; message?: string | undefined; _meta?: unknown };
    for (const [name, args] of [
      ['run_evaluation', tool],
      ['optimize', { server: 'weather' }],
    ] as const) {
      const told: Told[] = [];
      const answer = await ask(agent, name, args, { onprogress: (step: Told) => void told.push(step) });
      assert.equal(answer.state, 'done', JSON.stringify(answer));
      assert.ok('outcome' in answer);
      assert.ok(told.length > 1, JSON.stringify(told));
      assert.ok(
        told.every(({ progress, total }, at) => total === 100 && progress > (told[at - 1]?.progress ?? -1)),
        JSON.stringify(told),
      );
      const [first] = told;
      assert.match(first?.message ?? '', /^weather:get_current: generating candidates, 0 %$/);
      const whole = (first?._meta as Record<string, object> | undefined)?.['toolcrib/progress'] ?? {};
      assert.deepEqual(Object.keys(whole).sort(), members);
    }
    const { jobId } = await ask(agent, 'run_evaluation', tool);
    assert.equal(typeof jobId, 'string', 'without a progress token it answers at once');
  });
}

/** Events until one fits. */
async function eventsUntil(events: AsyncIterable<GatewayEvent>, fits: (event: GatewayEvent) => boolean) {
  const read: GatewayEvent[] = [];
  for await (const event of events) {
    read.push(event);
    if (fits(event)) return read;
  }
  return assert.fail('the stream ended');
}

const isDone = (event: GatewayEvent) => event.kind === 'job' && event.data.state === 'done';

async function runJob(gateway: TestGateway): Promise<void> {
  const { admin } = gateway.gateway;
  await admin.run('optimize.prompts', { ...tool, prompts: manyPrompts(6) });
  await admin.run('optimize.candidates', { ...tool, description });
  await admin.run('optimize.run', { server: 'weather' });
}

test('a job counts as an agent until it has ended, so that no gateway in the background leaves it', async () => {
  const counts: number[] = [];
  await using gateway = await open((count) => counts.push(count));
  const ending = new AbortController();
  const events = gateway.gateway.admin.events(ending.signal)[Symbol.asyncIterator]();
  assert.equal((await events.next()).value?.kind, 'begin');
  assert.deepEqual(counts, [0]);
  await runJob(gateway);
  await eventsUntil({ [Symbol.asyncIterator]: () => events }, isDone);
  assert.deepEqual([counts.includes(1), counts.at(-1)], [true, 0]);
});

test('[OPT-27] a reader resumes after its last event, and hears nothing about servers outside its reach', async () => {
  await using gateway = await open();
  const ending = new AbortController();
  const { signal } = ending;
  const mine = connectAdmin(gateway.url, gateway.gateway.tokens.owner).events(signal)[Symbol.asyncIterator]();
  assert.equal((await mine.next()).value?.kind, 'begin');
  const others = await makeToken(gateway, { scopes: ['optimize'], servers: ['other'] });
  const foreign = await fetch(`${gateway.url}/api/events`, { headers: others.headers, signal });
  await runJob(gateway);
  const seen = await eventsUntil({ [Symbol.asyncIterator]: () => mine }, isDone);
  const jobs = seen.filter((event) => event.kind === 'job');
  const [first, ...rest] = jobs;
  assert.ok(first && rest.length > 1);
  assert.deepEqual(Object.keys(first.data.progress).sort(), members);

  const again = async (lastEventId: string, headers: Record<string, string> = gateway.ownerHeaders) => {
    const response = await fetch(`${gateway.url}/api/events`, {
      headers: { ...headers, 'last-event-id': lastEventId },
      signal,
    });
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const last = /^.*?("state":"done"|event: begin\n).*?\n\n/s;
    while (!last.test(text)) text += (await reader?.read())?.value ?? '';
    // Another event may follow at once.
    return [...(last.exec(text)?.[0] ?? '').matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
  };
  assert.deepEqual(
    await again(first.id),
    seen.slice(seen.indexOf(first) + 1).map(({ id }) => id),
  );
  const unknown = await again('other-start.7');
  assert.equal(unknown.length, 1, 'one that is not known begins with the state of now');

  const heard = foreign.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: begin')) text += (await heard?.read())?.value ?? '';
  assert.doesNotMatch(text, /event: job/);
  assert.equal((await fetch(`${gateway.url}/api/events`, { headers: gateway.agentHeaders })).status, 403);
  assert.equal((await fetch(`${gateway.url}/api/events`)).status, 401);
  const api = await fetch(`${gateway.url}/api/openapi.json`, { headers: gateway.ownerHeaders });
  const { paths } = (await api.json()) as { paths: Record<string, { get?: { operationId: string } }> };
  assert.equal(paths['/api/events']?.get?.operationId, 'events');
  ending.abort();
});

test('[OPT-26] a command shows the progress as lines where there is no terminal, and says the outcome in words', async () => {
  await using place = await CliMachine.make();
  await mkdir(place.dataDir, { recursive: true });
  const config = { mcpServers: { weather }, optimize: { enabled: true }, access: { keyring: 'off' } };
  await writeFile(join(place.dataDir, 'toolcrib.json'), JSON.stringify(config));
  await writeFile(join(place.home, 'prompts.json'), JSON.stringify(manyPrompts(6)));
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await place.run('optimize', ...words);
    assert.equal(code, 0, `${words.join(' ')}\n${stdout}${stderr}`);
    return { stdout, stderr };
  };
  const evaluate = async () => {
    const { stdout, stderr } = await run('run', 'weather');
    assert.match(stderr, /^weather:get_current: evaluating the server's own description, \d+ %$/m);
    assert.match(stderr, /^complete: 1 of 1 tool$/m);
    assert.match(stdout, /^Job job_[\w-]+: done\. By owner, \d+ judgements\.\nweather:get_current: /);
    assert.match(stdout, /^ {2}choosing prompts: the server's own \d of 9, cand_\w+ \d of 9$/m);
    return stdout.split(/[ :]/)[1] ?? '';
  };
  assert.equal((await place.run('refresh', 'weather')).code, 0);
  await run('prompts', 'weather:get_current', '--file', 'prompts.json');
  await run('candidates', 'weather:get_current', '--add', description);
  const { stdout } = await run('run', 'weather', '--dry-run');
  assert.match(
    stdout,
    /^18 prompts of 1 tool, with 2 descriptions .*\nAt most \d+ judgements of .*, including prompts of neighbours; /,
  );
  assert.match(stdout, /^The judge "search" takes less than a minute and asks no model\.$/m);
  // In the process of the command, and in that of a gateway.
  const jobId = await evaluate();
  await place.start();
  await evaluate();

  const say = async (...words: string[]) => (await run(...words)).stdout;
  assert.match(await say('jobs'), /^ID .*\njob_\S+ +done +100 % .* weather:get_current +1 (?:unchanged|to promote)$/m);
  const job = await say('jobs', jobId);
  assert.match(
    job,
    /^weather:get_current: cand_\w+ (?:passes|does not pass)\.\n {2}deciding prompts: direct \d → \d of 3, /m,
  );
  const id = /cand_\w+/.exec(job)?.[0] ?? '';
  const forced = await say('promote', 'weather:get_current', id, '--force', '--why', 'A test.');
  assert.match(forced, /has a new description, forced by owner: A test\./);
  const listed = await say('candidates', 'weather:get_current');
  assert.match(
    listed,
    /^ {2}cand_\w+ by hand, 61 characters; in place, since \S+ \S+ UTC, forced by owner: A test\.$/m,
  );
  assert.match(
    listed,
    /^ {4}An everyday .*\n {4}deciding prompts: direct \d → \d of 3, indirect \d → \d of 3, negative/m,
  );
  const report = await say('report');
  assert.match(report, /^2 tools of 1 server, 1 optimized .*\nGAIN +TOOL .*\n *\d\.\d\d {2}weather:/);
  assert.match(report, / forced by owner: A test\. /);
});
