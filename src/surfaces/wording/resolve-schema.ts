/** JSON schemas as servers write them: references followed, and parts that belong together joined. */

export type Schema = Readonly<Record<string, unknown>>;

/** References that are followed one after the other, and schemas in one `allOf`. */
const mostReferences = 20;

/** The schema with its references followed and its `allOf` joined. One that cannot be read is an empty one. */
export function resolveSchema(given: unknown, root: unknown): Schema {
  let schema = isSchema(given) ? given : {};
  for (let count = 0; count < mostReferences; count += 1) {
    const { $ref: reference, allOf, ...own } = schema;
    if (typeof reference === 'string') {
      const target = pointedAt(root, reference);
      // Members beside a reference say more than what it refers to.
      schema = { ...(isSchema(target) ? target : {}), ...own, ...(allOf !== undefined && { allOf }) };
    } else if (Array.isArray(allOf)) {
      schema = allOf
        .slice(0, mostReferences)
        .reduce((all: Schema, part: unknown) => joinSchemas(all, shallow(part, root)), own);
    } else return schema;
  }
  return {};
}

/** One step of following, which `resolveSchema` goes on with. */
function shallow(part: unknown, root: unknown): Schema {
  const schema = isSchema(part) ? part : {};
  const target = typeof schema.$ref === 'string' ? pointedAt(root, schema.$ref) : undefined;
  const { $ref: _, ...own } = schema;
  return isSchema(target) ? { ...target, ...own } : own;
}

/** Members of both; where they differ, those of the first. */
export function joinSchemas(one: Schema, other: Schema): Schema {
  const lists = (key: string) => [one[key], other[key]].filter(Array.isArray).flat();
  const properties = [one, other].map((schema) => (isSchema(schema.properties) ? schema.properties : {}));
  const isObject = one.properties !== undefined || other.properties !== undefined;
  return {
    ...other,
    ...one,
    ...(isObject && { properties: Object.assign({}, ...properties) }),
    ...(lists('required').length > 0 && { required: lists('required') }),
    ...(lists('allOf').length > 0 && { allOf: lists('allOf') }),
  };
}

/** A JSON pointer within the schema; nothing is fetched from elsewhere. */
function pointedAt(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return (isSchema(at) || Array.isArray(at)) && Object.hasOwn(at, name) ? (at as Schema)[name] : undefined;
  }, root);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
