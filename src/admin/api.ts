/** The operations over HTTP: `tools.search` is `POST /api/tools/search` with the input as JSON; and a description of them all. */

import { z } from 'zod';
import { lackingScope, scopeNames } from '../access/access.ts';
import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { version } from '../base/own-program.ts';
import type { ApiHandler, ApiReply } from '../door/door.ts';
import { RpcError } from '../protocol/messages.ts';
import { operations } from './admin.ts';
import { eventKinds } from './live-events.ts';
import { isOperation, runOperation, switchedOff } from './local-admin.ts';
import type { AdminContext } from './operation.ts';

const statuses: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  CONFIG_INVALID: 400,
  ARGUMENTS_INVALID: 400,
  TOOLKEY_INVALID: 400,
  SERVER_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  ACCESS_DENIED: 403,
  APPROVAL_NEEDED: 403,
  NAME_TAKEN: 409,
  RATE_LIMITED: 429,
  STORE_BUSY: 503,
  STORE_BROKEN: 503,
};

export function apiHandler(context: AdminContext): ApiHandler {
  return async ({ method, path, body, principal, signal, client = 'api', onProgress }) => {
    const name = path.replaceAll('/', '.');
    if (!isOperation(name, context)) {
      if (!principal.scopes.has('admin'))
        return { ...problem(403, 'ACCESS_DENIED', lackingScope('admin')), lacks: 'admin' };
      if (path === 'openapi.json' && method === 'GET') return { status: 200, body: openApi(context) };
      if (!Object.hasOwn(operations, name)) return problem(404, 'USAGE', `There is no operation "${path}".`);
      const trouble = switchedOff();
      return problem(404, trouble.code, trouble.message, trouble);
    }
    if (method !== 'POST') return problem(405, 'USAGE', 'Operations are called with POST.');
    try {
      const sender = { principal, signal, client, onProgress };
      return { status: 200, body: await runOperation(context, name, body, sender) };
    } catch (error) {
      if (error instanceof RpcError) return problem(502, 'TOOL_FAILED', error.message);
      if (!(error instanceof GatewayError)) throw error;
      const lacks = scopeNames.find((scope) => scope === error.data?.scope);
      return { ...problem(statuses[error.code] ?? 502, error.code, error.message, error), lacks };
    }
  };
}

function problem(status: number, code: ErrorCode, message: string, error?: GatewayError): ApiReply {
  return { status, body: { error: { code, message, hint: error?.ownerHint, data: error?.data } } };
}

/** It is no operation, but belongs to the API. */
const events = {
  get: {
    operationId: 'events',
    summary: 'Events as they happen, as server-sent events; the first is "begin" unless the stream resumes',
    security: [{ token: ['admin'] }, { token: ['optimize'] }],
    parameters: [
      {
        ...{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } },
        description: 'The id of the last event that was read: the stream goes on after it.',
      },
    ],
    responses: {
      200: {
        description: `A stream of events with id, kind and data as JSON. Kinds: ${eventKinds.join(', ')}. The kind "begin" means that events may be missing: fetch live/snapshot and read on after its id.`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      default: { description: 'An error with code, message and hint.' },
    },
  },
};

function openApi(context: AdminContext): Record<string, unknown> {
  const known = Object.entries(operations).filter(([name]) => isOperation(name, context));
  const paths = known.map(([name, { summary, input, scope = 'admin' }]) => [
    `/api/${name.replaceAll('.', '/')}`,
    {
      post: {
        operationId: name,
        summary,
        security: [{ token: [scope] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) } },
        },
        responses: {
          200: {
            description:
              'The answer of the operation. A request that accepts application/x-ndjson may get JSON lines instead: "progress" of the tool, then "answer" with status and body.',
          },
          default: { description: 'An error with code, message and hint.' },
        },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Toolcrib', version },
    paths: { ...Object.fromEntries(paths), '/api/events': events },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}
