/** One line that says what there is: enough for a model to think of looking, small whatever the catalog, stable while the catalog is. */

import type { Principal } from '../access/access.ts';
import { estimateTokens } from '../base/estimate-tokens.ts';
import type { Entry } from '../catalog/catalog.ts';
import { categories } from '../search/search.ts';
import type { Uses } from './layers.ts';
import { perViewer, visibleTools } from './view.ts';

/** All of it, by a bound that no text exceeds. */
export const mostIndexTokens = 120;

type Grounds = Uses<'catalog' | 'search'>;

/** "Search 258 tools on 30 servers: databases (supabase, neon), web search (exa …), …." */
export function capabilityIndex(grounds: Grounds, principal: Principal): string {
  const what = capabilities(grounds, principal);
  return what === null ? 'Search the tools of all connected servers (none is listed yet).' : `Search ${what}.`;
}

/** The same without the order to search; null where there is nothing. */
export function capabilities({ catalog, search }: Grounds, principal: Principal): string | null {
  return summary(catalog.snapshot, principal, search);
}

/** It is read with every list. */
const summary = perViewer((snapshot, principal, search: Grounds['search']) => {
  const tools = visibleTools(snapshot, principal);
  return tools.length === 0 ? null : summarise(tools, (tool) => search.categoryOf(tool));
});

/** The same without categories, for who cannot wait for them: "3 tools on 2 servers: files, mail". */
export function namedServers({ catalog }: Pick<Grounds, 'catalog'>, principal: Principal): string | null {
  const tools = visibleTools(catalog.snapshot, principal);
  if (tools.length === 0) return null;
  const names = [...new Set(tools.map((tool) => tool.server))].sort();
  const head = headOf(tools.length, names.length);
  let left = mostIndexTokens - bound(head) - reserve;
  const shown = names.filter((name) => {
    const cost = bound(`, ${name}`);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  return `${head}${shown.join(', ')}${shown.length < names.length ? ' …' : ''}`;
}

/** A kind of tools, as it is written: its label and the servers named with it. */
interface Kind {
  readonly label: string;
  readonly toolCount: number;
  /** Servers that are at home here, those with most tools first; each server is at home in one kind. */
  readonly servers: readonly string[];
  /** Stands for it where no server is at home here. */
  readonly guest: string;
  readonly named: string[];
  isShown: boolean;
}

function summarise(tools: readonly Entry[], categoryOf: (tool: Entry) => string): string {
  const servers = new Set(tools.map((tool) => tool.server));
  const head = headOf(tools.length, servers.size);
  const kinds = kindsOf(tools, categoryOf);
  fill(kinds, mostIndexTokens - bound(`Search ${head}`) - reserve);
  return compose(head, kinds);
}

function headOf(tools: number, servers: number): string {
  return `${counted(tools, 'tool')} on ${counted(servers, 'server')}: `;
}

/** For the end of the line: that there is more, and the full stop. */
const reserve = 3;
/** For a kind: that it has more servers than are named. */
const moreTokens = 1;

/** Takes what fits: first every kind with one server, then the servers in turns, then kinds where no server is at home. */
function fill(kinds: readonly Kind[], tokens: number): void {
  let left = tokens;
  const take = (cost: number) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  const open = (kind: Kind, server: string) => {
    const label = 1 + kind.label.split(' ').length;
    kind.isShown = take(label + bound(` (${server})`) + moreTokens);
    if (kind.isShown) kind.named.push(server);
    else kind.isShown = take(label);
  };
  const homes = kinds.filter((kind) => kind.servers.length > 0);
  for (const kind of homes) open(kind, kind.servers[0] as string);
  const rounds = Math.max(...homes.map((kind) => kind.servers.length));
  for (let round = 1; round < rounds && left > 0; round += 1) {
    for (const { named, servers } of homes) {
      const server = servers[round];
      if (server !== undefined && named.length > 0 && take(bound(`, ${server}`))) named.push(server);
    }
  }
  for (const kind of kinds) if (kind.servers.length === 0) open(kind, kind.guest);
}

function compose(head: string, kinds: readonly Kind[]): string {
  const parts = kinds
    .filter((kind) => kind.isShown)
    .map(({ label, named, servers }) => {
      if (named.length === 0) return label;
      return `${label} (${named.toSorted().join(', ')}${named.length < servers.length ? ' …' : ''})`;
    });
  if (parts.length < kinds.length) parts.push('…');
  return head + parts.join(', ');
}

function kindsOf(tools: readonly Entry[], categoryOf: (tool: Entry) => string): Kind[] {
  const counts = new Map<string, Map<string, number>>();
  for (const tool of tools) {
    const category = categoryOf(tool);
    const byServer = counts.get(category) ?? new Map<string, number>();
    counts.set(category, byServer.set(tool.server, (byServer.get(tool.server) ?? 0) + 1));
  }
  const homes = homesOf(counts);
  const kinds = [...counts].map(([category, byServer]): Kind & { readonly category: string } => {
    const servers = [...byServer].sort(mostFirst).map(([server]) => server);
    const toolCount = [...byServer.values()].reduce((sum, count) => sum + count, 0);
    const residents = servers.filter((server) => homes.get(server) === category);
    const guest = servers[0] as string;
    return { category, label: labelOf(category), toolCount, servers: residents, guest, named: [], isShown: false };
  });
  const isRest = ({ category }: { readonly category: string }) => Number(category === rest);
  return kinds.sort((a, b) => isRest(a) - isRest(b) || mostFirst([a.label, a.toolCount], [b.label, b.toolCount]));
}

/** The category in which a server has most tools; what fits nowhere only where it has nothing else. */
function homesOf(counts: ReadonlyMap<string, ReadonlyMap<string, number>>): Map<string, string> {
  const homes = new Map<string, string>();
  for (const category of order) {
    for (const [server, count] of counts.get(category) ?? []) {
      const before = counts.get(homes.get(server) ?? '')?.get(server) ?? 0;
      if (category === rest ? before === 0 : count > before) homes.set(server, category);
    }
  }
  return homes;
}

const order = categories.map(({ name }) => name);
const rest = 'other';

type Count = readonly [name: string, count: number];

function mostFirst([a, left]: Count, [b, right]: Count): number {
  return right - left || (a < b ? -1 : 1);
}

/** How categories are called here; each word is one token. */
const labels: Readonly<Record<string, string>> = { file_operations: 'files', database: 'databases' };

function labelOf(category: string): string {
  return labels[category] ?? category.replaceAll('_', ' ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function bound(text: string): number {
  return estimateTokens(text, usualNames);
}

/** Words that servers and categories are named with, as the bound on tokens takes them: it knows no names of its own. */
export const usualNames: ReadonlySet<string> = new Set(
  `actions ads agent alpha analytics android angular api archive assistant audio auth aws azure backup beta bitcoin booking bot
  box browser calculator calendar camera chart chat chrome cloud commands community contacts layers crm crypto curl database
  dataset debug demo design desktop dev discord docker docs documents drive elastic eslint ethereum excel facebook feed fetch
  filesystem finance firebase flutter folder food ftp geo ghost git github gmail google graphql health hotel html http images
  infra instagram internal jira lab ldap linear linkedin logs mail maps markdown math matrix media memory metrics mobile mongodb
  monitor mqtt music mysql news node notes notification npm oracle payments paypal pdf photos postgres prod projects python
  react reader reddit redis remote robot rocket rss sales security seo sheet shell signal sms spark speech spotify square ssh
  stocks storage stripe swagger tasks teams telegram terminal terraform thinking ticket tickets todo translate travel twitter
  unity vault video wallet weather web wiki wordpress youtube zip zoom`.split(/\s+/),
);
