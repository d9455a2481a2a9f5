/** Prompts, results and orders as agents, commands and files give them. */

import { z } from 'zod';
import { isObject, type JsonObject } from '../base/json.ts';
import { promptCategories } from '../store/store.ts';
import { judgeNames } from './judge.ts';

/** Passed on as it is: a copy would lose a member named `__proto__`. */
export const jsonObject = z.custom<JsonObject>(isObject, { error: 'must be an object' }).meta({ type: 'object' });

export const givenPrompt = z.object({
  id: z.string().optional(),
  toolName: z.string().optional(),
  category: z
    .enum(promptCategories)
    .describe('direct: asks for just this; indirect: the need follows from it; negative: the tool must not be called.'),
  prompt: z.string().describe('A request as a user would write it; at least 10 characters.'),
  expectedBehavior: z
    .object({
      shouldCallTool: z.boolean(),
      tool: z.string().optional().describe('For a negative: the tool that is right instead, as server:tool.'),
      arguments: jsonObject.optional(),
      notes: z.string().optional(),
    })
    .optional(),
});
export type GivenPrompt = Readonly<z.infer<typeof givenPrompt>>;

export const givenResult = z.object({
  toolCalled: z.boolean().describe('True if the tool under test was called.'),
  correct: z.boolean().nullish().describe('Ignored: the gateway decides.'),
  error: z.string().optional().describe('Why the evaluation failed; such a run is void.'),
  reasoning: z.string().optional(),
  durationMs: z.number().min(0).optional(),
  tool: z.string().optional().describe('The tool that was called.'),
  arguments: jsonObject.optional(),
  calls: z.array(jsonObject).readonly().optional(),
});
export type GivenResult = Readonly<z.infer<typeof givenResult>>;

export const optimizeInput = z.strictObject({
  server: z.string().min(1).describe('The name of the server.').optional(),
  tools: z.array(z.string().min(1)).min(1).optional(),
  candidatesPerTool: z.int().min(1).max(10).optional(),
  promptsPerCategory: z.int().min(1).max(1_000).optional(),
  threshold: z.number().min(0).max(1).optional().describe('Least overall success, between 0 and 1.'),
  judge: z
    .enum(judgeNames)
    .optional()
    .describe('search: the search of this gateway; model: the configured model; agent: an agent program.'),
  repeats: z.int().min(1).max(20).optional(),
  autoPromote: z.boolean().optional(),
  dryRun: z.boolean().optional().describe('Only the estimate.'),
});
export type OptimizeInput = Readonly<z.infer<typeof optimizeInput>>;
