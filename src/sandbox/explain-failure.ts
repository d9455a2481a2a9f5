/** Explains a failure to the author of a program: the position in their own code, what happened, and what to do about it. */

import { type ErrorCode, errorCodes } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { printableLines } from '../base/text.ts';
import { bodyOpening, type GuestError, type Program, type ProgramEnd, programFile } from './guest-contract.ts';
import { excerptOf, syntaxHint } from './read-program/show-mistake.ts';
import type { ChainFailure } from './sandbox.ts';

const longestMessage = 1_000;
/** Code that was made small may be all on one line; no more of it is looked at. */
const longestLookedAt = 1_000;

export function explainFailure(end: ProgramEnd, program: Program): ChainFailure {
  const error = readError(end.errorJson);
  const position = likelyPosition(positionOf(error.stack ?? '', program), error.message ?? '', program);
  const whole = position === undefined ? '' : (codeLines(program)[position.line - 1] ?? '');
  const { line, column } = nearColumn(whole, position?.column ?? 1);
  const name = error.name ?? 'Error';
  const message = toldMessage(error.message ?? '', line, column);
  const isTrouble = name === 'ToolError' && error.code !== undefined && isErrorCode(error.code);
  const isUnawaited = position !== undefined && holdsPromise(codeLines(program), line, column);
  const facts: FailureFacts = { end, name, message, line, error, isUnawaited };
  const hint = end.reason === 'syntax' ? (error.hint ?? syntaxHint(message, line, program.source)) : hintFor(facts);
  return {
    reason: end.reason,
    name,
    message: message === '' ? 'The program failed.' : message,
    ...position,
    ...(whole.trim() !== '' && { excerpt: excerptOf(whole, position?.column) }),
    ...(hint !== undefined && hint !== '' && { hint }),
    ...(isTrouble && { code: error.code as ErrorCode }),
    ...(isTrouble && error.tool !== undefined && { tool: error.tool }),
  };
}

/** The words are the program's: takes texts only, and bounds them. */
function readError(json: string): GuestError {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    // Explained as a failure without words.
  }
  const fields: Record<string, unknown> = isObject(read) ? read : {};
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? { [name]: printableLines(value) } : {};
  };
  const texts = ['name', 'message', 'stack', 'code', 'tool', 'hint'].map(text);
  return Object.assign({ data: fields.data }, ...texts);
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code);
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The innermost position of the program's own code; nothing where that is a line that we added. */
function positionOf(stack: string, program: Program): Position | undefined {
  if (program.mode === 'calls') return undefined;
  const count = codeLines(program).length;
  for (const match of stack.matchAll(new RegExp(`\\b${programFile.replace('.', '\\.')}:(\\d+)(?::(\\d+))?`, 'g'))) {
    const sourceLine = Number(match[1]);
    const line = sourceLine - program.firstLine + 1;
    if (line < 1 || line > count) continue;
    const isShifted = program.mode === 'body' && sourceLine === 1;
    return { line, column: Math.max(1, Number(match[2] ?? 1) - (isShifted ? bodyOpening.length : 0)) };
  }
  return undefined;
}

/**
 * The machine has no position for an expression that begins with a literal or with `this`, and gives one further up: where the property that
 * could not be read is not on that line, the only line that names it is meant, or no position is given.
 */
function likelyPosition(position: Position | undefined, message: string, program: Program): Position | undefined {
  const property = /^cannot (?:read|set) property '([\w$]{1,100})' of/.exec(message)?.[1];
  if (position === undefined || property === undefined) return position;
  const word = new RegExp(`(?<![\\w$])${property.replaceAll('$', '\\$')}(?![\\w$])`);
  const lines = codeLines(program);
  if (word.test(lines[position.line - 1] ?? '')) return position;
  const naming = lines.flatMap((line, at) => (word.test(line) ? [at + 1] : []));
  const [line] = naming;
  return line === undefined || naming.length > 1
    ? undefined
    : { line, column: (lines[line - 1] ?? '').search(word) + 1 };
}

/** The code as its author sees it. */
function codeLines(program: Program): string[] {
  if (program.text !== undefined) return program.text.split('\n');
  return program.source.split('\n').slice(program.firstLine - 1);
}

/** The machine says "not a function" without a name; the line has it. */
function toldMessage(message: string, line: string, column: number): string {
  const bounded = message.slice(0, longestMessage);
  if (bounded !== 'not a function') return bounded;
  const callee = calleeAt(line, column - 1);
  return callee === undefined ? bounded : `${callee} is not a function`;
}

const namesBefore = /[A-Za-z_$][\w$]*(?:\??\.[\w$]+)*$/;

/** The names joined by dots that are called: the position is at their last dot, or at an argument behind them. */
function calleeAt(line: string, at: number): string | undefined {
  if (line[at] === '.') return namesBefore.exec(line.slice(0, at) + (/^\.[\w$]*/.exec(line.slice(at))?.[0] ?? ''))?.[0];
  const isCall = /^[\w$]+\s*\(/.test(line.slice(at));
  if (isCall && !/[\w$.(]$/.test(line.slice(0, at))) return /^[\w$]+/.exec(line.slice(at))?.[0];
  return isCall || line[at - 1] !== '(' ? undefined : namesBefore.exec(line.slice(0, at - 1))?.[0];
}

/** True if the name at the position was given a call's promise and not its result. */
function holdsPromise(lines: readonly string[], line: string, column: number): boolean {
  const start = namesBefore.exec(line.slice(0, column - 1).replace(/\($/, ''))?.[0] ?? '';
  const name = /^[\w$]+/.exec(start === '' ? line.slice(column - 1) : start)?.[0];
  if (name === undefined) return false;
  const assigned = new RegExp(
    `(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=\\s*(?:servers|tools|mcp|call|search|info)\\b`,
  );
  return lines.some((one) => assigned.test(one));
}

/** The same position in a line that is short enough to be searched. */
function nearColumn(line: string, column: number): { readonly line: string; readonly column: number } {
  if (line.length <= longestLookedAt) return { line, column };
  const start = Math.max(0, column - 1 - longestLookedAt / 2);
  return { line: line.slice(start, start + longestLookedAt), column: column - start };
}

interface FailureFacts {
  readonly end: ProgramEnd;
  readonly name: string;
  readonly message: string;
  /** The line of the program that is meant. */
  readonly line: string;
  readonly error: GuestError;
  /** The value that is meant was given a call without `await`. */
  readonly isUnawaited: boolean;
}

const noNetwork = "There is no network here. Use a tool: await search('fetch a web page').";
const noFiles = "There are no files here. Use a tool: await search('read a file').";
const noModules = 'Nothing can be loaded here. Tools are under `servers`: await servers.name.tool({ … }).';
const noClient = 'Tools are under `servers`: await servers.name.tool({ … }), or await call("server:tool", { … }).';
const noProcess = 'There is no process and no environment here. Use a tool, or write the value into the code.';
const noPage = "There is no browser here. Use a tool: await search('open a web page').";

/** Names that other surroundings have. */
const elsewhere: Readonly<Record<string, string>> = {
  fetch: noNetwork,
  XMLHttpRequest: noNetwork,
  WebSocket: noNetwork,
  axios: noNetwork,
  http: noNetwork,
  https: noNetwork,
  requests: noNetwork,
  require: noModules,
  client: noClient,
  session: noClient,
  __backends: noClient,
  process: noProcess,
  Deno: noProcess,
  Bun: noProcess,
  os: noProcess,
  child_process: noProcess,
  fs: noFiles,
  path: noFiles,
  __dirname: noFiles,
  Buffer: 'There is no Buffer here. Use TextEncoder, TextDecoder, atob and btoa.',
  URL: 'There is no URL here. Use encodeURIComponent and text functions.',
  URLSearchParams: 'There is no URLSearchParams here. Use encodeURIComponent.',
  Intl: 'There is no Intl here. Use toFixed, padStart or toISOString.',
  window: noPage,
  document: noPage,
  localStorage: 'A chain leaves nothing behind by itself. Use await keep(value), and await load(uri) in a later one.',
  print: 'Write console.log(…).',
  None: 'This is JavaScript: write null.',
  True: 'This is JavaScript: write true.',
  False: 'This is JavaScript: write false.',
  json: 'This is JavaScript: write JSON.parse(…) or JSON.stringify(…).',
  global: 'Write globalThis.',
};

const ourGlobals = (
  'servers tools mcp call search info types keep load sleep console setTimeout structuredClone tool_discovery ' +
  'tool_execute tool_info tool_capabilities call_tool search_tools get_tool_schema list_tools list_mcp_servers read_result'
).split(' ');

/** Nothing for ends that the engine brings about: advice about a limit depends on its reader, and on who set it. */
function hintFor(facts: FailureFacts): string | undefined {
  const { end, error } = facts;
  if (end.reason !== 'thrown') return undefined;
  return error.name === 'ToolError' ? troubleHint(facts) : (error.hint ?? languageHint(facts));
}

/** Trouble of a call, with what the host said about it first. */
function troubleHint({ end, error }: FailureFacts): string | undefined {
  const { code, hint, tool } = error;
  if (code === 'ARGUMENTS_INVALID' && tool !== undefined) {
    const lookUp = `Look up the arguments first: await info('${tool}') or await types('${tool}').`;
    return hint?.includes('info(') ? hint : joined(hint, lookUp);
  }
  if (code === 'TOOL_NOT_FOUND' || code === 'SERVER_NOT_FOUND') {
    return hint ?? joined(meantNames(end, tool ?? ''), "Look for tools with await search('what you need').");
  }
  if (code === 'TIMEOUT')
    return hint ?? 'The tool did not answer in time. Ask it for less, or catch the error and go on.';
  return hint;
}

/** One text of several, each a sentence of its own: what a host says may lack the full stop. */
const joined = (...sentences: readonly (string | undefined)[]) =>
  sentences
    .filter((one): one is string => one !== undefined && one !== '')
    .map((one) => (/[.?!]$/.test(one) ? one : `${one}.`))
    .join(' ');

/** "Did you mean", from the tools and servers that there are. */
function meantNames(end: ProgramEnd, wanted: string): string | undefined {
  const names = readNames(end);
  const [server = '', tool = ''] = wanted.split(':');
  const tools = (names.get(server) ?? [...names.values()].flat()) as readonly string[];
  const near = nearest(tool === '' ? server : tool, tools, 3);
  if (near.length > 0) return `Near names: ${near.map((one) => shown(names, one, server)).join(', ')}.`;
  const servers = nearest(server, end.serverNames, 3);
  return servers.length > 0 ? `Servers with near names: ${servers.join(', ')}.` : undefined;
}

function shown(names: ReadonlyMap<string, readonly string[]>, tool: string, server: string): string {
  const owner = names.has(server) ? server : [...names].find(([, tools]) => tools.includes(tool))?.[0];
  return accessTo(owner ?? server, tool);
}

/** How one writes it. */
function accessTo(server: string, tool?: string): string {
  const member = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `["${name}"]`);
  return `servers${member(server)}${tool === undefined ? '' : member(tool)}`;
}

function readNames(end: ProgramEnd): ReadonlyMap<string, readonly string[]> {
  const read: unknown = JSON.parse(end.namesJson);
  const entries = isObject(read) ? Object.entries(read) : [];
  return new Map(entries.map(([server, tools]) => [server, Array.isArray(tools) ? tools.map(String) : []]));
}

/** Mistakes against the language, as far as the machine's few words show them. */
function languageHint({ end, name, message, line, isUnawaited }: FailureFacts): string | undefined {
  const missing = /^'?([\w$]+)'? is not defined$/.exec(message)?.[1];
  if (name === 'ReferenceError' && missing !== undefined) return missingName(end, missing);
  const isAwaited = /\bawait\b/.test(line);
  const isCall = /\b(?:servers|tools|mcp)\s*[.[]|\bcall\s*\(/.test(line);
  if (message.includes('[object Promise]')) return 'Put `await` before the call whose result this is.';
  if (/is not initialized/.test(message)) return 'Declare it above the line that uses it.';
  if (/JSON\.parse/.test(line) && name === 'SyntaxError') return 'JSON results are already parsed: remove JSON.parse.';
  const isShape = /of (?:undefined|null)\b|not a function$|not iterable|undefined or null/.test(message);
  if (!isShape) return undefined;
  if (/\.then is not a function$/.test(message))
    return 'Call a tool named "then" like this: await call("server:then", { … }).';
  if (isUnawaited || (isCall && !isAwaited)) return 'Put `await` before the call: without it there is only a Promise.';
  if (/\.(?:content|structuredContent|result)\b/.test(line))
    return 'A call returns the data itself, without content, structuredContent or result around it. Print it with console.log to see it.';
  return 'The value does not have the expected shape. Print it with console.log, or look up the shape of the result: await info("server:tool", { detail: "full" }).';
}

function missingName(end: ProgramEnd, name: string): string | undefined {
  const known = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  if (known !== undefined) return known;
  const names = readNames(end);
  const folded = (text: string) => text.toLowerCase().replace(/[-_. ]/g, '');
  for (const [server, tools] of names) {
    const same = tools.find(
      (tool) => folded(tool) === folded(name) || folded(name).endsWith(folded(`${server}${tool}`)),
    );
    if (same !== undefined) return `Write await ${accessTo(server, same)}({ … }).`;
  }
  const servers = nearest(name, end.serverNames, 1).map((server) => accessTo(server));
  const ours = nearest(name, ourGlobals, 1);
  const tools = nearest(name, new Set([...names.values()].flat()), 2).map((tool) => shown(names, tool, ''));
  const near = [...ours, ...servers, ...tools];
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return 'Declare it first. These globals exist: servers, call, search, info, types, keep, load, sleep, console.';
}
