/** `list_tools_meta`: every tool in a line, the most used first, page by page. */

import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';
import { firstSentence, givenText } from '../base/text.ts';
import type { Entry } from '../catalog/catalog.ts';
import { RpcError } from '../protocol/messages.ts';
import {
  type AnswerObject,
  answer,
  briefMetrics,
  clamped,
  cursorAfter,
  findServer,
  fitRows,
  type ListPosition,
  type Positioned,
  pageOfList,
  readToolArguments,
  roomBeside,
  type Uses,
  visibleTools,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

const usualPage = 50;
const largestPage = 200;

const input = z.strictObject({
  cursor: z.string().nullish(),
  pageSize: clamped(1, largestPage).default(usualPage),
  server: z.string().min(1).optional(),
});

export const listToolsMeta: MetaTool<'catalog' | 'metrics' | 'config'> = {
  name: 'list_tools_meta',
  kind: 'find',
  auditedAs: 'discovery',
  define: () => ({
    name: 'list_tools_meta',
    description: 'Every tool with its first sentence, the most used first, in pages: pass nextCursor on as cursor.',
    inputSchema: {
      type: 'object',
      properties: {
        cursor: { type: 'string' },
        pageSize: { type: 'integer', minimum: 1, maximum: largestPage, default: usualPage },
        server: { type: 'string' },
      },
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    const { cursor, pageSize, server } = readToolArguments('list_tools_meta', input, args);
    const { snapshot } = layers.catalog;
    if (server !== undefined) findServer(snapshot, principal, server);
    const tools = visibleTools(snapshot, principal).filter((tool) => server === undefined || tool.server === server);
    const rowOf = (tool: Entry) => ({ ...listedRow(tool), ...briefMetrics(layers, tool) });
    const order = (tool: Entry) => positionOf(tool, layers.metrics.callCountOf(`${tool.server}:${tool.serverName}`));
    return answer(pageWithin(layers, { name: 'list_tools_meta', tools, order, rowOf }, cursor, pageSize));
  },
};

interface ToolList {
  /** The tool that gives it. */
  readonly name: string;
  readonly tools: readonly Entry[];
  order(tool: Entry): ListPosition;
  rowOf(tool: Entry): AnswerObject;
}

/** A page ends after `size` tools, or where the room of an answer does. */
export function pageWithin(
  layers: Uses<'config'>,
  { name, tools, order, rowOf }: ToolList,
  cursor: string | null | undefined,
  size: number,
): AnswerObject {
  const positioned = tools.map((tool) => ({ tool, position: order(tool) }));
  positioned.sort((a, b) => (isBefore(a.position, b.position) ? -1 : 1));
  const { items, nextCursor } = readPage(name, positioned, cursor, size);
  const frame = { toolCount: tools.length, nextCursor };
  const { rows } = fitRows([items.map(({ tool }) => rowOf(tool))], roomBeside(layers, frame) - cursorBytes);
  const last = rows.length < items.length ? items[rows.length - 1] : undefined;
  const next = last ? cursorAfter(name, last.position) : nextCursor;
  return { tools: rows, toolCount: tools.length, ...(next !== undefined && { nextCursor: next }) };
}

/** A cursor holds the key of a tool. */
const cursorBytes = 400;

/** A tool in a line. */
export function listedRow({ key, name, server, definition }: Entry): Record<string, unknown> {
  const description = firstSentence(givenText(definition.description));
  return { toolKey: key, toolName: name, serverName: server, description };
}

/** A cursor says between which two tools a page begins, so that it holds when others come and go. A tool that is called between two pages may pass it. */
function readPage<T extends Positioned>(
  name: string,
  items: readonly T[],
  cursor: string | null | undefined,
  size: number,
) {
  try {
    return pageOfList(name, items, cursor, size);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const message = `The "cursor" for "${name}" is invalid.`;
    throw new GatewayError('ARGUMENTS_INVALID', message, { hint: 'Leave it out to start with the first page.' });
  }
}

/** More calls than can be counted. */
const endless = Number.MAX_SAFE_INTEGER;

/** Positions are compared as texts: many calls have to come before few. */
function positionOf({ key }: Entry, calls: number): ListPosition {
  return [String(endless - calls).padStart(String(endless).length, '0'), key];
}

function isBefore([a, left]: ListPosition, [b, right]: ListPosition): boolean {
  return a === b ? left < right : a < b;
}
