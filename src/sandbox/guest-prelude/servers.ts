/** `servers`, as a program sees it: every path of names is there and is a call. Runs in the guest: no imports but types. */

import type { GuestBridge } from '../guest-contract.ts';
import type { Builtins } from './builtins.ts';
import type { Requester } from './calls.ts';

export interface Names {
  servers(): readonly string[];
  /** Tools of one server; undefined where there is no such server. */
  toolsOf(server: string): readonly string[] | undefined;
  /** The server's own name, also for `my_server` or `myServer` where it is called `my-server`. */
  serverNamed(name: string): string | undefined;
  all(): unknown;
}

type Node = ((...given: unknown[]) => unknown) & Record<string, unknown>;

/** The lists are parsed when they are first asked for: most programs know what they call. */
export function makeNames(builtins: Builtins, bridge: GuestBridge): Names {
  const { hasOwn, parse } = builtins;
  const list = parse(bridge.serverNames()) as string[];
  let tools: Record<string, string[]> | undefined;
  const all = () => {
    tools ??= parse(bridge.names()) as Record<string, string[]>;
    return tools;
  };
  const exact = builtins.create(null) as Record<string, string>;
  /** If several servers have similar names, a name that is only similar means none of them. */
  const folded = builtins.create(null) as Record<string, string | undefined>;
  for (let at = 0; at < list.length; at += 1) {
    const name = list[at] as string;
    const like = foldName(builtins, name);
    exact[name] = name;
    folded[like] = like in folded ? undefined : name;
  }
  const serverNamed = (name: string) => exact[name] ?? folded[foldName(builtins, name)];
  return {
    servers: () => list,
    serverNamed,
    toolsOf: (server) => {
      const name = serverNamed(server);
      return name !== undefined && hasOwn(all(), name) ? all()[name] : undefined;
    },
    all: () => parse(bridge.names()),
  };
}

/** Lower case, without dashes, dots, spaces and underscores. */
function foldName(builtins: Builtins, name: string): string {
  let folded = '';
  for (let at = 0; at < name.length; at += 1) {
    const code = builtins.codeAt(name, at);
    if (code !== 45 && code !== 46 && code !== 95 && code !== 32) folded += name[at];
  }
  return builtins.toLowerCase(folded);
}

export interface ServerTree {
  readonly servers: Node;
  isNode(value: unknown): boolean;
}

/** `extras` are found beside the servers, so that `servers.call(…)` and `({ servers, search }) => …` work, too. */
export function makeServers(
  builtins: Builtins,
  requester: Requester,
  names: Names,
  extras: Record<string, unknown>,
): ServerTree {
  const nodes = new builtins.WeakSet<object>();
  const { addTo, hasIn, hasOwn } = builtins;
  function nodeOf(path: readonly string[]): Node {
    const known = builtins.create(null) as Record<string, Node>;
    const member = (name: string): unknown => {
      const isExtra = path.length === 0 && hasOwn(extras, name) && names.serverNamed(name) === undefined;
      if (isExtra) return extras[name];
      known[name] ??= nodeOf(extended(builtins, path, name));
      return known[name];
    };
    const node = new builtins.Proxy(bareFunction(builtins), trapsOf(builtins, names, path, member, requester)) as Node;
    addTo(nodes, node);
    return node;
  }
  return {
    servers: nodeOf([]),
    isNode: (value) => typeof value === 'function' && hasIn(nodes, value),
  };
}

function copied(builtins: Builtins, list: readonly string[]): string[] {
  const copy: string[] = [];
  for (let at = 0; at < list.length; at += 1) builtins.push(copy, list[at]);
  return copy;
}

function extended(builtins: Builtins, path: readonly string[], name: string): string[] {
  const longer = copied(builtins, path);
  builtins.push(longer, name);
  return longer;
}

/** A function without members of its own, so that a proxy of it may show any names. */
function bareFunction(builtins: Builtins): () => void {
  const bare = (() => undefined) as unknown as Record<string, unknown>;
  delete bare.name;
  delete bare.length;
  builtins.setPrototypeOf(bare, null);
  return bare as unknown as () => void;
}

function trapsOf(
  builtins: Builtins,
  names: Names,
  path: readonly string[],
  member: (name: string) => unknown,
  requester: Requester,
): ProxyHandler<() => void> {
  const listed = () =>
    path.length === 0 ? names.servers() : path.length === 1 ? (names.toolsOf(path[0] ?? '') ?? []) : [];
  const isListed = (name: string) => {
    const list = listed();
    for (let at = 0; at < list.length; at += 1) if (list[at] === name) return true;
    return path.length === 0 && names.serverNamed(name) !== undefined;
  };
  const shown = shownPath(builtins, path);
  const traps = builtins.create(null) as ProxyHandler<() => void>;
  traps.get = (_target, name) => {
    if (name === builtins.toPrimitive) return () => shown;
    // A `then` would make every `await servers.x` wait for ever.
    if (typeof name !== 'string' || name === 'then') return undefined;
    if (name === 'toJSON' && path.length > 1 && !isListed(name)) requester.remark(uncalled(builtins, path));
    const own = ownMember(builtins, names, path, name, (given) => callPath(builtins, names, requester, path, given));
    return own !== undefined && !isListed(name) ? own.value : member(name);
  };
  traps.has = (_target, name) => typeof name === 'string' && isListed(name);
  traps.ownKeys = () => copied(builtins, listed());
  traps.getOwnPropertyDescriptor = (_target, name) => {
    if (typeof name !== 'string' || !isListed(name)) return undefined;
    const descriptor = builtins.create(null) as PropertyDescriptor;
    descriptor.value = member(name);
    descriptor.enumerable = true;
    descriptor.configurable = true;
    return descriptor;
  };
  traps.set = () => false;
  traps.defineProperty = () => false;
  traps.deleteProperty = () => false;
  traps.apply = (_target, _self, given: unknown[]) => callPath(builtins, names, requester, path, given);
  return traps;
}

/** Members that JavaScript itself looks for; each is a tool's where a tool has that name. */
function ownMember(
  builtins: Builtins,
  names: Names,
  path: readonly string[],
  name: string,
  invoke: (given: unknown[]) => unknown,
): { value: unknown } | undefined {
  switch (name) {
    case 'toString':
    case 'valueOf':
    case 'toLocaleString':
      return { value: () => shownPath(builtins, path) };
    case 'toJSON':
      return { value: () => jsonOf(builtins, names, path) };
    case 'constructor':
    case 'prototype':
    case '__proto__':
    case 'caller':
    case 'arguments':
    case 'asymmetricMatch':
    case 'nodeType':
      return { value: undefined };
    case 'hasOwnProperty':
      return {
        value: (key: unknown) => inList(names.servers(), key) || inList(names.toolsOf(path[0] ?? '') ?? [], key),
      };
    default:
  }
  if (path.length < 2) return undefined;
  if (name === 'call') return { value: (_self: unknown, ...given: unknown[]) => invoke(given) };
  if (name === 'apply') return { value: (_self: unknown, given: unknown[]) => invoke(given) };
  if (name === 'bind')
    return {
      value:
        () =>
        (...given: unknown[]) =>
          invoke(given),
    };
  if (name === 'name') return { value: path[path.length - 1] };
  if (name === 'length') return { value: 1 };
  return undefined;
}

function inList(list: readonly string[], name: unknown): boolean {
  for (let at = 0; at < list.length; at += 1) if (list[at] === name) return true;
  return false;
}

function jsonOf(builtins: Builtins, names: Names, path: readonly string[]): unknown {
  if (path.length === 0) return names.all();
  if (path.length === 1) return names.toolsOf(path[0] ?? '') ?? [];
  return shownPath(builtins, path);
}

/** The path as one writes it: `servers.github.create_issue`, `servers["my-server"].read`. */
function shownPath(builtins: Builtins, path: readonly string[]): string {
  let shown = 'servers';
  for (let at = 0; at < path.length; at += 1) {
    const name = path[at] ?? '';
    shown += isIdentifier(builtins, name) ? `.${name}` : `["${name}"]`;
  }
  return shown;
}

/** A tool where its result belongs is a call that was forgotten. */
function uncalled(builtins: Builtins, path: readonly string[]): string {
  const tool = shownPath(builtins, [path[0] ?? '', path[1] ?? '']);
  return `${tool} was not called, so there is only its name: write await ${tool}({ … }).`;
}

/** Sign by sign: a regular expression could be fooled. */
function isIdentifier(builtins: Builtins, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = builtins.codeAt(name, at);
    const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 36;
    const isDigit = code >= 48 && code <= 57;
    if (!isLetter && !(isDigit && at > 0)) return false;
  }
  return name !== '';
}

function callPath(
  builtins: Builtins,
  names: Names,
  requester: Requester,
  path: readonly string[],
  given: unknown[],
): Promise<unknown> {
  const shown = shownPath(builtins, path);
  const first = path[0] ?? '';
  const second = path[1];
  if (second !== undefined) {
    let tool = second;
    for (let at = 2; at < path.length; at += 1) tool += `.${path[at]}`;
    const server = names.serverNamed(first) ?? first;
    // `servers.github.callTool('create_issue', {…})`, as clients have it.
    const isClientForm =
      (tool === 'callTool' || tool === 'call_tool' || tool === 'call') && typeof given[0] === 'string';
    if (isClientForm && !inList(names.toolsOf(server) ?? [], tool))
      return requester.callTool({ server, tool: given[0] as string }, shown, [given[1]]);
    return requester.callTool({ server, tool }, shown, given);
  }
  const server = names.serverNamed(first);
  if (path.length === 1 && server === undefined) return requester.callTool({ toolKey: first }, shown, given);
  const list = server === undefined ? names.servers() : (names.toolsOf(server) ?? []);
  const examples = firstOf(builtins, list, 5);
  const what = server === undefined ? 'holds the servers' : 'is a server';
  return refuse(
    requester,
    `${shown} ${what} and cannot be called itself. Call a tool: await ${shown}.${server === undefined ? 'server.' : ''}tool({ … }). There are: ${examples}.`,
  );
}

async function refuse(requester: Requester, message: string): Promise<never> {
  throw requester.mistake(message);
}

function firstOf(builtins: Builtins, list: readonly string[], most: number): string {
  const shown: string[] = [];
  for (let at = 0; at < list.length && at < most; at += 1) builtins.push(shown, list[at]);
  return builtins.join(shown, ', ') + (list.length > most ? ` and ${list.length - most} more` : '');
}

/** Every function of this file that the prelude's source needs. */
export const serverParts: readonly ((...given: never[]) => unknown)[] = [
  makeNames,
  foldName,
  makeServers,
  copied,
  extended,
  bareFunction,
  trapsOf,
  ownMember,
  inList,
  jsonOf,
  shownPath,
  uncalled,
  isIdentifier,
  callPath,
  refuse,
  firstOf,
];
