/** The addresses in the gateway's own scheme: what each names, how it is written, and which one was probably meant. */

import { nearest } from '../../base/nearest.ts';
import { visibleServers } from '../../tools/tools.ts';
import { type OwnView, serverIn, toolsOf } from './own-view.ts';

export const ownScheme = 'toolcrib://';

/** The thing that an address names, which may not be there for everybody. */
export type OwnAddress =
  | { readonly kind: 'overview' }
  | { readonly kind: 'servers' }
  | { readonly kind: 'tools'; readonly cursor?: string | undefined }
  | { readonly kind: 'server'; readonly server: string }
  | { readonly kind: 'server-types'; readonly server: string }
  | { readonly kind: 'server-tools'; readonly server: string; readonly cursor?: string | undefined }
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string };

/** Undefined for an address that names nothing of these. Results have addresses of their own (`results/result-view.ts`). */
export function readOwnAddress(uri: string): OwnAddress | undefined {
  if (!uri.startsWith(ownScheme)) return undefined;
  const { path, cursor, isPlain } = splitQuery(uri.slice(ownScheme.length));
  const segments = path.split('/').map(decoded);
  if (segments.some((segment) => segment === undefined || segment === '')) return undefined;
  const [root, first, ...rest] = segments as string[];
  if (root === 'tools' && first === undefined) return { kind: 'tools', cursor };
  if (root === 'server' && first !== undefined && rest.length === 1 && rest[0] === 'tools')
    return { kind: 'server-tools', server: first, cursor };
  if (!isPlain) return undefined;
  if (first === undefined) return root === 'overview' || root === 'servers' ? { kind: root } : undefined;
  // A slash in a tool's name may come as it is: nothing lies below a tool.
  if (root === 'tool' && rest.length > 0) return { kind: 'tool', server: first, tool: rest.join('/') };
  if (root !== 'server') return undefined;
  if (rest.length === 0) return { kind: 'server', server: first };
  return rest.length === 1 && rest[0] === 'types' ? { kind: 'server-types', server: first } : undefined;
}

/** The one way in which we write an address, without a cursor: equal for all spellings of the same. */
export function ownUri(address: OwnAddress): string {
  switch (address.kind) {
    case 'tool':
      return `${ownScheme}tool/${encoded(address.server)}/${encoded(address.tool)}`;
    case 'server':
      return `${ownScheme}server/${encoded(address.server)}`;
    case 'server-tools':
      return `${ownScheme}server/${encoded(address.server)}/tools`;
    case 'server-types':
      return `${ownScheme}server/${encoded(address.server)}/types`;
    default:
      return `${ownScheme}${address.kind}`;
  }
}

export function withCursor(address: OwnAddress, cursor: string): string {
  return `${ownUri(address)}?cursor=${encoded(cursor)}`;
}

interface SplitAddress {
  readonly path: string;
  readonly cursor: string | undefined;
  /** True if nothing stands behind the path. */
  readonly isPlain: boolean;
}

/** Only a cursor may stand behind the path; an address with anything else is none of ours. */
function splitQuery(rest: string): SplitAddress {
  const mark = rest.indexOf('?');
  if (mark === -1) return { path: rest, cursor: undefined, isPlain: true };
  const query = rest.slice(mark + 1);
  const cursor = query.startsWith('cursor=') ? decoded(query.slice('cursor='.length)) : undefined;
  return { path: cursor === undefined ? '' : rest.slice(0, mark), cursor, isPlain: false };
}

function encoded(text: string): string {
  // Half a surrogate pair cannot be encoded; nothing with one can be asked for either.
  return encodeURIComponent(text.toWellFormed());
}

/** Undefined where a percent sign stands for nothing. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const single = ['overview', 'servers', 'tools'] as const;

/** Undefined where nothing is near enough. Only what the principal can see is ever named. */
export function nearAddress(view: OwnView, uri: string): string | undefined {
  if (!uri.startsWith(ownScheme)) return undefined;
  const path = uri.slice(ownScheme.length).replace(/[?#].*$/s, '');
  // Agents also write the colon of a tool key here.
  const [root = '', first, ...rest] = (decoded(path) ?? path).split(/[/:]/).filter((segment) => segment !== '');
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
