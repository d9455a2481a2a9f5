/** A job of the optimizer from a terminal: prepared, started, followed, promoted, reverted and cancelled. */

import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { manyPrompts } from '../kit/optimizing-agent.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { hostedServer } from '../servers/hosted.ts';
import { ModelApi } from '../servers/model-api.ts';
import { openTui, tellStory, terminalTest } from './story.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const toolOf = (name: string, description: string) => ({ name, description, inputSchema, respond: { content: [] } });
const weather = hostedServer({
  name: 'weather',
  tools: [
    toolOf('get_current', 'Gets weather.'),
    toolOf('get_historical', 'Gets past weather.'),
    toolOf('purge_cache', 'Empties the cache of the weather service.'),
  ],
});
const better = 'Weather of a city at this moment: sun, rain, wind and how warm it is outside.';
const tool = { server: 'weather', tool: 'get_current' };
const prompts = manyPrompts(12);
/** Requests that are answered before the model is made to wait: the sanity check, and then prompts. */
const answered = 11;

interface Stage extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly api: ModelApi;
  /** Lets the model answer. */
  readonly release: () => void;
}

/** A model finds the tool by its own description for direct prompts alone, and by the better one for all. */
async function openStage(): Promise<Stage> {
  const api = await ModelApi.open();
  // Each step of a job is told, not only those that a rest lies between.
  const clock = new ShiftedClock(Date.UTC(2026, 2, 12, 15, 20, 5));
  const usual = api.chooseCalls;
  api.chooseCalls = (request) => {
    clock.shift(200);
    const current = request.tools.find(({ name }) => name.includes('get_current'));
    if (current === undefined) return usual(request);
    const isMeant =
      / direct /.test(request.text) || (current.description === better && !/ negative /.test(request.text));
    return isMeant ? [{ name: current.name, arguments: {} }] : [];
  };
  const gate = Promise.withResolvers<void>();
  api.nextFaults.push(
    ...Array.from({ length: answered }, () => ({ kind: 'delay', until: Promise.resolve() }) as const),
  );
  api.fault = { kind: 'delay', until: gate.promise };
  const gateway = await openTestGateway({
    clock,
    servers: { weather: { ...weather, tools: ['get_current', 'get_historical'] } },
    config: {
      optimize: { enabled: true, judge: 'model', repeats: 1, promptsPerCategory: 12 },
      llm: { provider: 'anthropic', model: 'some-model', baseUrl: api.url, apiKeyEnv: 'MODEL_KEY' },
    },
    env: { ...process.env, MODEL_KEY: 'sk-test-0123456789abcdef' },
  });
  const { admin } = gateway.gateway;
  await admin.run('optimize.prompts', { ...tool, prompts });
  await admin.run('optimize.candidates', { ...tool, description: better });
  return {
    ...{ gateway, api },
    release: gate.resolve,
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await gateway.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

let stage: Stage | undefined;
const onStage = async () => {
  stage = await openStage();
  return stage.gateway.dataDir;
};

tellStory(
  '[TUI-21] [TUI-22] [TUI-26] a job is started, followed live and told of when it ends; its description is reverted',
  onStage,
  async ({ press, shows, sees }) => {
    await using own = stage;
    await shows('weather');
    await press('o');
    await shows('0/2 tools optimized');
    await press('o');
    await shows('36 prompts of 1 tool');
    await press('Down', 'Down', 'Down', 'Right');
    await shows('yes, if the best candidate passes');
    await press('End');
    await shows('36 prompts of 1 tool');
    await sees('start-job-weather');
    await press('Enter');
    await shows('[Evaluating]');
    await shows(`${answered - 1}/72 prompts`);
    await sees('job-running');
    own?.release();
    await shows('✓ Job done: weather:get_current: 1 promoted');
    await shows('Best: +');
    await sees('job-done');
    await press('d');
    await shows('Shown to agents');
    await sees('description-promoted');
    await press('r');
    await shows('Revert?');
    await press('y');
    await shows('not promoted');
    await shows('Optimizations: none');
  },
);

tellStory('[TUI-26] a job is cancelled', onStage, async ({ press, shows }) => {
  await using _own = stage;
  await shows('weather');
  await press('C-o');
  await shows('36 prompts of 1 tool');
  await press('Enter');
  await shows('[Evaluating]');
  await press('x');
  await shows('Cancel this job?');
  await press('y');
  await shows(/^cancelled/m);
  await shows('[Not done]');
});

/** As an author answers: five prompts, of each class others. */
function writtenPrompts(kind: string) {
  const prompts = [1, 2, 3, 4, 5].map((day) => ({
    ...{ prompt: `Something ${kind} about day ${day} of last January in Oslo`, tool: 'weather:get_current' },
  }));
  const content = [{ type: 'text', text: JSON.stringify({ prompts }) }];
  return { kind: 'answer', body: { content, stop_reason: 'end_turn' } } as const;
}

terminalTest(
  '[TUI-21] [TUI-22] prompts are written by a key, a tool is skipped, and a candidate promoted',
  async () => {
    await using own = await openStage();
    const ahead = own.api.nextFaults.splice(0);
    own.api.nextFaults.push(...['direct', 'indirect', 'neighbouring', 'other'].map(writtenPrompts), ...ahead);
    await using terminal = await openTui(own.gateway.dataDir);
    await terminal.shows('weather');
    await terminal.press('o');
    await terminal.shows('0/2 tools optimized');
    await terminal.press('o');
    await terminal.shows('36 prompts of 1 tool');
    await terminal.press('End', 'Up', 'w');
    await terminal.shows('✓ Prompts of get_historical are added.');
    await terminal.shows('51 prompts of 2 tools');
    await terminal.press('Space');
    await terminal.shows(/\[ \] get_historical +skipped, 15 prompts/);
    await terminal.shows('36 prompts of 1 tool');
    await terminal.press('Enter');
    await terminal.shows('[Evaluating]');
    own.release();
    await terminal.shows('✓ Job done: ');
    await terminal.press('d');
    await terminal.shows('Candidate 1, not promoted');
    await terminal.press('m');
    await terminal.shows('Show this candidate to agents? y = yes');
    await terminal.press('y');
    await terminal.shows('✓ Agents now read the new description.');
    await terminal.shows('Optimizations: weather (1/2 tools)');
  },
);
