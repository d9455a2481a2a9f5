/** The prelude, which runs in the virtual machine before a program: makes its globals and keeps the bridge to the host out of its reach. */

import type { GuestBridge, GuestEntry, GuestError } from '../guest-contract.ts';
import { type Builtins, takeBuiltins } from './builtins.ts';
import { type CallTarget, callParts, makeRequester } from './calls.ts';
import { consoleParts, makePrinter } from './console.ts';
import { type Converter, converterParts, makeConverter } from './convert.ts';
import { finisherParts, makeFinisher } from './finish.ts';
import {
  argumentsIn,
  functionParts,
  type GuestFunction,
  makeFunctions,
  makeMetaTools,
  namedTool,
} from './functions.ts';
import { globalParts, makeClone, makeCrypto, makeTextCoders, makeTimers, tellOfLocales } from './globals.ts';
import { makeNames, makeServers, type Names, type ServerTree, serverParts } from './servers.ts';

type Loose = Record<string, unknown>;

export function guestPrelude(bridge: GuestBridge): GuestEntry {
  const builtins = takeBuiltins();
  const { log, sleep } = bridge;
  const notes = makeNotes(builtins);
  const converter = makeConverter(builtins, notes.tell);
  const names = makeNames(builtins, bridge);
  const requester = makeRequester(builtins, bridge, converter, notes.tell);
  const printer = makePrinter(builtins, converter, log);
  const functions = makeFunctions(builtins, requester, converter, names);
  const metaTools = makeMetaTools(builtins, requester, names, functions);
  const module = { exports: {} };
  const timers = makeTimers(builtins, sleep);
  const extras: Loose = { ...functions, ...metaTools, ...timers.globals, console: printer.console };
  const tree = makeServers(builtins, requester, names, extras);
  const others = { structuredClone: makeClone(builtins), crypto: makeCrypto(builtins), ...makeTextCoders(builtins) };
  const globals: Loose = { ...extras, ...others, module, exports: module.exports };
  installGlobals(builtins, globals, names, tree);
  tellOfLocales(builtins, notes.tell);
  extras.servers = extras.tools = extras.mcp = tree.servers;
  const finisher = makeFinisher(builtins, { kit: tree.servers, isNode: tree.isNode, tell: notes.tell, module });
  return {
    finish: finisher.finish,
    settle(value) {
      const shown = tree.isNode(value) ? (value as { toJSON(): unknown }).toJSON() : value;
      const json = converter.toJson(shown, 'result');
      if (json === undefined && !printer.hasPrinted()) notes.tell(nothingGiven(finisher.hasReturned()));
      if (json !== undefined && builtins.indexOf(json, '[object Promise]') !== -1)
        notes.tell('The result holds the text "[object Promise]": an `await` is missing before a call.');
      return json;
    },
    failure(error) {
      try {
        return describeError(builtins, converter, error);
      } catch {
        // A program that has broken the very writing of texts still gets an end.
        return '{"name":"Error","message":"The program failed and could not say why."}';
      }
    },
    notes(hasGiven) {
      if (hasGiven === 1 && timers.waiting() > 0)
        notes.tell('A timer or sleep was still waiting when the program ended, so the code after it did not run.');
      return notes.list();
    },
    runCalls: (source) => runCalls(builtins, { ...functions, ...metaTools }, source),
  };
}

function nothingGiven(hasReturned: boolean): string {
  return hasReturned
    ? 'The program returned undefined, so there is no result.'
    : 'The program gave no result. End it with `return value`.';
}

function makeNotes(builtins: Builtins) {
  const { hasOwn, stringify } = builtins;
  const most = 20;
  let count = 0;
  // Kept as text: what a program does to lists must not change how this one is written.
  let told = '';
  const seen = builtins.create(null) as Record<string, boolean>;
  return {
    tell(sentence: string): void {
      if (count >= most || hasOwn(seen, sentence)) return;
      seen[sentence] = true;
      told += `${count === 0 ? '' : ','}${stringify(builtins.slice(sentence, 0, 300))}`;
      count += 1;
    },
    list: () => `[${told}]`,
  };
}

/** A program can declare any of them itself, as `const search = …`. */
function installGlobals(builtins: Builtins, globals: Loose, names: Names, tree: ServerTree): void {
  const { global, keys } = builtins;
  const define = (name: string, value: unknown) =>
    builtins.defineProperty(global, name, { value, writable: true, configurable: true, enumerable: false });
  const ours = keys(globals);
  for (let at = 0; at < ours.length; at += 1) define(ours[at] as string, globals[ours[at] as string]);
  define('servers', tree.servers);
  const servers = names.servers();
  for (let at = 0; at < servers.length; at += 1) {
    const name = servers[at] as string;
    if (!(name in global)) define(name, tree.servers[name]);
  }
  // After all exact names, because one of them may be the name of another server with an underscore for its dash.
  for (let at = 0; at < servers.length; at += 1) {
    const name = servers[at] as string;
    let plain = '';
    for (let index = 0; index < name.length; index += 1) plain += name[index] === '-' ? '_' : name[index];
    if (!(plain in global)) define(plain, tree.servers[name]);
  }
  // After the servers, because one of them may be called so.
  if (!('tools' in global)) define('tools', tree.servers);
  if (!('mcp' in global)) define('mcp', tree.servers);
}

/** Reads a thrown value with care: any of it may be a getter that throws. */
function describeError(builtins: Builtins, converter: Converter, error: unknown): string {
  const mostChars = 4_000;
  const found: Loose = builtins.create(null);
  const fields: readonly (keyof GuestError)[] = ['name', 'message', 'stack', 'code', 'tool', 'hint'];
  if (typeof error !== 'object' || error === null) {
    found.name = 'Error';
    found.message =
      typeof error === 'string' ? builtins.slice(error, 0, mostChars) : `${builtins.text(error)} was thrown`;
    return builtins.stringify(found);
  }
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] as string;
    try {
      const text = (error as Loose)[field];
      if (typeof text === 'string') found[field] = builtins.slice(text, 0, mostChars);
    } catch {
      // A member that cannot be read is left out.
    }
  }
  try {
    if (found.message === '') found.message = found.name;
    found.message ??= builtins.slice(converter.toJson(error) ?? '', 0, mostChars);
    const inner = (error as { errors?: unknown[] }).errors?.[0] ?? (error as { cause?: unknown }).cause;
    const innerMessage = (inner as { message?: unknown } | undefined)?.message;
    if (typeof innerMessage === 'string') found.message = `${found.message} (${builtins.slice(innerMessage, 0, 500)})`;
    const data = converter.toJson((error as Loose).data);
    if (data !== undefined && data.length <= mostChars) found.data = builtins.parse(data);
  } catch {
    // As above.
  }
  return builtins.stringify(found);
}

/** Calls that were written as JSON: one gives its result, several give a list with each one's result or error. */
async function runCalls(
  builtins: Builtins,
  functions: Record<string, GuestFunction>,
  source: string,
): Promise<unknown> {
  const calls = builtins.parse(source) as Loose[];
  const run = async (target: CallTarget, given: unknown) => {
    const name = target.toolKey ?? '';
    // A meta-tool may be called so, too.
    const own = builtins.hasOwn(functions, name) ? functions[name] : undefined;
    return own === undefined ? functions.call?.(target, given) : own(given);
  };
  // A wrong name fails before anything is done.
  for (let at = 0; at < calls.length && calls.length > 1; at += 1) {
    const target = namedTool(builtins, calls[at]) as CallTarget;
    const isOwn = builtins.hasOwn(functions, target.toolKey ?? '');
    if (!isOwn) await functions.info?.(target, { detail: 'brief' });
  }
  const given: Loose[] = [];
  let firstError: unknown;
  let failed = 0;
  for (let at = 0; at < calls.length; at += 1) {
    const one = calls[at] as Loose;
    const target = namedTool(builtins, one) as CallTarget;
    const tool = target.toolKey ?? `${target.server}:${target.tool}`;
    try {
      const result = await run(target, argumentsIn(builtins, one));
      if (calls.length === 1) return result;
      builtins.push(given, { tool, result });
    } catch (error) {
      // Too many calls for one is too many for all that follow.
      if ((error as { code?: unknown }).code === 'RATE_LIMITED') throw error;
      failed += 1;
      firstError ??= error;
      builtins.push(given, { tool, error });
    }
  }
  if (failed === calls.length) throw firstError;
  return given;
}

const parts: readonly ((...given: never[]) => unknown)[] = [
  takeBuiltins,
  ...converterParts,
  ...callParts,
  ...serverParts,
  ...consoleParts,
  ...functionParts,
  ...globalParts,
  ...finisherParts,
  nothingGiven,
  makeNotes,
  installGlobals,
  describeError,
  runCalls,
  guestPrelude,
];

/** A function expression that takes the bridge: every function of the prelude under the name by which the others call it. */
export const preludeSource = `(function (bridge) {\n'use strict';\n${parts.join('\n')}\nreturn guestPrelude(bridge);\n})`;
