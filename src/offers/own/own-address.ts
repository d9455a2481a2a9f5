/** The addresses in the gateway's own scheme: what each names, and how it is written. */

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
