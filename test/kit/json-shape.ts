/** The shape of JSON values: each member by its path, with the types that were seen there. */

/** Members whose content is not ours to describe: schemas, arguments and results of tools, tables by name. */
const opaque = new Set([
  ...['inputSchema', 'outputSchema', 'annotations', 'definition', 'content', 'structuredContent', 'result', 'script'],
  ...[
    'permissions',
    'aliases',
    'settings',
    'properties',
    'allOf',
    '$defs',
    'headers',
    'env',
    '_meta',
    'explanation',
    'detail',
  ],
]);

export interface Member {
  readonly types: ReadonlySet<string>;
  /** Some objects have it and others have not. */
  readonly isOptional: boolean;
}

/** By path: `tools[].name`; the value itself has the path `(all)`. */
export type Shape = ReadonlyMap<string, Member>;

interface Seen {
  readonly types: Set<string>;
  count: number;
}

export function shapeOf(values: readonly unknown[]): Shape {
  const seen = new Map<string, Seen>();
  const visit = (value: unknown, path: string, key: string) => {
    const entry = seen.get(path) ?? { types: new Set<string>(), count: 0 };
    seen.set(path, entry);
    entry.types.add(typeOf(value));
    entry.count += 1;
    if (opaque.has(key)) return;
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, '');
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`, name);
  };
  for (const value of values) visit(value, '', '');
  return new Map(
    [...seen].map(([path, { types, count }]) => [
      path.replace(/^\./, '') || '(all)',
      { types, isOptional: path.endsWith(']') ? false : count < objectsAt(seen, path) },
    ]),
  );
}

/** How many objects there are that could have the member. */
function objectsAt(seen: ReadonlyMap<string, Seen>, path: string): number {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  const { types, count } = seen.get(parent) ?? { types: new Set(), count: 0 };
  return types.size === 1 ? count : 0;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

export function writeShape(shape: Shape): string {
  return [...shape]
    .map(([path, { types, isOptional }]) => `${path}${isOptional ? '?' : ''}  ${[...types].sort().join(' | ')}`)
    .join('\n');
}

export function readShape(text: string): Shape {
  return new Map(
    text.split('\n').map((line): [string, Member] => {
      const [, path = '', mark, types = ''] = /^(\S+?)(\?)? {2}(.*)$/.exec(line) ?? [];
      return [path, { types: new Set(types.split(' | ')), isOptional: mark === '?' }];
    }),
  );
}

/** Members that are described otherwise than they were seen. Null stands for any value that is not there. */
export function differences(described: Shape, seen: Shape): string[] {
  const unknown = [...seen].flatMap(([path, { types }]) => {
    const known = described.get(path)?.types;
    if (known === undefined) return [`${path} is not described`];
    const isFine = known.has('null') || [...types].every((type) => type === 'null' || known.has(type));
    return isFine ? [] : [`${path} is ${[...types].join(' | ')}, not ${[...known].join(' | ')}`];
  });
  const missing = [...described].flatMap(([path, { isOptional }]) => {
    const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '(all)';
    const isExpected = !isOptional && !path.endsWith(']') && seen.get(parent)?.types.has('object');
    return isExpected && !seen.has(path) ? [`${path} is described and was not printed`] : [];
  });
  return [...unknown, ...missing];
}
