/** The functions that a program finds beside `servers`, and the meta-tools under their own names. Runs in the guest: no imports but types. */

import type { Builtins } from './builtins.ts';
import type { CallTarget, Requester } from './calls.ts';
import type { Converter } from './convert.ts';
import type { Names } from './servers.ts';

type Loose = Record<string, unknown>;
/** Typed as what TypeScript calls a program's function: anything may come. */
export type GuestFunction = (...given: unknown[]) => unknown;

export function makeFunctions(
  builtins: Builtins,
  requester: Requester,
  converter: Converter,
  names: Names,
): Record<string, GuestFunction> {
  const asked = (kind: string, input: Loose, shown: string) => {
    const trace = new builtins.Error();
    return requester.ask(kind, converter.toJson(input, `The input of ${shown}`) ?? '{}', trace);
  };
  return {
    call: (...given) => callOf(builtins, requester, given),
    search: async (wanted, more) => {
      if (wanted === undefined) throw requester.mistake("search needs a query: await search('create an issue').");
      const isText = typeof wanted === 'string' || builtins.isArray(wanted);
      return asked('search', merged(builtins, isText ? { query: wanted } : wanted, more), 'search');
    },
    info: async (wanted, more) => {
      if (wanted === undefined) throw requester.mistake("info needs the name of a tool: await info('server:tool').");
      const isPair = typeof wanted === 'string' && typeof more === 'string';
      if (isPair) return asked('info', { server: wanted, tool: more }, 'info');
      return asked('info', merged(builtins, namedTool(builtins, wanted), more), 'info');
    },
    types: async (...given) => {
      const list: unknown[] = [];
      for (let at = 0; at < given.length; at += 1) {
        const one = given[at];
        if (!builtins.isArray(one)) builtins.push(list, builtins.text(one));
        else for (let inner = 0; inner < one.length; inner += 1) builtins.push(list, builtins.text(one[inner]));
      }
      return asked('types', { names: list.length > 0 ? list : names.servers() }, 'types');
    },
    keep: async (value, name) => {
      const json = converter.toJson(value, 'The value to keep');
      if (json === undefined) throw requester.mistake('keep needs a value that JSON can hold: await keep(value).');
      const trace = new builtins.Error();
      const label = name === undefined ? '' : `,"name":${builtins.stringify(builtins.text(name))}`;
      return requester.ask('keep', `{"value":${json}${label}}`, trace);
    },
    load: async (wanted) => {
      const uri = typeof wanted === 'object' && wanted !== null ? (wanted as Loose).uri : wanted;
      if (typeof uri !== 'string') throw requester.mistake("load takes an address: await load('toolcrib://result/…').");
      return asked('load', { uri }, 'load');
    },
  };
}

/** The meta-tools under their own names, with the arguments that they take outside. */
export function makeMetaTools(
  builtins: Builtins,
  requester: Requester,
  names: Names,
  functions: Record<string, GuestFunction>,
): Record<string, GuestFunction> {
  const { call, search, info, load } = functions as Record<string, GuestFunction> & {
    call: GuestFunction;
    search: GuestFunction;
    info: GuestFunction;
    load: GuestFunction;
  };
  const listTools: GuestFunction = async (wanted) => {
    const server = typeof wanted === 'string' ? wanted : (wanted as Loose | undefined)?.server;
    return typeof server === 'string' ? (names.toolsOf(server) ?? []) : names.all();
  };
  return {
    tool_discovery: search,
    search_tools: (wanted) => {
      const limit = typeof wanted === 'object' && wanted !== null ? (wanted as Loose).top_k : undefined;
      return search(wanted, limit === undefined ? undefined : { maxResults: limit });
    },
    tool_execute: call,
    call_tool: call,
    callTool: call,
    tool_info: info,
    get_tool_schema: (wanted) => info(wanted, { detail: 'full' }),
    read_result: load,
    list_tools: listTools,
    list_tools_meta: listTools,
    tool_capabilities: listTools,
    list_mcp_servers: async () => builtins.parse(builtins.stringify(names.servers())),
    call_tool_chain: async () => {
      throw requester.mistake('This is a chain already. Call tools here: await servers.name.tool({ … }).');
    },
  };
}

/** `call('server:tool', {…})`, `call('server', 'tool', {…})` and `call({ toolKey, arguments })` are all meant the same. */
function callOf(builtins: Builtins, requester: Requester, given: readonly unknown[]): Promise<unknown> {
  const rest: unknown[] = [];
  const first = given[0];
  if (typeof first === 'string' && first !== '') {
    const isPair = typeof given[1] === 'string' && builtins.indexOf(first, ':') === -1;
    for (let at = isPair ? 2 : 1; at < given.length; at += 1) builtins.push(rest, given[at]);
    const target: CallTarget = isPair
      ? { server: first, tool: given[1] as string }
      : { toolKey: plainKey(builtins, first) };
    return requester.callTool(target, shownCall(target), rest);
  }
  if (typeof first === 'object' && first !== null) {
    const named = namedTool(builtins, first);
    const target = named as CallTarget;
    if (typeof target.toolKey === 'string' || typeof target.tool === 'string')
      return requester.callTool(target, shownCall(target), [argumentsIn(builtins, first as Loose) ?? given[1]]);
  }
  return rejectWith(
    requester.mistake("call takes a tool and its arguments: await call('server:tool', { name: value })."),
  );
}

async function rejectWith(error: Error): Promise<never> {
  throw error;
}

function shownCall(target: CallTarget): string {
  return target.toolKey === undefined ? `servers["${target.server}"]["${target.tool}"]` : `call("${target.toolKey}")`;
}

/** `servers.github.create_issue` is how a program writes it, `github.create_issue` what the host reads. */
function plainKey(builtins: Builtins, key: string): string {
  return builtins.startsWith(key, 'servers.') ? builtins.slice(key, 8) : key;
}

/** The tool that an object or a text names, under any of the names in use for it. */
export function namedTool(builtins: Builtins, wanted: unknown): Loose {
  if (typeof wanted === 'string') return { toolKey: plainKey(builtins, wanted) };
  if (typeof wanted !== 'object' || wanted === null) return { toolKey: builtins.text(wanted) };
  const { function: inner, toolKey, tool_key, server, serverName, tool, toolName, name } = wanted as Loose;
  if (typeof inner === 'object' && inner !== null) return namedTool(builtins, inner);
  const ofServer = server ?? serverName;
  const ofTool = tool ?? toolName ?? name;
  if (typeof ofServer === 'string' && typeof ofTool === 'string') return { server: ofServer, tool: ofTool };
  const key = toolKey ?? tool_key ?? ofTool;
  return typeof key === 'string' ? { toolKey: plainKey(builtins, key) } : {};
}

/** The arguments beside the tool's name, under any of the names in use for them; JSON text is read. */
export function argumentsIn(builtins: Builtins, wanted: Loose): unknown {
  const { function: inner } = wanted;
  if (typeof inner === 'object' && inner !== null) return argumentsIn(builtins, inner as Loose);
  const found = wanted.arguments ?? wanted.args ?? wanted.parameters ?? wanted.params ?? wanted.input;
  if (typeof found !== 'string') return found;
  try {
    return builtins.parse(found);
  } catch {
    // Told as what it is, a text where an object belongs, when the call is made.
    return found;
  }
}

function merged(builtins: Builtins, first: unknown, more: unknown): Loose {
  const both = builtins.create(null) as Loose;
  const parts = [first, more];
  for (let part = 0; part < 2; part += 1) {
    const from = parts[part];
    if (typeof from !== 'object' || from === null) continue;
    const keys = builtins.keys(from);
    for (let at = 0; at < keys.length; at += 1) both[keys[at] as string] = (from as Loose)[keys[at] as string];
  }
  return both;
}

/** Every function of this file that the prelude's source needs. */
export const functionParts: readonly ((...given: never[]) => unknown)[] = [
  makeFunctions,
  makeMetaTools,
  callOf,
  rejectWith,
  shownCall,
  plainKey,
  namedTool,
  argumentsIn,
  merged,
];
