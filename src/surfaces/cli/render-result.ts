/** The result of a call as plain text; what cannot be shown in a terminal is named with its size. */

import { isObject } from '../../base/json.ts';
import { printable, printableLines } from '../../base/text.ts';
import { toJson } from './print.ts';

export function renderResult(result: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const shown = blocks.map(renderBlock).filter((text) => text !== '');
  if (shown.length > 0) return shown.join('\n');
  return result.structuredContent === undefined ? '(The answer is empty.)' : toJson(result.structuredContent, 2);
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

function describeBytes(mimeType: unknown, base64: unknown): string {
  const bytes = typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
  const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KiB`;
  return `${printable(String(mimeType ?? 'unknown type'))}, ${size}`;
}
