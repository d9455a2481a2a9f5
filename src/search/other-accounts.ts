/** Servers that are one program or service with different settings, such as two accounts or two folders: their tools do the same to different things. */

import { win32 } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import type { ServerSpec } from '../config/config.ts';
import type { SearchView } from './hit.ts';

/** One program has the same tools under every account, or nearly. Programs that merely start alike share few. */
const leastShared = 0.5;

type Transport = ServerSpec['transport'];

/** The parts of a server's entry that are compared. */
interface ComparedServer extends Pick<ServerEntry, 'spec'> {
  readonly tools: readonly Pick<Entry, 'key' | 'serverName'>[];
}

/** True for two servers, by name, where one can't stand in for the other. Only tools in `view` are compared, if there is one. */
export function areOtherAccounts(
  { servers }: { readonly servers: ReadonlyMap<string, ComparedServer> },
  a: string,
  b: string,
  view?: SearchView,
): boolean {
  const [one, other] = [servers.get(a), servers.get(b)];
  if (!one || !other || one === other) return false;
  const [left, right] = [one.spec.transport, other.spec.transport];
  return startsAlike(left, right) && !hasSameAccount(left, right) && shareTools(one, other, view);
}

function startsAlike(a: Transport, b: Transport): boolean {
  // Backslashes and slashes both end a folder here.
  if (a.kind === 'stdio') return b.kind === 'stdio' && win32.basename(a.command) === win32.basename(b.command);
  return b.kind !== 'stdio' && hostOf(a.url) === hostOf(b.url);
}

/** Some services have a folder or a subscription in the path, so the host decides. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Each server has its own sign-in, so equal addresses that need one may be different accounts. */
function hasSameAccount(a: Transport, b: Transport): boolean {
  const maySignIn = a.kind !== 'stdio' && Object.keys(a.headers).length === 0 && !a.oauth?.isOff;
  return !maySignIn && isDeepStrictEqual(a, b);
}

function shareTools(a: ComparedServer, b: ComparedServer, view: SearchView | undefined): boolean {
  const [few = new Set(), many = new Set()] = [namesOf(a, view), namesOf(b, view)].sort((x, y) => x.size - y.size);
  return few.size > 0 && few.intersection(many).size >= leastShared * few.size;
}

function namesOf({ tools }: ComparedServer, view: SearchView | undefined): Set<string> {
  return new Set(tools.filter(({ key }) => view?.has(key) ?? true).map(({ serverName }) => serverName));
}
