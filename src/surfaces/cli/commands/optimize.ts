/** The commands about descriptions of tools: candidates, golden prompts, promotions, and their exchange as files. */

import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Admin, InputOf, OutputOf } from '../../../admin/admin.ts';
import { GatewayError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { visibleLine } from '../../../base/visible.ts';
import { type Job, percentDone, renderJob, sayEstimate } from '../../wording/wording.ts';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { type ProgressState, type ReportProgress, showProgress, tellProgress } from '../progress.ts';
import { readJsonFile } from '../read-file.ts';
import { renderCandidates, renderJobs, renderReport } from '../render-optimizer.ts';
import { table } from '../table.ts';
import { serverOf } from '../tool-key.ts';
import { withAdmin } from '../with-admin.ts';

const guide = 'How to write and read them: docs/guides/optimizer.md.';
const toolArgument = { summary: 'The tool, as SERVER:TOOL', names: 'tools' } as const;
const someArgument = { summary: 'A server, or one tool as SERVER:TOOL', names: 'targets' } as const;

const judges = ['search', 'model', 'agent'] as const;
const reportForms = ['markdown', 'html'] as const;
/** Tools of a report that fit a screen. */
const reportedTools = 20;

export const optimizeReport = defineCommand({
  name: 'optimize report',
  summary: 'Show which descriptions mislead, and how to improve them',
  description: `Costs nothing and asks no model. ${guide}`,
  args: { server: { summary: 'One server; left out, all of them', names: 'servers', isOptional: true } },
  flags: {
    server: { value: 'NAME', names: 'servers', summary: 'Only this server' },
    all: { summary: `Every tool, not only the first ${reportedTools}` },
    format: { value: 'FORM', choices: ['text', ...reportForms], summary: 'Output format', default: 'text' },
    output: { value: 'FILE', summary: 'Write it to a file' },
  },
  examples: [
    { line: 'optimize report', meaning: `The ${reportedTools} tools with the most to gain.` },
    { line: 'optimize report weather --format html --output report.html', meaning: 'One page with charts.' },
  ],
  async run({ args, flags, context }) {
    const format = reportForms.find((form) => form === flags.format);
    const input = { server: flags.server ?? args.server, format };
    const { report, text: written } = await withAdmin(context, ({ admin }) => admin.run('optimize.report', input));
    const most = flags.all || flags.output !== undefined ? Number.POSITIVE_INFINITY : reportedTools;
    const text = written ?? renderReport(report, most, context);
    if (flags.output === undefined) return { data: report, text };
    const file = resolve(context.host.cwd, flags.output);
    await writeFile(file, text);
    return { data: report, text: `Written to ${file}.` };
  },
});

export const optimizeCandidates = defineCommand({
  name: 'optimize candidates',
  summary: 'List, propose or remove candidate descriptions',
  description: `A candidate has at most 280 characters and changes nothing until it is promoted. ${guide}`,
  usage: 'SERVER[:TOOL]',
  args: { name: someArgument },
  flags: {
    add: { value: 'TEXT', summary: 'Propose this description for the tool' },
    generate: {
      value: 'N',
      number: { least: 1, most: 10 },
      summary: 'Generate N candidates, by a model if one is available',
    },
    example: { value: 'TEXT', summary: 'With --add: an example call, shown in details only' },
    remove: { value: 'ID', summary: 'Remove this candidate' },
  },
  examples: [
    { line: 'optimize candidates weather', meaning: 'Every candidate of one server.' },
    {
      line: 'optimize candidates weather:forecast --add "Forecast for a city, up to 7 days. Not for past weather."',
      meaning: 'Proposes a description.',
    },
  ],
  async run({ args, flags, context }) {
    const { server, tool } = readName(args.name);
    if (flags.add !== undefined && tool === undefined) throw needsTool('--add');
    if (flags.generate !== undefined && tool === undefined) throw needsTool('--generate');
    const { example, remove, generate } = flags;
    const input = { server, tool, description: flags.add, example, remove, generate };
    const data = await withAdmin(context, ({ admin }) =>
      showProgress(context.notes, 'Looking at candidates', () => admin.run('optimize.candidates', input)),
    );
    const remarks = notesOn([...(data.proposed?.warnings ?? []), ...sayGenerated(data.generated)]);
    if (data.candidates.length === 0)
      return {
        data,
        text: `No candidates. Propose one: toolcrib optimize candidates ${server}:${tool ?? 'TOOL'} --add TEXT`,
        remarks,
      };
    return { data, text: renderCandidates(data.candidates, context), remarks };
  },
});

export const optimizePrompts = defineCommand({
  name: 'optimize prompts',
  summary: 'List or save the prompts that descriptions are measured by',
  description: `The file is a JSON list of { "category": "direct" | "indirect" | "negative", "prompt", "expectedBehavior"? } and replaces the prompts of the tool. Half of the prompts choose a candidate; the other half decides about its promotion. ${guide}`,
  usage: 'SERVER[:TOOL]',
  args: { name: someArgument },
  flags: {
    file: { value: 'FILE', summary: 'Save the prompts in this file for the tool; - reads stdin' },
    generate: {
      value: 'N',
      number: { least: 1, most: 100 },
      summary: 'Add N prompts of each category, from real traffic or by a model',
    },
  },
  examples: [
    { line: 'optimize prompts weather', meaning: 'Every golden prompt of one server.' },
    { line: 'optimize prompts weather:forecast --file prompts.json', meaning: 'Replaces the prompts of a tool.' },
  ],
  async run({ args, flags, context }) {
    const { server, tool } = readName(args.name);
    if (flags.file !== undefined && tool === undefined) throw needsTool('--file');
    if (flags.generate !== undefined && tool === undefined) throw needsTool('--generate');
    const { generate } = flags;
    // The operation checks it.
    const prompts = flags.file === undefined ? undefined : ((await readJsonFile(flags.file, context)) as never);
    const input = { server, tool, prompts, generate };
    const data = await withAdmin(context, ({ admin }) =>
      showProgress(context.notes, 'Looking at prompts', () => admin.run('optimize.prompts', input)),
    );
    const { style, width } = context;
    const rows = table(
      data.prompts,
      [
        { title: 'TOOL', cell: ({ toolName }) => toolName },
        { title: 'CATEGORY', cell: ({ category }) => category },
        { title: 'HALF', cell: ({ part }) => part },
        { title: 'BY', cell: ({ author }) => author },
        { title: 'RIGHT TOOL', cell: ({ expectedBehavior }) => expectedBehavior.tool ?? '' },
        { title: 'PROMPT', cell: ({ prompt }) => prompt, isProse: true },
      ],
      { style, width },
    );
    if (data.prompts.length === 0) return { data, text: 'No golden prompts. Save some with --file.' };
    return { data, text: rows, remarks: notesOn([...data.warnings, ...sayGenerated(data.generated)]) };
  },
});

export const optimizeRun = defineCommand({
  name: 'optimize run',
  summary: 'Evaluate candidates of tools that have golden prompts',
  description: 'Waits for the job to end. Ctrl-C leaves it to a running gateway; "toolcrib optimize cancel" ends it.',
  usage: '[SERVER[:TOOL]]',
  args: { name: { ...someArgument, isOptional: true } },
  flags: {
    promote: { summary: 'Promote the best candidate of each tool, if it passes the gates' },
    candidates: {
      value: 'N',
      number: { least: 1, most: 10 },
      summary: 'Candidates to generate for a tool that has none',
    },
    prompts: { value: 'N', number: { least: 1, most: 1_000 }, summary: 'Use at most N prompts of each category' },
    threshold: { value: 'PERCENT', number: { least: 0, most: 100 }, summary: 'Overall success that a promotion needs' },
    judge: { value: 'JUDGE', choices: judges, summary: 'The judge; overrides optimize.judge' },
    repeats: { value: 'N', number: { least: 1, most: 20 }, summary: 'How often each prompt is judged' },
    'dry-run': { summary: 'Only estimate time and cost' },
  },
  examples: [
    { line: 'optimize run weather --dry-run', meaning: 'Estimates time and cost.' },
    { line: 'optimize run weather:forecast --promote', meaning: 'Evaluates one tool, and promotes what passes.' },
  ],
  async run({ args, flags, context }) {
    const { server, tool } = args.name === undefined ? { server: undefined, tool: undefined } : readName(args.name);
    const tools = tool === undefined ? undefined : [tool];
    const input = {
      ...{ server, tools, repeats: flags.repeats, autoPromote: flags.promote, dryRun: flags['dry-run'] },
      candidatesPerTool: flags.candidates,
      promptsPerCategory: flags.prompts,
      judge: flags.judge as (typeof judges)[number] | undefined,
      threshold: flags.threshold === undefined ? undefined : flags.threshold / 100,
    };
    return withAdmin(context, async ({ admin }) => {
      if (input.dryRun) {
        const data = await admin.run('optimize.run', input);
        assert.ok(!('jobId' in data), 'a dry run begins no job');
        return { data, text: sayEstimate(data.estimate) };
      }
      const data = await tellProgress(context.notes, 'Evaluating candidates', (report) =>
        runJob(admin, input, context.host.signal, report),
      );
      const isVoid = data.outcome?.tools?.every((one) => one.void !== undefined);
      const exitCode = data.state === 'done' && !isVoid ? undefined : exitCodes.failed;
      return { data, text: renderJob(data), exitCode };
    });
  },
});

/** Follows the events of the gateway from before the job begins until it has ended, and shows how far it is. */
async function runJob(
  admin: Admin,
  input: InputOf<'optimize.run'>,
  signal: AbortSignal,
  report: ReportProgress,
): Promise<Job> {
  let id: string | undefined;
  for await (const event of admin.events(signal)) {
    if (id === undefined) {
      const begun = await admin.run('optimize.run', input);
      assert.ok('jobId' in begun, 'only a dry run has no job');
      id = begun.jobId;
    }
    const ours = event.kind === 'job' && event.data.jobId === id ? event.data : undefined;
    if (ours) report(stateOf(ours as unknown as ShownJob)); // as the operation gives it
    if (event.kind !== 'begin' && (ours === undefined || isActive(ours.state))) continue;
    const [job] = (await admin.run('optimize.jobs', { id })).jobs;
    if (job && !isActive(job.state)) return job;
  }
  throw new GatewayError('UNREACHABLE', "The gateway stopped reporting the job's progress.", {
    hint: 'See its state: toolcrib optimize jobs',
  });
}

const isActive = (state: unknown) => state === 'queued' || state === 'running';

type ShownJob = Extract<OutputOf<'optimize.run'>, { jobId: string }>;

function stateOf({ progress, message }: ShownJob): ProgressState {
  const { currentTool, phase } = progress;
  return { done: percentDone(progress) / 100, step: `${currentTool} ${phase}`, text: visibleLine(message) };
}

export const optimizeJobs = defineCommand({
  name: 'optimize jobs',
  summary: 'List optimizer jobs, or show what one decided',
  args: { id: { summary: 'Only this job, with its outcome', isOptional: true } },
  examples: [
    { line: 'optimize jobs', meaning: 'Every job, the oldest first.' },
    { line: 'optimize jobs job_k7m2qp', meaning: 'What it decided for each tool, with the figures.' },
  ],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('optimize.jobs', { id: args.id }));
    if (data.jobs.length === 0) return { data, text: 'There are no jobs. Start one: toolcrib optimize run SERVER' };
    const [job] = data.jobs;
    return { data, text: args.id !== undefined && job ? renderJob(job) : renderJobs(data.jobs, context) };
  },
});

export const optimizeCancel = defineCommand({
  name: 'optimize cancel',
  isOrder: true,
  summary: 'Cancel a job of the optimizer',
  description: 'Finished runs are kept and not repeated.',
  args: { id: { summary: 'The job, as "toolcrib optimize jobs" shows it' } },
  examples: [{ line: 'optimize cancel job_k7m2qp', meaning: 'The job ends after its current prompt.' }],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('optimize.cancel', { id: args.id }));
    return { data, text: `Job ${visibleLine(args.id)} is ${data.state}.` };
  },
});

export const optimizePromote = defineCommand({
  name: 'optimize promote',
  isOrder: true,
  summary: 'Show a candidate to agents, if its figures pass the gates',
  description: `Schemas never change. The promotion is suspended while the server offers another name, description or input schema. ${guide}`,
  args: { name: toolArgument, candidate: { summary: 'The id of the candidate' } },
  flags: {
    force: { summary: 'Skip the gates; needs the scope admin, recorded with who and why' },
    why: { value: 'TEXT', summary: 'With --force: the reason' },
  },
  examples: [{ line: 'optimize promote weather:forecast cand_0a1b2c', meaning: 'Agents read the new text at once.' }],
  async run({ args, flags, context }) {
    const { server, tool } = readTool(args.name);
    const input = { server, tool, candidateId: args.candidate, force: flags.force, why: flags.why };
    const data = await withAdmin(context, ({ admin }) => admin.run('optimize.promote', input));
    const remarks = notesOn(data.warnings);
    const key = context.style.strong(visibleLine(args.name));
    const forced = 'forced' in data ? `, ${visibleLine(`forced by ${data.by}: ${data.why}`)}` : '.';
    if (data.promoted) return { data, text: `${key} has a new description${forced}`, remarks };
    const reasons = 'reasons' in data ? (data.reasons ?? []) : [];
    const said = [`${key} keeps its description:`, ...reasons.map((reason) => `  ${reason}`)].join('\n');
    return { data, text: said, remarks, exitCode: exitCodes.failed };
  },
});

export const optimizeRevert = defineCommand({
  name: 'optimize revert',
  isOrder: true,
  summary: "Show agents the server's own description again",
  args: { name: toolArgument },
  flags: { why: { value: 'TEXT', summary: 'The reason, for the audit' } },
  examples: [{ line: 'optimize revert weather:forecast', meaning: "Agents read the server's own text at once." }],
  async run({ args, flags, context }) {
    const input = { ...readTool(args.name), why: flags.why };
    const data = await withAdmin(context, ({ admin }) => admin.run('optimize.revert', input));
    return { data, text: `${context.style.strong(visibleLine(args.name))} has its own description again.` };
  },
});

export const optimizeExport = defineCommand({
  name: 'optimize export',
  isOrder: true,
  summary: 'Write candidates, prompts, runs and promotions to a folder',
  description:
    'One folder a server: canonical-tools.json, candidates/TOOL.json, prompts/TOOL.json, eval-runs/CANDIDATE.json and promotions.json. Prompts that were mined from real traffic are left out unless you add --mined.',
  args: { folder: { summary: 'The folder to write to' } },
  flags: {
    server: { value: 'NAME', names: 'servers', summary: 'Only this server' },
    mined: { summary: 'Also prompts that were mined from real traffic' },
  },
  examples: [{ line: 'optimize export ./optimizer', meaning: 'The records of every server.' }],
  async run({ args, flags, context }) {
    const written = await withAdmin(context, async ({ admin }) => {
      const names = flags.server === undefined ? await serverNames(admin) : [flags.server];
      const exports = [];
      for (const server of names) exports.push(await admin.run('optimize.export', { server, mined: flags.mined }));
      return exports;
    });
    const folder = resolve(context.host.cwd, args.folder);
    const files = written.flatMap(({ server, files }) =>
      files.map((file) => ({ ...file, path: `${server}/${file.path}` })),
    );
    for (const { path, content } of files) {
      const file = join(folder, ...path.split('/'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
    }
    const data = { folder, servers: written.map(({ server }) => server), files: files.map(({ path }) => path) };
    return { data, text: `${plural(files.length, 'file')} written to ${folder}.` };
  },
});

async function serverNames(admin: Admin): Promise<string[]> {
  return (await admin.run('servers.list', {})).map(({ name }) => name);
}

export const optimizeImport = defineCommand({
  name: 'optimize import',
  summary: 'Read an exported folder back',
  description:
    'Takes an exported folder, or the folder of one server in it. Checks each record and names those it refuses. Loses nothing without --replace, and changes no description without --promotions.',
  args: { folder: { summary: 'The folder to read' } },
  flags: {
    server: { value: 'NAME', names: 'servers', summary: 'Read the folder of one server into the server of this name' },
    replace: { summary: 'Replace existing prompts and promotions by those in the folder' },
    promotions: { summary: 'Restore promotions that pass the gates here, or were forced' },
  },
  examples: [{ line: 'optimize import ./optimizer', meaning: 'The records of every server in the folder.' }],
  async run({ args, flags, context }) {
    const folder = resolve(context.host.cwd, args.folder);
    const files = await filesToImport(folder, flags.server);
    const { replace, promotions: restores } = flags;
    const data = {
      candidates: 0,
      prompts: 0,
      runs: 0,
      promotions: 0,
      refused: [] as Left[],
      restored: [] as Left[],
      waiting: [] as Left[],
    };
    await withAdmin(context, async ({ admin }) => {
      for (const { server, path, file } of files)
        for (const content of inParts(await readJsonFile(file, context), path)) {
          const read = await admin.run('optimize.import', { server, path, content, replace, promotions: restores });
          for (const kind of ['candidates', 'prompts', 'runs', 'promotions'] as const) data[kind] += read[kind];
          for (const list of ['refused', 'restored', 'waiting'] as const)
            data[list].push(...read[list].map((one) => ({ path: `${server}/${path}`, ...one })));
        }
    });
    const { candidates, prompts, runs, promotions, refused, restored, waiting } = data;
    const counts = [plural(candidates, 'candidate'), plural(prompts, 'prompt'), plural(runs, 'run')];
    const lines = [
      `Imported ${counts.join(', ')} and ${plural(promotions, 'promotion')}.`,
      ...linesOn(`Refused ${plural(refused.length, 'record')} (to replace, add --replace):`, refused),
      ...linesOn('Restored:', restored),
      ...linesOn(`Left out ${plural(waiting.length, 'promotion')} (add --promotions to restore them):`, waiting),
    ];
    return { data, text: lines.join('\n'), exitCode: refused.length === 0 ? undefined : exitCodes.failed };
  },
});

type Left = OutputOf<'optimize.import'>['refused'][number] & { readonly path: string };

function linesOn(title: string, left: readonly Left[]): string[] {
  if (left.length === 0) return [];
  return [title, ...left.map(({ path, what, why }) => `  ${visibleLine(`${path}, ${what}: ${why}`)}`)];
}

/** Runs refer to prompts and candidates, which come first. */
const order = ['candidates', 'prompts', 'eval-runs', 'promotions.json'];
const runsAtOnce = 1_000;

interface FileToImport {
  readonly server: string;
  /** In the folder of the server. */
  readonly path: string;
  readonly file: string;
}

async function filesToImport(folder: string, server: string | undefined): Promise<FileToImport[]> {
  const names = await namesIn(folder);
  if (names.some((name) => order.includes(name))) return filesOfServer(folder, server ?? basename(folder));
  if (server !== undefined) return filesOfServer(join(folder, server), server);
  const each = await Promise.all(names.map((name) => filesOfServer(join(folder, name), name)));
  const files = each.flat();
  if (files.length > 0) return files;
  throw new GatewayError('USAGE', `There is nothing to import in "${folder}".`, {
    hint: 'It must be a folder that "toolcrib optimize export" wrote, or the folder of one server in it.',
  });
}

async function filesOfServer(folder: string, server: string): Promise<FileToImport[]> {
  const found: FileToImport[] = [];
  for (const part of order) {
    const file = join(folder, part);
    const info = await stat(file).catch(() => undefined);
    if (info?.isFile()) found.push({ server, path: part, file });
    if (!info?.isDirectory()) continue;
    for (const name of (await namesIn(file)).filter((one) => one.endsWith('.json')))
      found.push({ server, path: `${part}/${name}`, file: join(file, name) });
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new GatewayError(
      'USAGE',
      `The folder "${folder}" cannot be read: ${systemCodeOf(error) ?? messageOf(error)}.`,
    );
  });
  return names.sort();
}

/** Long lists of runs in several requests, each within the limit on their size. */
function inParts(content: unknown, path: string): (unknown[] | Record<string, unknown>)[] {
  // The operation checks it.
  if (!Array.isArray(content) || !path.startsWith('eval-runs/')) return [content as never];
  const parts = Math.max(1, Math.ceil(content.length / runsAtOnce));
  return Array.from({ length: parts }, (_, at) => content.slice(at * runsAtOnce, (at + 1) * runsAtOnce));
}

function readName(name: string): { readonly server: string; readonly tool: string | undefined } {
  const server = serverOf(name);
  return server === undefined ? { server: name, tool: undefined } : { server, tool: name.slice(server.length + 1) };
}

function readTool(name: string): { readonly server: string; readonly tool: string } {
  const { server, tool } = readName(name);
  if (tool === undefined) throw new GatewayError('USAGE', `"${name}" is not a tool: write SERVER:TOOL.`);
  return { server, tool };
}

type Generated = OutputOf<'optimize.candidates'>['generated'] | OutputOf<'optimize.prompts'>['generated'];

function sayGenerated(generated: Generated): string[] {
  if (generated === null) return [];
  const made =
    'count' in generated
      ? `${plural(generated.count, 'prompt')} added.`
      : `${plural(generated.candidateIds.length, 'candidate')} written by ${generated.author}.`;
  const dropped = generated.dropped > 0 ? [`${generated.dropped} dropped: ${generated.reasons.join(' ')}`] : [];
  const note = 'note' in generated ? [generated.note] : [];
  return [made, ...dropped, ...generated.notes, ...note];
}

function notesOn(warnings: readonly string[] = []): string | undefined {
  return warnings.map((warning) => `note: ${visibleLine(warning)}`).join('\n') || undefined;
}

function needsTool(flag: string): GatewayError {
  return new GatewayError('USAGE', `${flag} is for one tool: write SERVER:TOOL.`);
}
