/** The surface of agents, who chose it, and its cost in this owner's traffic beside that of other surfaces. */

import type { Principal } from '../access/access.ts';
import { measureStart } from '../endpoint/endpoint.ts';
import { costOf, type DisclosureCost, turnTokens } from '../metrics/metrics.ts';
import { chooseSurface, type SurfaceChoice } from '../tools/tools.ts';
import type { AdminContext } from './operation.ts';
import { agentIn } from './view-as.ts';

/** Days of traffic that are looked at. */
export const trafficDays = 30;

/** One door for agents, as the agent token finds it. */
export interface SurfaceReport extends SurfaceChoice {
  /** null: the door where all servers are. */
  readonly project: string | null;
  /** About how many tokens an agent reads at its start on each surface: tools and instructions of the present catalog. */
  readonly startTokens: Readonly<Record<SurfaceChoice['surface'], number>>;
  /** Of everybody who came in at this door in these days; null where nobody did. */
  readonly traffic: DisclosureCost | null;
}

export interface SurfaceCosts {
  readonly days: number;
  readonly doors: readonly SurfaceReport[];
  /** How it was counted, in sentences. */
  readonly counting: readonly string[];
}

const counting: readonly string[] = [
  'Tokens are estimates: a quarter of the bytes, which is within a tenth for English and up to a fifth too low for other scripts.',
  'Of tools, what agents pass on to their models is counted: names, descriptions and input schemas, once for each list that was served. An agent that defers tools by itself reads less of a list.',
  `A search counts with what was asked and answered, a chain with its program and its answer; both take a turn, as each call does: about ${turnTokens} tokens around what is said in it.`,
  'What tools answer is the same on every surface and not counted. What only a chain has read is not known here, so that "direct" would have cost more than is said where there were chains.',
  'On "direct" a list counts as long as the catalog was when it was served, on "search" as long as it is now.',
];

export async function surfaceCosts(context: AdminContext, days: number): Promise<SurfaceCosts> {
  const sums = await context.disclosure.of({ days });
  const agent = agentIn(context);
  const principals: Principal[] = [agent, ...context.projects.list().map((project) => ({ ...agent, project }))];
  const doors = await Promise.all(
    principals.map(async (principal): Promise<SurfaceReport> => {
      const { search, direct, code, full } = await measureStart(context, principal);
      const project = principal.project?.name ?? null;
      const own = sums.filter((sum) => sum.project === project);
      return {
        project,
        ...chooseSurface(undefined, context, principal),
        startTokens: {
          search: search.list + search.instructions,
          direct: direct.list + direct.instructions,
          code: code.list + code.instructions,
          full: full.list + full.instructions,
        },
        traffic: costOf(own, search.list) ?? null,
      };
    }),
  );
  return { days, doors, counting };
}
