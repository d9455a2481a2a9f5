/** The result of a call as plain text; what cannot be shown in a terminal is named with its size. */

import { isObject } from '../../base/json.ts';
import { printable, printableLines } from '../../base/text.ts';
import { toPrintableJson } from './print.ts';

type CallResult = Readonly<Record<string, unknown>>;

export function renderResult(result: CallResult): string {
  const shown = splitAdvice(result)
    .own.map(renderBlock)
    .filter((text) => text !== '');
  if (shown.length > 0) return shown.join('\n');
  return result.structuredContent === undefined
    ? '(The answer is empty.)'
    : toPrintableJson(result.structuredContent, 2);
}

/** Notes of the gateway about a result: other tools that may help, or that another one was called. */
export interface ResultAdvice {
  /** The tool's own content. */
  readonly own: readonly unknown[];
  /** Suggested tools, as they came. */
  readonly suggestions: readonly unknown[];
  /** One sentence, or empty. */
  readonly remark: string;
}

/** A model reads the advice as one more block of the content; a person gets it apart from what the tool said. */
export function splitAdvice({ content, _meta: meta }: CallResult): ResultAdvice {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const fallback = isObject(meta) ? meta['toolcrib/fallback'] : undefined;
  if (!isObject(fallback)) return { own: blocks, suggestions: [], remark: '' };
  if (isObject(fallback.tried)) {
    const [first, ...own] = blocks;
    return { own, suggestions: [], remark: isObject(first) ? renderBlock(first) : '' };
  }
  const suggestions = Array.isArray(fallback.fallbackSuggestions) ? fallback.fallbackSuggestions : [];
  const last = blocks.at(-1);
  const [opening = '', ...steps] = isObject(last) ? String(last.text).split('\n') : [];
  if (!steps.some((line) => line.startsWith('RECOVERY: '))) return { own: blocks, suggestions, remark: '' };
  // The failure itself is printed anyway.
  const remark = opening === 'The tool failed.' ? '' : printable(opening);
  return { own: blocks.slice(0, -1), suggestions, remark };
}

function renderBlock(block: unknown): string {
  if (!isObject(block)) return '';
  switch (block.type) {
    case 'text':
      return printableLines(String(block.text ?? ''));
    case 'image':
    case 'audio':
      return `[${block.type}: ${describeBytes(block.mimeType, block.data)}]`;
    case 'resource':
      return renderResource(isObject(block.resource) ? block.resource : {});
    case 'resource_link':
      return `[link: ${printable(`${String(block.uri)} ${String(block.title ?? block.name ?? '')}`).trim()}]`;
    default:
      return `[${printable(String(block.type))}]`;
  }
}

function renderResource(resource: Record<string, unknown>): string {
  if (typeof resource.text === 'string') return printableLines(resource.text);
  return `[resource: ${printable(String(resource.uri))}, ${describeBytes(resource.mimeType, resource.blob)}]`;
}

/** `image/png, 12 KiB`. */
export function describeBytes(mimeType: unknown, base64: unknown): string {
  const bytes = typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
  const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KiB`;
  return `${printable(String(mimeType ?? 'unknown type'))}, ${size}`;
}
