/** A tool whose description is being improved: candidates, prompts, their evaluation and two jobs. */

import type { Admin } from '../../src/admin/admin.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Store, StoredEvalRun, StoredJob } from '../../src/store/store.ts';

const server = 'toolbox';
const tool = 'days_between';
export const improvedTool = { server, tool };

/** A need in the words of a user, and whether the server's own text, the first and the second candidate lead to the right tool. */
type Need = readonly [category: 'direct' | 'indirect' | 'negative', prompt: string, ...isRight: boolean[]];

const needs: readonly Need[] = [
  ['direct', 'How many days are there between 3 March and 18 April?', true, true, true],
  ['direct', 'Count the days from today to the end of the year.', true, true, true],
  ['direct', 'Give me the number of days from 1 May to 20 June.', false, true, true],
  ['direct', 'Days between my two birthdays, 9 July and 2 October?', true, true, false],
  ['indirect', 'Our trial began on 1 May. Is it over by 20 May, if it lasts two weeks?', false, true, false],
  ['indirect', 'How long until my passport expires on 9 September?', false, true, true],
  ['indirect', 'Will the parcel of 3 June be late if it may take ten days?', false, true, false],
  ['indirect', 'I quit smoking on 2 January. For how long have I managed?', true, false, true],
  ['negative', 'What time is it in Tokyo when it is noon in Lisbon?', true, true, true],
  ['negative', 'Convert 45 miles to kilometres for me, please.', true, true, true],
  ['negative', 'How many hours does the flight from Oslo to Rome take?', false, true, false],
  ['negative', 'Put a meeting into my calendar, ten days from now.', true, true, true],
];

const descriptions = [
  'Counts the days between two dates. Use it for deadlines, trials and ages, not for hours or time zones.',
  'The number of days from one date to another.',
];

/** Gives the id of the better candidate. */
export async function proposeDescriptions(admin: Admin): Promise<string> {
  const prompts = needs.map(([category, prompt]) => {
    return { category, prompt, expectedBehavior: { shouldCallTool: category !== 'negative' } };
  });
  await admin.run('optimize.prompts', { ...improvedTool, prompts });
  for (const description of descriptions) await admin.run('optimize.candidates', { ...improvedTool, description });
  const { candidates } = await admin.run('optimize.candidates', improvedTool);
  const better = candidates.find(({ description }) => description === descriptions[0]);
  if (better === undefined) throw new Error('A candidate was not taken.');
  return better.id;
}

/** As a job that has ended would have left it, and one that stopped at its limit. */
export async function evaluateDescriptions(store: Store, clock: Clock): Promise<void> {
  const timestamp = new Date(clock.now()).toISOString();
  const candidates = await store.listCandidates(server, tool);
  const prompts = await store.listPrompts(server, tool);
  const tried = ['canonical', ...candidates.map(({ id }) => id)];
  const runs = tried.flatMap((candidateId, column) =>
    prompts.map(({ id: promptId, prompt, category }, row): StoredEvalRun => {
      const [, , ...answers] = needs.find(([, text]) => text === prompt) ?? needs[0] ?? ['direct', ''];
      const correct = answers[column] ?? false;
      const toolCalled = correct === (category !== 'negative');
      const chosen = toolCalled ? `${server}:${tool}` : `${server}:time_since`;
      const reasoning = correct ? 'The description names this need.' : 'Another description is nearer to this need.';
      const result = { toolCalled, correct, reasoning, durationMs: 420 + 13 * row, tool: chosen };
      const id = `run_${column}_${row}`;
      return {
        id,
        server,
        toolName: tool,
        candidateId,
        promptId,
        timestamp,
        judge: 'model',
        jobId: doneJob,
        repeat: 0,
        result,
      };
    }),
  );
  await store.addEvalRuns(runs);
  for (const [id, state, completedTools] of [
    [doneJob, 'done', 1],
    ['job_made_up_2', 'paused', 4],
  ] as const)
    await store.saveJob(jobOf(id, state, completedTools, timestamp));
}

const doneJob = 'job_made_up_1';
const amounts = { candidatesPerTool: 2, promptsPerCategory: 4, repeats: 1 };

function jobOf(id: string, state: StoredJob['state'], completedTools: number, at: string): StoredJob {
  const totalTools = state === 'done' ? completedTools : 12;
  return {
    id,
    server,
    state,
    createdAt: at,
    updatedAt: at,
    by: 'owner',
    order: { kind: 'optimize', tools: [improvedTool], judge: 'model', ...amounts, autoPromote: false },
    progress: { serverName: server, phase: state === 'done' ? 'complete' : 'evaluating', totalTools, completedTools },
    projects: { [server]: [] },
  };
}
