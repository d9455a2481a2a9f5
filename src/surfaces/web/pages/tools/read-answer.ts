/** The result of a call in the parts that a page shows. All of it was written by somebody else: only pictures of known types are not text. */

import { isSchema } from '../../../wording/wording.ts';

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'other'; readonly text: string };

export interface CallAnswer {
  readonly isError: boolean;
  readonly parts: readonly AnswerPart[];
  /** As JSON text; null where there is none, or where the text says the same. */
  readonly structured: string | null;
  /** Steps that may help after a failure. */
  readonly steps: readonly string[];
  /** Other tools for the purpose. */
  readonly suggestions: readonly string[];
  /** Set where this is only the beginning of a large result. */
  readonly storedId: string | null;
  readonly bytes: number | null;
}

export function readAnswer(result: Readonly<Record<string, unknown>>): CallAnswer {
  const meta = isSchema(result._meta) ? result._meta : {};
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const parts = blocks.filter(isSchema).map(readBlock);
  const trouble = [meta['toolcrib/trouble'], result.structuredContent].find(hasSteps);
  const stored = isSchema(meta['toolcrib/result']) ? meta['toolcrib/result'] : {};
  const fallback = isSchema(meta['toolcrib/fallback']) ? meta['toolcrib/fallback'] : (trouble ?? {});
  return {
    isError: result.isError === true,
    parts,
    structured: trouble === result.structuredContent ? null : structuredText(result.structuredContent, parts),
    steps: trouble?.recoverySteps.map(String) ?? [],
    suggestions: suggestionsIn(fallback.fallbackSuggestions),
    storedId: typeof stored.id === 'string' ? stored.id : null,
    bytes: typeof stored.bytes === 'number' ? stored.bytes : null,
  };
}

function hasSteps(
  value: unknown,
): value is { readonly recoverySteps: readonly unknown[]; readonly fallbackSuggestions?: unknown } {
  return isSchema(value) && Array.isArray(value.recoverySteps);
}

export function suggestionsIn(value: unknown): string[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return rows.filter(isSchema).flatMap(({ toolKey }) => (typeof toolKey === 'string' ? [toolKey] : []));
}

/** Many servers send the same twice. */
function structuredText(value: unknown, parts: readonly AnswerPart[]): string | null {
  if (value === undefined) return null;
  const isRepeated = parts.some((part) => part.kind === 'text' && sameJson(part.text, value));
  return isRepeated ? null : JSON.stringify(value, null, 2);
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** Pictures that run nothing: a drawing (SVG) is shown as text. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

function readBlock(block: Readonly<Record<string, unknown>>): AnswerPart {
  const { type, text, data, mimeType } = block;
  if (type === 'text') return { kind: 'text', text: tidied(String(text ?? '')) };
  if (type === 'image' && typeof data === 'string' && pictures.test(String(mimeType)) && /^[\w+/=\s]*$/.test(data))
    return { kind: 'image', source: `data:${mimeType};base64,${data.replaceAll(/\s/g, '')}` };
  const resource = isSchema(block.resource) ? block.resource : {};
  if (type === 'resource' && typeof resource.text === 'string') return { kind: 'text', text: tidied(resource.text) };
  return { kind: 'other', text: JSON.stringify(block, shortened, 2) };
}

/** JSON on one line is hard to read. */
function tidied(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Characters of one text in a part that is shown as JSON. */
const mostChars = 2_000;

function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= mostChars) return value;
  return `${value.slice(0, mostChars)}… (${value.length} characters)`;
}
