/** The texts a model sees: the same words as in `model/texts.py`, or vectors made here and there would not meet. */

const limits = { description: 430, parameters: 12, parts: 8 };
/** A part with fewer words says too little to be looked for on its own. */
const fewestWords = 3;

const caseBoundary = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])/g;
const notWord = /[^\p{L}\p{N}]+/gu;
const space = /\s+/g;
const sentenceEnd = /(?<=[.!?;。！？；])\s*(?=\s|[^\x00-\x7f])|\n+/u;

export interface DescribedTool {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string }[];
}

/** One line a tool: name in words | server | description | parameter names. */
export function textOfTool(tool: DescribedTool): string {
  const parameters = tool.parameters.slice(0, limits.parameters).map((parameter) => inWords(parameter.name));
  const fields = [
    inWords(tool.name),
    inWords(tool.server),
    firstCharacters(squeezed(tool.description), limits.description),
    parameters.join(', '),
  ];
  return fields.filter((field) => field !== '').join(' | ');
}

/** The sentences of a query that has several; none for a plain one. */
export function partsOf(query: string): string[] {
  const parts = sentencesOf(query);
  return parts.length > 1 ? parts.slice(0, limits.parts) : [];
}

/** The sentences that are too many: they count in the whole query, but nothing looks for them one by one. */
export function partsBeyond(query: string): string[] {
  return sentencesOf(query).slice(limits.parts);
}

function sentencesOf(query: string): string[] {
  return query
    .split(sentenceEnd)
    .map(squeezed)
    .filter((part) => part.split(' ').length >= fewestWords);
}

/** `getUserName`, `get_user.name` → `get user name`. */
function inWords(name: string): string {
  return name.replace(caseBoundary, ' ').replace(notWord, ' ').trim().toLowerCase();
}

/** Whole characters, as Python counts them: one outside the basic plane is not cut in two. */
function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function squeezed(text: string): string {
  return text.replace(space, ' ').trim();
}
