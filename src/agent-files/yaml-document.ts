/** Reads YAML of strangers. Its parts and its nesting are counted first, because the parser recurses and compares all keys of a map with each other. */

import { type Document, isAlias, isScalar, Lexer, Parser, parseDocument, visit } from 'yaml';
import { limits } from '../config/config.ts';

export class YamlMistake extends Error {
  readonly offset: number;

  constructor(offset: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.offset = offset;
  }
}

/** Names, values, signs and line breaks: a config has hundreds of them. */
const mostParts = 100_000;
/** Aliases of aliases can make a small file endless. */
const mostAliases = 100;

/** Throws YamlMistake. */
export function yamlDocument(text: string): Document {
  refuseShape(text);
  // The positions are enough: the parser's own excerpts take time with every mistake.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new YamlMistake(error.pos[0], error.message, error);
  refuseKeys(document);
  return document;
}

/** Throws YamlMistake for an alias without an anchor, and for too many of them. */
export function yamlValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: mostAliases });
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    throw new YamlMistake(aliasAtFault(document), cause.message, cause);
  }
}

/** Before anything recurses. */
function refuseShape(text: string): void {
  const parser = new Parser();
  let parts = 0;
  for (const part of new Lexer().lex(text)) {
    parts += 1;
    if (parts > mostParts) throw new YamlMistake(parser.offset, `The file has more than ${mostParts} parts.`);
    for (const _token of parser.next(part));
    // Its parents: the document, and each map and list with the value that begins in it.
    if (parser.stack.length > limits.maxConfigDepth + 2)
      throw new YamlMistake(parser.offset, `Maps and lists are nested deeper than ${limits.maxConfigDepth} levels.`);
  }
}

function refuseKeys(document: Document): void {
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const offset = (key as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
        if (!isScalar(key) && !isAlias(key) && key !== null)
          throw new YamlMistake(offset, 'A key must be a name, not a map or a list.');
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) throw new YamlMistake(offset, 'Map keys must be unique');
        seen.add(name);
      }
    },
  });
}

/** The first alias without an anchor; else the last alias, since there are too many. */
function aliasAtFault(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      offset = alias.range?.[0] ?? offset;
      return alias.resolve(document) === undefined ? visit.BREAK : undefined;
    },
  });
  return offset;
}
