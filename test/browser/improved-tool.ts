/** Tools whose descriptions are being improved: candidates, prompts, their evaluation and two jobs. */

import type { Admin } from '../../src/admin/admin.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Store, StoredEvalRun, StoredJob } from '../../src/store/store.ts';

const server = 'toolbox';
const tool = 'days_between';
export const improvedTool = { server, tool };

/**
 * A need in the words of a user; the tool that is right instead (negative) or is taken for it (others); and whether the server's own
 * text and each candidate lead to the right tool.
 */
type Need = readonly [
  category: 'direct' | 'indirect' | 'negative',
  prompt: string,
  other: string | null,
  ...isRight: boolean[],
];

const needs: Readonly<Record<string, readonly Need[]>> = {
  days_between: [
    ['direct', 'How many days are there between 3 March and 18 April?', 'time_since', true, true, true],
    ['direct', 'Count the days from today to the end of the year.', 'time_since', true, true, true],
    ['direct', 'Give me the number of days from 1 May to 20 June.', 'calculate', false, true, true],
    ['direct', 'Days between my two birthdays, 9 July and 2 October?', 'time_since', true, true, false],
    ['indirect', 'Our trial began on 1 May. Is it over by 20 May, if it lasts two weeks?', null, false, true, false],
    ['indirect', 'How long until my passport expires on 9 September?', 'time_since', false, true, true],
    ['indirect', 'Will the parcel of 3 June be late if it may take ten days?', 'time_since', false, true, false],
    ['indirect', 'I quit smoking on 2 January. For how long have I managed?', 'time_since', true, false, true],
    ['negative', 'What time is it in Tokyo when it is noon in Lisbon?', 'convert_time', true, true, true],
    ['negative', 'Convert 45 miles to kilometres for me, please.', 'convert_units', true, true, true],
    ['negative', 'How many hours does the flight from Oslo to Rome take?', null, false, true, false],
    ['negative', 'Put a meeting into my calendar, ten days from now.', null, true, true, true],
  ],
  time_since: [
    ['direct', 'How long ago was the moon landing?', 'days_between', true],
    ['direct', 'Tell me in words how long it is until New Year.', 'days_between', false],
    ['direct', 'How much time has passed since 14:05 on Monday?', 'get_current_time', true],
    ['indirect', 'Is this backup from Tuesday still fresh?', null, false],
    ['indirect', 'When did I last water the plants, if it was on the 2nd?', 'days_between', false],
    ['indirect', 'Does the milk of last Friday still count as new?', 'days_between', true],
    ['negative', 'How many working days has the project left?', 'days_between', true],
    ['negative', 'What time is it now in Lima?', 'get_current_time', true],
    ['negative', 'Add seven and a half hours to my time sheet.', null, false],
  ],
};

const descriptions = [
  'Counts the days between two dates. Use it for deadlines, trials and ages, not for hours or time zones.',
  'The number of days from one date to another.',
];

const keyOf = (name: string) => `${server}:${name}`;

/** Gives the id of the better candidate. */
export async function proposeDescriptions(admin: Admin): Promise<string> {
  for (const [name, some] of Object.entries(needs)) {
    const prompts = some.map(([category, prompt, other]) => {
      const shouldCallTool = category !== 'negative';
      const right = !shouldCallTool && other !== null ? { tool: keyOf(other) } : {};
      return { category, prompt, expectedBehavior: { shouldCallTool, ...right } };
    });
    await admin.run('optimize.prompts', { server, tool: name, prompts });
  }
  for (const description of descriptions) await admin.run('optimize.candidates', { ...improvedTool, description });
  const { candidates } = await admin.run('optimize.candidates', improvedTool);
  const better = candidates.find(({ description }) => description === descriptions[0]);
  if (better === undefined) throw new Error('A candidate was not taken.');
  return better.id;
}

/** As a job that has ended would have left it, and one that stopped at its limit. */
export async function evaluateDescriptions(store: Store, clock: Clock): Promise<void> {
  const timestamp = new Date(clock.now()).toISOString();
  for (const [name, some] of Object.entries(needs)) {
    const candidates = name === tool ? await store.listCandidates(server, name) : [];
    const prompts = await store.listPrompts(server, name);
    const tried = ['canonical', ...candidates.map(({ id }) => id)];
    const runs = tried.flatMap((candidateId, column) =>
      prompts.flatMap(({ id: promptId, prompt }, row): StoredEvalRun[] => {
        const need = some.find(([, text]) => text === prompt);
        if (need === undefined) return [];
        const result = { ...resultOf(name, need, column), durationMs: 420 + 13 * row };
        const run = { id: `run_${name}_${column}_${row}`, server, toolName: name, candidateId, promptId, timestamp };
        return [{ ...run, judge: 'model', jobId: doneJob, repeat: 0, result }];
      }),
    );
    await store.addEvalRuns(runs);
  }
  for (const job of [doneOf(timestamp), pausedOf(timestamp)]) await store.saveJob(job);
}

function resultOf(name: string, [category, , other, ...isRight]: Need, column: number) {
  const correct = isRight[column] ?? false;
  const toolCalled = correct === (category !== 'negative');
  const chosen = toolCalled ? name : other;
  const reasoning = correct ? 'The description names this need.' : 'Another description is nearer to this need.';
  return { toolCalled, correct, reasoning, ...(chosen !== null && { tool: keyOf(chosen) }) };
}

const doneJob = 'job_made_up_1';
const amounts = { candidatesPerTool: 2, promptsPerCategory: 4, repeats: 1 };

function doneOf(at: string): StoredJob {
  const tools = Object.keys(needs).map((name) => ({ tool: keyOf(name), kept: 'No candidate does better.' }));
  return {
    ...jobOf(doneJob, at),
    state: 'done',
    progress: { ...progress, phase: 'complete', totalTools: 2, completedTools: 2, currentProgress: 100 },
    outcome: { calls: 45, tools },
  };
}

function pausedOf(at: string): StoredJob {
  return {
    ...jobOf('job_made_up_2', at),
    state: 'paused',
    progress: { ...progress, phase: 'evaluating', totalTools: 12, completedTools: 4, currentProgress: 40 },
    outcome: { error: 'The job would exceed "optimize.maxModelCalls" (2000). Raise it.' },
  };
}

const progress = {
  serverName: server,
  currentTool: 'time_since',
  candidate: 1,
  candidates: 2,
  byCategory: { direct: { right: 2, all: 3 }, negative: { right: 1, all: 1 } },
};

function jobOf(id: string, at: string): Omit<StoredJob, 'state' | 'progress'> {
  return {
    ...{ id, server, createdAt: at, updatedAt: at, by: 'owner' },
    order: { kind: 'optimize', tools: [improvedTool], judge: 'model', ...amounts, autoPromote: false },
    projects: { [server]: [] },
  };
}
