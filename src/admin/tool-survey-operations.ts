/** Operations on tools for their owner: all of them with what keeps them from agents, why one is missing, and pages of large results. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { z } from 'zod';
import { type Principal, permissionOfServer } from '../access/access.ts';
import { firstSentence, givenText } from '../base/text.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { limits, type Permission } from '../config/config.ts';
import { readView } from '../results/results.ts';
import {
  type Absence,
  absenceOf,
  allNames,
  metricsOf,
  subjectsNamed,
  type ToldAbsence,
  tellAbsence,
  toolNamed,
} from '../tools/tools.ts';
import { type AdminContext, operation } from './operation.ts';
import { agentIn, principalAs } from './view-as.ts';

/** One tool of one server, whether agents see it or not. */
export interface SurveyedTool {
  readonly toolKey: string;
  readonly server: string;
  readonly name: string;
  /** The name by which the server knows it, and by which settings speak of it. */
  readonly serverName: string;
  /** Empty where nobody has approved it. */
  readonly description: string;
  /** Empty where agents do not see it. */
  readonly category: string;
  /** By the settings of its server. */
  readonly permission: Permission;
  /** Why agents do not see it or cannot call it; null: they can. */
  readonly absence: Absence | null;
  readonly isPromoted: boolean;
  readonly callCount: number;
  readonly successRate: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastCalledAt: string | null;
}

const viewer = { token: z.string().min(1).optional(), project: z.string().min(1).optional() };

/** Rows that are made before others come first. */
const rowsPerTurn = 200;
/** Tools of one name that are explained at once. */
const mostExplained = 20;

export const toolSurveyOperations = {
  'tools.survey': operation({
    summary: 'Every tool that servers have, with its permission, what keeps it from agents, and its use',
    audit: 'none',
    input: z.strictObject({ server: z.string().min(1).optional(), ...viewer }),
    async run({ context, input: { server: wanted, ...seen } }): Promise<SurveyedTool[]> {
      const principal = principalAs(context, seen, agentIn(context));
      const { servers } = context.catalog.snapshot;
      if (wanted !== undefined) context.registry.find(wanted);
      const meant = [...servers.values()].filter(({ spec }) => wanted === undefined || spec.name === wanted);
      const rows: SurveyedTool[] = [];
      for (const server of meant)
        for (const name of allNames(server)) {
          rows.push(survey(context, principal, server, name));
          // A large catalog must not block other requests.
          if (rows.length % rowsPerTurn === 0) await giveWay();
        }
      return rows;
    },
  }),
  'tools.why': operation({
    summary: 'Why agents do not see a tool or a server, or cannot call it',
    audit: 'none',
    input: z.strictObject({ name: z.string().trim().min(1).max(1_000), ...viewer }),
    async run({ context, input: { name, ...seen } }): Promise<{ readonly answers: readonly ToldAbsence[] }> {
      await context.catalog.settle(limits.listWaitMs);
      const principal = principalAs(context, seen, agentIn(context));
      const subjects = subjectsNamed(context.catalog.snapshot, name).slice(0, mostExplained);
      return { answers: subjects.map((subject) => tellAbsence(context, principal, subject)) };
    },
  }),
  'results.read': operation({
    summary: 'Read part of a stored result of your own call: a page, lines, text matches, or the values at a path',
    audit: 'execution',
    scope: 'use',
    input: z.strictObject({
      id: z.string().min(1),
      part: z.number().int().min(0).optional(),
      page: z.number().int().min(1).optional(),
      lines: z.string().optional(),
      find: z.string().optional(),
      path: z.string().optional(),
    }),
    run: ({ context, input: { id, ...view }, principal, signal }) =>
      context.results.read(id, principal.id, readView(view), signal),
  }),
};

function survey(context: AdminContext, principal: Principal, server: ServerEntry, name: string): SurveyedTool {
  const { spec } = server;
  const { entry, serverName } = toolNamed(server, name);
  const { definition } = entry ?? server.hiddenTools.get(name) ?? {};
  return {
    toolKey: `${spec.name}:${name}`,
    server: spec.name,
    name,
    serverName,
    description: firstSentence(givenText(definition?.description)),
    category: entry && spec.isEnabled ? context.search.categoryOf(entry) : '',
    permission: permissionOfServer(spec, serverName),
    absence: absenceOf(context, principal, { server: spec.name, tool: name }),
    isPromoted: entry?.promoted !== undefined,
    ...figuresOf(context, entry),
  };
}

type Figures = Pick<SurveyedTool, 'callCount' | 'successRate' | 'p50Ms' | 'p95Ms' | 'lastCalledAt'>;

function figuresOf(context: AdminContext, entry: Entry | undefined): Figures {
  const known = entry && metricsOf(context, entry);
  if (!known) return { callCount: 0, successRate: null, p50Ms: null, p95Ms: null, lastCalledAt: null };
  const { callCount, successRate, p50Ms, p95Ms, lastCalledAt } = known;
  const lastCall = lastCalledAt === null ? null : new Date(lastCalledAt).toISOString();
  return { callCount, successRate, p50Ms, p95Ms, lastCalledAt: lastCall };
}
