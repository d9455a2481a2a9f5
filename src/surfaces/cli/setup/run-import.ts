/** Runs `toolcrib import`: shows a plan, asks, and adds the servers that were chosen. */

import type { Admin } from '../../../admin/admin.ts';
import { type AgentId, type AgentMachine, agentIds, machineOf } from '../../../agent-files/agent-files.ts';
import { GatewayError } from '../../../base/errors.ts';
import { homeOf } from '../../../base/folders.ts';
import { nearest } from '../../../base/nearest.ts';
import { withOwnCommand } from '../../../base/own-program.ts';
import { plural } from '../../../base/plural.ts';
import { visibleLine } from '../../../base/visible.ts';
import type { CommandOutcome } from '../command.ts';
import { askPerson, canAsk } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { writeText } from '../print.ts';
import { readNames } from '../read-names.ts';
import { withAdmin } from '../with-admin.ts';
import { type ImportedServer, importServers } from './import-servers.ts';
import { type Importable, type ImportPlan, planImport } from './plan-import.ts';
import { renderPlan, variableInWords } from './render-import.ts';

/** `yes`: nobody is asked. Servers that are only in files of the project, and variables that decide what runs, need their own flag then. */
export interface Consent {
  readonly yes: boolean;
  readonly project: boolean;
  readonly 'allow-env': boolean;
}

interface ImportFlags extends Consent {
  readonly from: string | undefined;
  readonly 'dry-run': boolean;
}

export function runImport(flags: ImportFlags, context: CommandContext): Promise<CommandOutcome> {
  const ids = readAgents(flags.from);
  return withAdmin(context, async ({ admin }) => {
    const canImport = flags.yes || canAsk(context);
    if (!flags['dry-run'] && canImport) {
      const { plan, imported } = await importFound(admin, ids, flags, context);
      return outcomeOf(plan, imported, context, !flags.yes);
    }
    const plan = await planImport(admin, ids, machineHere(context));
    const isOver = flags['dry-run'] || plan.importable.length === 0;
    return { ...outcomeOf(plan, [], context, false), ...(!isOver && { trouble: needsYes(plan) }) };
  });
}

interface ImportResult {
  readonly plan: ImportPlan;
  readonly imported: readonly ImportedServer[];
}

/** Imports what a person chooses, or without a question everything that is trusted. */
export async function importFound(
  admin: Admin,
  ids: readonly AgentId[],
  consent: Consent,
  context: CommandContext,
): Promise<ImportResult> {
  const { yes, project } = consent;
  const plan = await planImport(admin, ids, machineHere(context));
  const chosen = yes ? plan.importable.filter(({ isOwn }) => isOwn || project) : await choose(plan, context);
  const sly = chosen.filter(({ variables }) => variables.length > 0);
  const allowed = new Set(await withAllowedVariables(sly, consent, context));
  const trusted = chosen.filter((server) => allowed.has(server) || !sly.includes(server));
  const added = trusted.length === 0 ? [] : await importServers(admin, trusted, context);
  // A person who was asked said no to the others.
  const refused = yes ? sly.filter((server) => !allowed.has(server)).map(refusedForVariables) : [];
  return { plan, imported: [...added, ...refused] };
}

/** Of servers with variables that decide what runs, those whose variables are allowed. */
async function withAllowedVariables(sly: readonly Importable[], consent: Consent, context: CommandContext) {
  if (consent['allow-env'] || sly.length === 0) return sly;
  if (consent.yes) return [];
  const lines = sly.map(({ name, variables }, at) => `${at + 1}  ${name}  ${variables.map(variableInWords).join(' ')}`);
  writeText(context.host.stdout, ['', 'These variables change what runs:', ...lines, ''].join('\n'));
  const allowed = await askNumbers(`Import ${plural(sly.length, 'server')} with them?`, sly.length, context);
  return sly.filter((_server, at) => allowed.has(at + 1));
}

function refusedForVariables({ name, variables }: Importable): ImportedServer {
  const listed = variables.map((variable) => `"${variable.name}"`).join(', ');
  const error = `it sets ${listed}, which can make other programs run than the one that is named. If you know why, use --allow-env.`;
  return { name, state: null, toolCount: 0, error };
}

export function machineHere({ host: { env, cwd, signal } }: CommandContext): AgentMachine {
  return { ...machineOf(process.platform, homeOf(env), env, cwd), signal };
}

/** Undefined: all of them. Throws USAGE for one that we do not know. */
export function readAgents(text: string | undefined): readonly AgentId[] {
  const names = readNames('from', text) ?? agentIds;
  return names.map((name) => {
    const known = agentIds.find((id) => id === name);
    if (known !== undefined) return known;
    const [best] = nearest(name, agentIds, 1);
    throw new GatewayError('USAGE', `There is no agent "${name}".`, {
      hint: best === undefined ? `Known are: ${agentIds.join(', ')}.` : `Did you mean "${best}"?`,
    });
  });
}

function needsYes({ importable }: ImportPlan): GatewayError {
  const message = `${plural(importable.length, 'server')} can be imported, but there is no terminal to ask on.`;
  const flags = [
    '--yes',
    ...(importable.every(({ isOwn }) => isOwn) ? [] : ['--project']),
    ...(importable.every(({ variables }) => variables.length === 0) ? [] : ['--allow-env']),
  ];
  return new GatewayError('USAGE', message, { hint: `Import all of them with ${flags.join(' ')}.` });
}

async function choose(plan: ImportPlan, context: CommandContext): Promise<readonly Importable[]> {
  const { importable } = plan;
  writeText(context.host.stdout, `${withOwnCommand(renderPlan(plan, context), context.command)}\n`);
  if (importable.length === 0) return [];
  const chosen = await askNumbers(`Import ${plural(importable.length, 'server')}?`, importable.length, context);
  return importable.filter((_server, at) => chosen.has(at + 1));
}

/** How often a question is asked until the answer makes sense. */
const mostQuestions = 3;

/** The numbers of a list from 1 to `count` that a person chooses. Throws CANCELLED if no answer makes sense. */
export async function askNumbers(
  question: string,
  count: number,
  context: CommandContext,
): Promise<ReadonlySet<number>> {
  const hint = `Answer "y", "n", or numbers from 1 to ${count}.`;
  for (let asked = 0; asked < mostQuestions; asked += 1) {
    if (asked > 0) writeText(context.host.stdout, hint);
    const chosen = readChoice(await askPerson(context, `${question} [y/N, or numbers such as 1,3-5] `), count);
    if (chosen !== null) return chosen;
  }
  throw new GatewayError('CANCELLED', 'No answer named anything in the list; nothing more was changed.', { hint });
}

/** The numbers that an answer names; null: it is none. An answer that is left out means none of them. */
export function readChoice(answer: string, count: number): ReadonlySet<number> | null {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  if (/^(?:y|yes|all)$/i.test(answer)) return new Set(all);
  if (/^(?:n|no|none|)$/i.test(answer)) return new Set();
  const chosen = new Set<number>();
  for (const part of answer.split(/[\s,]+/)) {
    const [, first, last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    const range = all.filter((number) => number >= Number(first) && number <= Number(last));
    if (range.length === 0 || range.length !== Number(last) - Number(first) + 1) return null;
    for (const number of range) chosen.add(number);
  }
  return chosen;
}

/** `isShown`: the plan is on the screen already. */
function outcomeOf(
  plan: ImportPlan,
  imported: readonly ImportedServer[],
  context: CommandContext,
  isShown: boolean,
): CommandOutcome {
  const byName = new Map(imported.map((server) => [server.name, server]));
  const servers = plan.rows.map((row) => ({ ...row, imported: byName.get(row.name) ?? null }));
  const parts = [isShown ? '' : renderPlan(plan, context), summaryOf(plan, imported, context)];
  return {
    data: { servers, skippedFiles: plan.troubles },
    text: parts.filter((part) => part !== '').join('\n\n'),
    trouble: troubleOf(imported),
  };
}

/** Of the first that could not be added. */
export function troubleOf(imported: readonly ImportedServer[]): GatewayError | undefined {
  const failed = imported.find(({ state }) => state === null);
  return failed && new GatewayError('USAGE', `${failed.name} was not imported: ${failed.error}`);
}

export function summaryOf(plan: ImportPlan, imported: readonly ImportedServer[], { style }: CommandContext): string {
  if (plan.rows.length === 0) return 'No servers were found in the config files of other agents.';
  const added = imported.filter(({ state }) => state !== null);
  if (added.length === 0)
    return plan.importable.length === 0 ? 'There is nothing new to import.' : 'Nothing was changed.';
  const tools = added.reduce((sum, { toolCount }) => sum + toolCount, 0);
  const broken = added.flatMap(({ name, error }) => (error === null ? [] : [`  ${name}: ${visibleLine(error)}`]));
  return [
    `${style.tick}${plural(added.length, 'server')} imported, with ${plural(tools, 'tool')}.`,
    ...(broken.length === 0 ? [] : ['Not working yet:', ...broken]),
  ].join('\n');
}
