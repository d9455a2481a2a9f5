/** `list_tools_meta`: every tool in a line, the most used first, page by page. */

import { z } from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { firstSentence } from '../../base/text.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { RpcError } from '../../protocol/messages.ts';
import type { EndpointContext } from '../endpoint.ts';
import { findServer } from '../find-server.ts';
import { type Position, pageOf } from '../paging.ts';
import { briefMetrics } from '../tool-metrics.ts';
import { visibleTools } from '../visible.ts';
import { answer, type MetaTool, readArguments, readOnly } from './meta-tool.ts';

const usualPage = 50;
const largestPage = 200;

const question = z.strictObject({
  cursor: z.string().nullish(),
  pageSize: z.number().int().min(1).max(largestPage).default(usualPage),
  server: z.string().min(1).optional(),
});

export const listToolsMeta: MetaTool = {
  name: 'list_tools_meta',
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
  async run({ context, principal, args }) {
    const { cursor, pageSize, server } = readArguments('list_tools_meta', question, args);
    const { snapshot } = context.catalog;
    if (server !== undefined) findServer(snapshot, principal, server);
    const tools = visibleTools(snapshot, principal).filter((tool) => server === undefined || tool.server === server);
    const { items, nextCursor } = readPage(context, tools, cursor, pageSize);
    const rows = items.map(({ tool }) => ({ ...listedRow(tool), ...briefMetrics(context, tool) }));
    return answer({ tools: rows, toolCount: tools.length, ...(nextCursor !== undefined && { nextCursor }) });
  },
};

/** A tool in a line. */
export function listedRow({ key, name, server, definition }: Entry): Record<string, unknown> {
  const description = firstSentence(typeof definition.description === 'string' ? definition.description : '');
  return { toolKey: key, toolName: name, serverName: server, description };
}

/** A cursor says between which two tools a page begins, so that it holds when others come and go. A tool that is called between two pages may pass it. */
function readPage(
  { metrics }: EndpointContext,
  tools: readonly Entry[],
  cursor: string | null | undefined,
  size: number,
) {
  const items = tools
    .map((tool) => ({ tool, position: positionOf(tool, metrics.callCountOf(`${tool.server}:${tool.serverName}`)) }))
    .sort((a, b) => (isBefore(a.position, b.position) ? -1 : 1));
  try {
    return pageOf('list_tools_meta', items, cursor, size);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const message = 'The "cursor" for "list_tools_meta" is not one that it gave.';
    throw new GatewayError('ARGUMENTS_INVALID', message, { hint: 'Leave it out to begin anew.' });
  }
}

/** More calls than can be counted. */
const endless = Number.MAX_SAFE_INTEGER;

/** Positions are compared as texts: many calls have to come before few. */
function positionOf({ key }: Entry, calls: number): Position {
  return [String(endless - calls).padStart(String(endless).length, '0'), key];
}

function isBefore([a, left]: Position, [b, right]: Position): boolean {
  return a === b ? left < right : a < b;
}
