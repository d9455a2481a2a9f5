/** The address in the gateway's own scheme that one which names nothing was probably meant to be. */

import { nearest } from '../../base/nearest.ts';
import { visibleServers } from '../../tools/tools.ts';
import { type OwnAddress, ownScheme, ownUri } from './own-address.ts';
import { type OwnView, serverIn, toolsOf } from './own-view.ts';

const single = ['overview', 'servers', 'tools'] as const;

/** Undefined where nothing is near enough. Only what the principal can see is ever named. */
export function nearAddress(view: OwnView, uri: string): string | undefined {
  if (!uri.startsWith(ownScheme)) return undefined;
  // Agents also write the colon of a tool key here.
  const [root = '', first, ...rest] = decoded(uri.slice(ownScheme.length).replace(/[?#].*$/s, ''))
    .split(/[/:]/)
    .filter((segment) => segment !== '');
  const address = first === undefined ? addressOf(view, root) : addressBelow(view, root, first, rest);
  const near = address && ownUri(address);
  return near === uri ? undefined : near;
}

/** One word: a resource of ours, or the name of a server. */
function addressOf(view: OwnView, word: string): OwnAddress | undefined {
  const [kind] = nearest(word, single, 1);
  if (kind !== undefined) return { kind: kind as (typeof single)[number] };
  const server = nearServer(view, word);
  return server === undefined ? undefined : { kind: 'server', server };
}

function addressBelow(view: OwnView, root: string, first: string, rest: readonly string[]): OwnAddress | undefined {
  const [kind] = nearest(root, ['server', 'tool'], 1);
  const server = nearServer(view, first);
  if (kind === undefined || server === undefined) return undefined;
  if (kind === 'tool') return nearTool(view, server, rest.join('/'));
  const [part] = nearest(rest[0] ?? '', ['tools', 'types'], 1);
  if (part === undefined) return { kind: 'server', server };
  return { kind: part === 'tools' ? 'server-tools' : 'server-types', server };
}

function nearServer({ door, principal }: OwnView, name: string): string | undefined {
  const servers = visibleServers(door.layers.catalog.snapshot, principal);
  return nearest(
    name,
    servers.map(({ spec }) => spec.name),
    1,
  )[0];
}

/** Without a tool that is near, the list of those that the server has. */
function nearTool(view: OwnView, server: string, name: string): OwnAddress | undefined {
  const entry = serverIn(view, server);
  if (!entry) return undefined;
  const [tool] = nearest(
    name,
    toolsOf(view, entry).map((item) => item.name),
    1,
  );
  return tool === undefined ? { kind: 'server-tools', server } : { kind: 'tool', server, tool };
}

/** As it is where a percent sign stands for nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
