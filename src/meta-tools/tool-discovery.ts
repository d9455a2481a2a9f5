/** `tool_discovery`: from what an agent needs to the tools that do it. */

import type { Principal } from '../access/access.ts';
import { mostNeeds } from '../search/search.ts';
import {
  answer,
  capabilityIndex,
  detailLevels,
  discoverWithin,
  discoveryOff,
  type FindLayer,
  isDiscoveryOff,
  parseDiscovery,
  type ShownSurface,
  type Uses,
} from '../tools/tools.ts';
import { loadHint, type MetaTool, readOnly } from './meta-tool.ts';
import { orQuestion, samplerOf } from './sample-agent.ts';

export const toolDiscovery: MetaTool<FindLayer> = {
  name: 'tool_discovery',
  kind: 'find',
  act: 'discovery',
  define: (layers, principal, surface) => ({
    name: 'tool_discovery',
    description: descriptionOn(surface, layers, principal),
    inputSchema: {
      type: 'object',
      properties: parametersOn(surface, layers.config().search.maxResults),
      required: ['query'],
    },
    annotations: readOnly,
    _meta: loadHint,
  }),
  async run({ layers, principal, agent, args, params, surface }) {
    const sample = samplerOf(agent, params);
    const wanted = { ...parseDiscovery(args, layers.config().search.maxResults), sample };
    return orQuestion(discoverWithin(layers, principal, agent, wanted, surface).then(answer));
  },
};

function descriptionOn(
  surface: ShownSurface | undefined,
  layers: Uses<'catalog' | 'search'>,
  principal: Principal,
): string {
  const words = surface === 'code' ? 'code' : 'search';
  return isDiscoveryOff(principal) ? off[words] : `${capabilityIndex(layers, principal)} ${usage[words]}`;
}

/** The description where discovery is off. */
const off = {
  search: `${discoveryOff.notice} Nothing is found with it: call tools that you know by their keys with tool_execute.`,
  code: `${discoveryOff.notice} Nothing is found with it: call tools that you know in call_tool_chain.`,
};

/** How to use it: each surface has another tool to call the hits with. */
const usage = {
  search:
    'Use it when you need a tool and have no key yet: say what you need, one need per query; then call what you find with tool_execute. Nothing found: use other words.',
  code: 'Use it when you need a tool: say what you need, one need per query; then call what you find in call_tool_chain. Nothing found: use other words.',
};

/** Programs seldom need more than the first few; the others are answered all the same. */
function parametersOn(surface: ShownSurface | undefined, usualResults: number): Record<string, unknown> {
  const first = {
    query: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: mostNeeds }],
      description: 'e.g. "create a GitHub issue"; several needs: a list.',
    },
    maxResults: { type: 'integer', default: usualResults },
    server: { type: 'string' },
    detailLevel: { type: 'string', enum: [...detailLevels], default: 'summary' },
  };
  if (surface === 'code') return first;
  return {
    ...first,
    context: { type: 'string', description: 'More about the task.' },
    category: { type: 'string', description: 'As in tool_capabilities.' },
    minSimilarity: { type: 'number', description: '0 to 1' },
  };
}
