/** Operations on descriptions of tools: candidates, golden prompts, promotions, and their exchange as files. */

import { z } from 'zod';
import type { Principal } from '../access/access.ts';
import {
  checkReach,
  findJob,
  givenPrompt,
  knowsJobsOn,
  optimizeInput,
  ownedJob,
  reportForms,
  serversInReach,
  writeReport,
} from '../optimizer/optimizer.ts';
import { type AdminContext, type Operation, opaqueObject, operation } from './operation.ts';

const server = z.string().min(1);
const tool = z.string().min(1);
const text = z.string().max(10_000).optional();

/** For the scope `optimize`, and there only while the optimizer is on. */
function optimizing<S extends z.ZodType, O>(value: Operation<S, O>): Operation<S, O> {
  return operation({ scope: 'optimize', isThere: ({ optimizer }) => optimizer.isOn, ...value });
}

export const optimizeOperations = {
  'optimize.report': optimizing({
    summary: 'Every description with its state, figures and diagnosis, the one with the most to gain first',
    audit: 'discovery',
    input: z.strictObject({ server: server.optional(), format: z.enum(reportForms).optional() }),
    async run({ context, principal, input, signal }) {
      if (input.server !== undefined) reach(context, principal, input.server);
      const servers = input.server === undefined ? reachOf(context, principal) : [input.server];
      const report = await context.optimizer.getOptimizationReport(servers, signal);
      return { report, text: input.format === undefined ? null : writeReport(report, input.format) };
    },
  }),
  'optimize.candidates': optimizing({
    summary:
      'Candidates of a server or tool; with a description, propose one; with generate, have so many written; with remove, delete one',
    input: z.strictObject({
      ...{ server, tool: tool.optional(), description: text, example: text, remove: text },
      generate: z.int().min(1).max(10).optional(),
    }),
    async run({ context, principal, input, signal }) {
      const { server, tool, description, example, remove, generate: count } = input;
      reach(context, principal, server);
      const { optimizer } = context;
      if (remove !== undefined) await optimizer.removeCandidate({ server, candidateId: remove });
      const proposed =
        description === undefined || tool === undefined
          ? null
          : await optimizer.proposeCandidate({ server, tool, description, example });
      const by = { reach: reachOf(context, principal), signal };
      const generated =
        count === undefined || tool === undefined
          ? null
          : await optimizer.generateCandidates({ server, tool, count }, by);
      return { candidates: await optimizer.listCandidates({ server, tool }), proposed, generated };
    },
  }),
  'optimize.prompts': optimizing({
    summary:
      'Golden prompts of a server or tool; with prompts, these are those of the tool from now on; with generate, so many of each category are added',
    input: z.strictObject({
      ...{ server, tool: tool.optional(), prompts: z.array(givenPrompt).optional() },
      /** The prompts as the sender saw them; where they are others now, nothing is saved. */
      seen: z.array(givenPrompt).optional(),
      generate: z.int().min(1).max(100).optional(),
    }),
    async run({ context, principal, input: { server, tool, prompts, seen, generate }, signal }) {
      reach(context, principal, server);
      const { optimizer } = context;
      const saved =
        prompts === undefined || tool === undefined
          ? null
          : await optimizer.saveGoldenPrompts({ server, tool, prompts, seen });
      const by = { reach: reachOf(context, principal), signal };
      const counts = { directCount: generate, indirectCount: generate, negativeCount: generate };
      const generated =
        generate === undefined || tool === undefined
          ? null
          : await optimizer.generateGoldenPrompts({ server, tool, ...counts }, by);
      const warnings = generated?.warnings ?? saved?.warnings ?? [];
      return { prompts: await optimizer.listPrompts({ server, tool }), warnings, generated };
    },
  }),
  'optimize.results': optimizing({
    summary: 'Everything that was measured of one tool: candidates with their figures, each prompt with its answers',
    audit: 'none',
    input: z.strictObject({ server, tool }),
    run({ context, principal, input }) {
      reach(context, principal, input.server);
      return context.optimizer.getToolResults(input);
    },
  }),
  'optimize.confusions': optimizing({
    summary:
      'Which tools of a server were mistaken for which, with its own descriptions and with those that agents read',
    audit: 'none',
    input: z.strictObject({ server }),
    run({ context, principal, input }) {
      reach(context, principal, input.server);
      return context.optimizer.getConfusions(input);
    },
  }),
  'optimize.run': optimizing({
    summary:
      'Evaluate, and with autoPromote promote, candidates of tools that have golden prompts; dryRun: the estimate',
    input: optimizeInput,
    run({ context, principal, input }) {
      if (input.server !== undefined) reach(context, principal, input.server);
      return context.optimizer.optimize(input, principal, reachOf(context, principal));
    },
  }),
  'optimize.jobs': optimizing({
    summary: 'A job of the optimizer with its progress, or all of them',
    audit: 'none',
    input: z.strictObject({ id: z.string().min(1).optional() }),
    async run({ context, principal, input: { id } }) {
      const jobs = await context.optimizer.jobs.list(knowsJobsOn(context.catalog.snapshot, principal));
      return { jobs: (id === undefined ? jobs : [findJob(jobs, id)]).map(ownedJob) };
    },
  }),
  'optimize.cancel': optimizing({
    summary: 'Cancel a job; its finished runs stay',
    input: z.strictObject({ id: z.string().min(1) }),
    run: ({ context, principal, input: { id } }) =>
      context.optimizer.cancelJob({ jobId: id }, knowsJobsOn(context.catalog.snapshot, principal)),
  }),
  'optimize.promote': optimizing({
    summary:
      'Show a candidate to every agent if its figures pass the gates; force skips them and needs the scope admin',
    input: z.strictObject({ server, tool, candidateId: z.string().min(1), force: z.boolean().optional(), why: text }),
    run({ context, principal, input }) {
      reach(context, principal, input.server);
      return context.optimizer.promoter.promote(input, principal);
    },
  }),
  'optimize.revert': optimizing({
    summary: "Show agents the server's own description again",
    input: z.strictObject({ server, tool, why: text }),
    run({ context, principal, input }) {
      reach(context, principal, input.server);
      return context.optimizer.promoter.revert(input, principal.name);
    },
  }),
  'optimize.export': optimizing({
    summary: 'The records of a server as files; mined prompts only where they are asked for',
    input: z.strictObject({ server, mined: z.boolean().optional() }),
    async run({ context, principal, input }) {
      reach(context, principal, input.server);
      return { server: input.server, files: await context.optimizer.exportRecords(input) };
    },
  }),
  'optimize.import': optimizing({
    summary:
      'Read one file of an export back; says what it refused. With replace, prompts and promotions here give way; with promotions, those of the file are put in place if they pass the gates, or were forced and the token has the scope admin',
    input: z.strictObject({
      server,
      path: z.string().min(1).max(1_000),
      content: z.union([z.array(z.unknown()), opaqueObject]),
      replace: z.boolean().optional(),
      promotions: z.boolean().optional(),
    }),
    run({ context, principal, input }) {
      reach(context, principal, input.server);
      return context.optimizer.importRecords(input, principal, reachOf(context, principal));
    },
  }),
};

function reach({ catalog }: AdminContext, principal: Principal, name: string): void {
  checkReach(catalog.snapshot, principal, name);
}

function reachOf({ catalog }: AdminContext, principal: Principal): string[] {
  return serversInReach(catalog.snapshot, principal);
}
