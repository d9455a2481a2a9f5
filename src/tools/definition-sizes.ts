/** How many bytes definitions of tools are: they are immutable, so that each is measured once. */

type Definition = Readonly<Record<string, unknown>>;

/** All of it, as a server gave it. */
export const wholeBytes = measuredOnce((definition) => definition);

/** What agents pass on to their models: name, description and input schema. */
export const shownBytes = measuredOnce(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));

function measuredOnce(part: (definition: Definition) => Definition): (definition: object) => number {
  const sizes = new WeakMap<object, number>();
  return (definition) => {
    const size = sizes.get(definition) ?? Buffer.byteLength(JSON.stringify(part(definition as Definition)));
    sizes.set(definition, size);
    return size;
  };
}
