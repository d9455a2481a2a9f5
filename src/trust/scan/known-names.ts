/** The names of all tools and servers, kept so that one server's change costs nothing for the others, and seen from beside one server. */

import type { Neighbours } from '../judgement.ts';
import { isSlip, nameShape } from './look-alikes.ts';

export interface OtherTool {
  readonly server: string;
  readonly tool: string;
}

/** Servers that are called by a word which every text may hold. */
const anybodysName = new Set([
  'mcp',
  'server',
  'tool',
  'tools',
  'api',
  'app',
  'client',
  'local',
  'remote',
  'test',
  'main',
  'default',
  'search',
  'files',
  'time',
  'data',
]);
/** Names that are looked for as phrases. */
const mostSpelledOut = 300;
/** Names of servers are shorter than those of tools. */
const shortestServerSlip = 5;

const nobody: readonly string[] = [];

/** Names by a key that several may share, each list in order. */
class KeyedNames {
  readonly #keyOf: (name: string) => string;
  readonly #names = new Map<string, string[]>();

  constructor(keyOf: (name: string) => string) {
    this.#keyOf = keyOf;
  }

  get(key: string): readonly string[] {
    return this.#names.get(key) ?? nobody;
  }

  add(name: string): void {
    insert(this.#names, this.#keyOf(name), name);
  }

  remove(name: string): void {
    takeOut(this.#names, this.#keyOf(name), name);
  }
}

/** A name of two words or more as it is spoken, with the name. */
type SpelledOut = readonly [phrase: string, name: string];

/** The tools of all servers by every key that a scan looks names up with. */
export class NameIndex {
  /** The same names as neighbours are told by. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #names = new Map<string, ReadonlySet<string>>();
  /** The servers that have a tool of this very name. */
  readonly #holders = new Map<string, string[]>();
  readonly #byWord = new KeyedNames((tool) => tool.toLowerCase());
  readonly #byShape = new KeyedNames(nameShape);
  readonly #byLetters = new KeyedNames(lettersOf);
  readonly #serversByShape = new KeyedNames(nameShape);
  readonly #serversByLetters = new KeyedNames(lettersOf);
  /** Of each server the first names that are worth looking for as phrases. */
  readonly #spelledOut = new Map<string, readonly SpelledOut[]>();
  /** Sorted; undefined after a server came or went. */
  #order: readonly string[] | undefined;
  /** The views since the last change. */
  readonly #beside = new Map<string, KnownNames>();

  constructor(names: Neighbours['others'] = new Map()) {
    this.names = this.#names;
    indexes.set(this.names, this);
    for (const [server, tools] of names) this.set(server, tools);
  }

  /** The tools of a server from now on; undefined: there is no such server any more. */
  set(server: string, tools: ReadonlySet<string> | undefined): void {
    this.#beside.clear();
    const before = this.#names.get(server);
    if ((before === undefined) !== (tools === undefined)) this.#setServer(server, tools !== undefined);
    for (const tool of before ?? []) if (!tools?.has(tool)) this.#removeTool(server, tool);
    for (const tool of tools ?? []) if (!before?.has(tool)) this.#addTool(server, tool);
    if (tools === undefined) {
      this.#names.delete(server);
      this.#spelledOut.delete(server);
    } else {
      this.#names.set(server, tools);
      this.#spelledOut.set(server, spelledOutIn(tools));
    }
  }

  beside(server: string): KnownNames {
    const view = this.#beside.get(server) ?? new KnownNames(this, server);
    this.#beside.set(server, view);
    return view;
  }

  #setServer(server: string, isThere: boolean): void {
    const act = isThere ? 'add' : 'remove';
    this.#serversByShape[act](server);
    this.#serversByLetters[act](server);
    this.#order = undefined;
  }

  #addTool(server: string, tool: string): void {
    const isNew = !this.#holders.has(tool);
    insert(this.#holders, tool, server);
    if (isNew) for (const names of [this.#byWord, this.#byShape, this.#byLetters]) names.add(tool);
  }

  #removeTool(server: string, tool: string): void {
    takeOut(this.#holders, tool, server);
    if (this.#holders.has(tool)) return;
    for (const names of [this.#byWord, this.#byShape, this.#byLetters]) names.remove(tool);
  }

  /** In order. */
  holdersOf(tool: string): readonly string[] {
    return this.#holders.get(tool) ?? nobody;
  }

  hasTool(server: string, tool: string): boolean {
    return this.#names.get(server)?.has(tool) ?? false;
  }

  /** Names that are this word in small letters. */
  readAs(word: string): readonly string[] {
    return this.#byWord.get(word);
  }

  shapedAs(shape: string): readonly string[] {
    return this.#byShape.get(shape);
  }

  /** Names with the same letters and digits: where those that differ by a slip are found. */
  withLettersOf(name: string): readonly string[] {
    return this.#byLetters.get(lettersOf(name));
  }

  serversShapedAs(shape: string): readonly string[] {
    return this.#serversByShape.get(shape);
  }

  serversWithLettersOf(name: string): readonly string[] {
    return this.#serversByLetters.get(lettersOf(name));
  }

  /** The first of all others, in order. */
  spelledOutBeside(own: string): readonly SpelledOut[] {
    this.#order ??= [...this.#names.keys()].sort();
    const found: SpelledOut[] = [];
    for (const server of this.#order) {
      if (found.length >= mostSpelledOut) break;
      if (server !== own) found.push(...(this.#spelledOut.get(server) ?? []));
    }
    return found.slice(0, mostSpelledOut);
  }
}

/** The index of each set of names that there is one for. */
const indexes = new WeakMap<Neighbours['others'], NameIndex>();

/** What one server's definitions are seen beside: its own names do not count. Where several tools would do, the first counts: by server, then by name. */
export class KnownNames {
  /** Distinct names of two words or more. */
  readonly spelledOut: readonly SpelledOut[];
  readonly #index: NameIndex;
  readonly #own: string;
  /** Servers that are called like this one. */
  readonly #namesakes: readonly string[];

  constructor(index: NameIndex, own: string) {
    this.#index = index;
    this.#own = own;
    this.spelledOut = index.spelledOutBeside(own);
    const slips = index.serversWithLettersOf(own).filter((server) => isSlip(own, server, shortestServerSlip));
    const namesakes = new Set([...index.serversShapedAs(nameShape(own)), ...slips]);
    namesakes.delete(own);
    this.#namesakes = [...namesakes].sort();
  }

  isNamesake(server: string): boolean {
    return this.#namesakes.includes(server);
  }

  hasServer(word: string): boolean {
    return word !== this.#own && !anybodysName.has(word) && this.#index.names.has(word);
  }

  /** `word`: in small letters. */
  hasTool(server: string, word: string): boolean {
    return server !== this.#own && this.#index.readAs(word).some((tool) => this.#index.hasTool(server, tool));
  }

  /** The last server with a tool of this name, if the name cannot be taken for an ordinary word. */
  ownerOf(word: string): string | undefined {
    const last = (tool: string) => this.#index.holdersOf(tool).findLast((server) => server !== this.#own);
    const owners = this.#index
      .readAs(word)
      .filter(isDistinct)
      .flatMap((tool) => last(tool) ?? []);
    return owners.length > 1 ? owners.sort().at(-1) : owners[0];
  }

  /** The first tool whose name looks like this and is meant. */
  likeShape(shape: string, isMeant: (tool: string) => boolean): OtherTool | undefined {
    return this.#firstOf(this.#index.shapedAs(shape).filter(isMeant));
  }

  /** The first tool whose name has the letters of this one and is meant. */
  likeLetters(name: string, isMeant: (tool: string) => boolean): OtherTool | undefined {
    return this.#firstOf(this.#index.withLettersOf(name).filter(isMeant));
  }

  /**
   * Of each name that looks like this, the first tool, and the first of a server that is called like the own one: a tool of
   * any other server is no more like it than these.
   */
  alike(shape: string): OtherTool[] {
    const found = this.#index.shapedAs(shape).flatMap((tool) => {
      const namesake = this.#namesakes.find((server) => this.#index.hasTool(server, tool));
      const servers = new Set([this.#firstHolder(tool), namesake]);
      return [...servers].flatMap((server) => (server === undefined ? [] : [{ server, tool }]));
    });
    return found.sort(inOrder);
  }

  /** The last tool that looks like this when it is written behind the name of its server. */
  spelledWithServer(shape: string): OtherTool | undefined {
    const found: OtherTool[] = [];
    for (let at = 0; at <= shape.length; at += 1) {
      const servers = this.#index.serversShapedAs(shape.slice(0, at)).filter((server) => server !== this.#own);
      if (servers.length === 0) continue;
      for (const tool of this.#index.shapedAs(shape.slice(at)))
        for (const server of servers) if (this.#index.hasTool(server, tool)) found.push({ server, tool });
    }
    return found.sort(inOrder).at(-1);
  }

  #firstOf(tools: readonly string[]): OtherTool | undefined {
    const found = tools.flatMap((tool) => {
      const server = this.#firstHolder(tool);
      return server === undefined ? [] : [{ server, tool }];
    });
    return found.length > 1 ? found.sort(inOrder)[0] : found[0];
  }

  #firstHolder(tool: string): string | undefined {
    const [first, second] = this.#index.holdersOf(tool);
    return first === this.#own ? second : first;
  }
}

/** The names beside a definition; the index of the same others is made once. */
export function knownNames({ server, others }: Neighbours): KnownNames {
  const index = indexes.get(others) ?? new NameIndex(others);
  indexes.set(others, index);
  return index.beside(server);
}

function spelledOutIn(tools: ReadonlySet<string>): SpelledOut[] {
  const found: SpelledOut[] = [];
  for (const tool of tools) {
    if (found.length === mostSpelledOut) break;
    if (isDistinct(tool) && /[a-z][_-][a-z]/i.test(tool))
      found.push([tool.toLowerCase().replace(/[_-]+/g, ' '), tool.toLowerCase()]);
  }
  return found;
}

function inOrder(a: OtherTool, b: OtherTool): number {
  return compare(a.server, b.server) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function insert(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.splice(placeIn(list, value), 0, value);
}

function takeOut(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  const at = list === undefined ? -1 : placeIn(list, value);
  if (list?.[at] === value) list.splice(at, 1);
  if (list?.length === 0) lists.delete(key);
}

/** Where a value is, or belongs, in a sorted list. */
function placeIn(list: readonly string[], value: string): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((list[middle] ?? '') < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Written as a name, and not as a word. */
export function isDistinct(name: string): boolean {
  return name.length >= 5 && /[_:./-]|\p{Ll}\p{Lu}|\d/u.test(name);
}

/** The letters that occur in a name, and its digits in their order. */
function lettersOf(name: string): string {
  return `${[...new Set(name.toLowerCase())].sort().join('')} ${name.replace(/\D/g, '')}`;
}
