/** About how many tokens an agent reads at its start on each surface: the list of tools and the instructions, as it gets them. */

import type { Principal } from '../access/access.ts';
import { aboutTokens } from '../base/estimate-tokens.ts';
import { isObject } from '../base/json.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { LayerName, ShownSurface, Uses } from '../tools/tools.ts';
import { AgentEndpoint } from './agent-endpoint.ts';
import { shownTokens } from './note-disclosure.ts';

interface StartTokens {
  readonly list: number;
  readonly instructions: number;
}

type StartBySurface = Readonly<Record<ShownSurface, StartTokens>>;

export async function measureStart(layers: Uses<LayerName>, principal: Principal): Promise<StartBySurface> {
  // Nobody is shown anything here, and nobody asked for it: the gateway looks at itself.
  const audit = { record: async () => {}, recordRepeated: async () => {} };
  const unnoted = { ...layers, disclosure: { note: () => {} }, audit };
  const on = (surface: ShownSurface) => measureSurface(unnoted, surface, principal);
  const [search, direct, code, full] = await Promise.all([on('search'), on('direct'), on('code'), on('full')]);
  return { search, direct, code, full };
}

async function measureSurface(
  layers: Uses<LayerName>,
  surface: ShownSurface,
  principal: Principal,
): Promise<StartTokens> {
  const endpoint = new AgentEndpoint(layers, surface);
  try {
    const { tools } = await endpoint.handle({ method: 'tools/list', params: {}, principal, agent: nobody });
    const { instructions = '' } = await endpoint.describe(principal);
    const list = Array.isArray(tools) ? shownTokens(tools.filter(isObject)) : 0;
    return { list, instructions: aboutTokens(instructions) };
  } finally {
    endpoint.close();
  }
}

/** A list asks nothing of the agent. */
const nobody: AgentSide = {
  era: 'modern',
  capabilities: {},
  session: '',
  signal: new AbortController().signal,
  notify: () => {},
  trace: new RequestTrace(),
};
