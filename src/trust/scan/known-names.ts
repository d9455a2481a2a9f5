/** The names of all other tools and servers, prepared once for the many definitions that are seen beside the same ones. */

import type { Neighbours } from '../judgement.ts';
import { nameShape } from './look-alikes.ts';

export interface OtherTool {
  readonly server: string;
  readonly tool: string;
}

export interface KnownNames {
  /** In small letters. */
  readonly servers: ReadonlySet<string>;
  /** Tools of each server, in small letters. */
  readonly toolsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that cannot be taken for ordinary words, in small letters, with the server. */
  readonly distinct: ReadonlyMap<string, string>;
  /** Distinct names of two words or more as they are spoken, with the name. */
  readonly spelledOut: readonly (readonly [phrase: string, name: string])[];
  /** By what the name looks like. */
  readonly byShape: ReadonlyMap<string, readonly OtherTool[]>;
  /** By what it looks like together with its server. */
  readonly byFullShape: ReadonlyMap<string, OtherTool>;
  /** By the letters that occur in it: where names that differ by a slip are found. */
  readonly byLetters: ReadonlyMap<string, readonly OtherTool[]>;
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

const prepared = new WeakMap<Neighbours['others'], KnownNames>();

export function knownNames({ others }: Neighbours): KnownNames {
  const known = prepared.get(others);
  if (known !== undefined) return known;
  const made = prepare(others);
  prepared.set(others, made);
  return made;
}

function prepare(others: Neighbours['others']): KnownNames {
  const tools = [...others].flatMap(([server, names]) => [...names].map((tool) => ({ server, tool })));
  const lowered = [...others].map(
    ([server, names]) => [server.toLowerCase(), new Set([...names].map((name) => name.toLowerCase()))] as const,
  );
  return {
    servers: new Set(lowered.map(([server]) => server).filter((server) => !anybodysName.has(server))),
    toolsOf: new Map(lowered),
    distinct: new Map(
      tools.filter(({ tool }) => isDistinct(tool)).map(({ server, tool }) => [tool.toLowerCase(), server]),
    ),
    spelledOut: tools
      .filter(({ tool }) => isDistinct(tool) && /[a-z][_-][a-z]/i.test(tool))
      .slice(0, mostSpelledOut)
      .map(({ tool }) => [tool.toLowerCase().replace(/[_-]+/g, ' '), tool.toLowerCase()] as const),
    byShape: Map.groupBy(tools, ({ tool }) => nameShape(tool)),
    byFullShape: new Map(tools.map((item) => [nameShape(item.server) + nameShape(item.tool), item])),
    byLetters: Map.groupBy(tools, ({ tool }) => lettersOf(tool)),
  };
}

/** Written as a name, and not as a word. */
export function isDistinct(name: string): boolean {
  return name.length >= 5 && /[_:./-]|\p{Ll}\p{Lu}|\d/u.test(name);
}

export function lettersOf(name: string): string {
  return [...new Set(name.toLowerCase())].sort().join('');
}
