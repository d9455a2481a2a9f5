/** Short marks of lists as one principal reads them: equal as long as nothing reads differently. */

import type { Principal } from '../access/access.ts';
import type { Entry } from '../catalog/catalog.ts';
import { listMetaTools } from '../meta-tools/meta-tools.ts';
import { digest, type ListName, type Offers, toolMark } from '../offers/offers.ts';
import { visibleServers, visibleTools } from '../tools/tools.ts';
import type { AgentView } from './agent-view.ts';
import { factsDirectly } from './direct-list.ts';

export type ListMarks = Readonly<Record<'tools' | 'resources' | 'prompts', string>>;

/**
 * Marks for an agent of many servers. A changed tool concerns its list of tools on every surface: where the list names
 * only our own tools, this is how the agent learns that what it knows of a tool behind them may be out of date, and the
 * list it then reads is the same to the letter, which spoils no prompt cache. It concerns the list of resources too, where
 * tools and servers are resources of ours. That a server fails changes no tool: it stays listed and is started again by the
 * next call, but the description of our list of servers names it.
 */
export function marksForAgent(view: AgentView, offers: Offers, principal: Principal): ListMarks {
  const { layers } = view;
  const { snapshot } = layers.catalog;
  const known = visibleServers(snapshot, principal).filter(({ listedAt }) => listedAt !== null);
  const behind = known.map((server) => [server.spec.name, toolMark({ door: view, principal }, server)]);
  const surface = view.surfaceOf(principal);
  const listed =
    surface === 'direct'
      ? factsDirectly(layers, view.table(principal), visibleTools(snapshot, principal))
      : [listMetaTools(surface, layers, principal), behind.filter(([, mark]) => mark !== noTools)];
  return {
    tools: digest(listed),
    resources: digest([listsOf(offers, principal, 'resources', 'resourceTemplates'), behind]),
    prompts: digest(listsOf(offers, principal, 'prompts')),
  };
}

/** Marks for an agent of one server: its tools under these names. A failing server changes none of them. */
export function marksForServer(
  tools: readonly Entry[],
  nameOf: (tool: Entry) => string,
  offers: Offers,
  principal: Principal,
): ListMarks {
  return {
    tools: digest(tools.map((tool) => [nameOf(tool), tool.fingerprint])),
    resources: digest(listsOf(offers, principal, 'resources', 'resourceTemplates')),
    prompts: digest(listsOf(offers, principal, 'prompts')),
  };
}

function listsOf(offers: Offers, principal: Principal, ...lists: readonly ListName[]): unknown[] {
  return lists.map((list) => offers.wholeList(list, principal));
}

const noTools = digest([]);
