/** The names that a program finds: servers and their tools, as its principal sees them. */

import { perViewer, visibleServers, visibleTools } from '../tools/tools.ts';

export interface ProgramNames {
  readonly serverNames: readonly string[];
  /** `{ "server": ["tool", …] }` as JSON: most programs never ask for it. */
  readonly namesJson: string;
}

export const programNames = perViewer((snapshot, principal): ProgramNames => {
  const serverNames = visibleServers(snapshot, principal).map(({ spec }) => spec.name);
  const names = new Map<string, string[]>(serverNames.map((name) => [name, []]));
  for (const { server, name } of visibleTools(snapshot, principal)) names.get(server)?.push(name);
  return { serverNames, namesJson: JSON.stringify(Object.fromEntries(names)) };
});
