/** Large results that the gateway keeps, as resources: their template, and how they are read. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { AgentSide } from '../caller/caller.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { NoSuchResultError, parseResultUri, type ResultShelf, resultScheme } from '../results/results.ts';
import type { EndpointRequest } from './endpoint.ts';
import { resourceNotFound } from './offers.ts';

const resultTemplate = {
  uriTemplate: `${resultScheme}{id}{?part,page,lines,find,path}`,
  name: 'result',
  title: 'A large result',
  description:
    'The result of a call that was too large to be given at once: by page, by lines (10-40), by a text to find, or by a path such as $.rows[0:20].name.',
};

/** The answer to a request for one of them; undefined where it is for something else. */
export function readOwn(
  context: { readonly results: Pick<ResultShelf, 'read'> },
  { method, params: { uri }, principal, agent }: EndpointRequest,
): Promise<Result> | undefined {
  if (method !== 'resources/read' || typeof uri !== 'string' || !uri.startsWith(resultScheme)) return undefined;
  return readOwnResult(context, uri, principal, agent);
}

/** The list of templates with the one of results. */
export function withOwn({ method }: EndpointRequest, result: Result): Result {
  if (method !== 'resources/templates/list') return result;
  const templates: unknown[] = Array.isArray(result.resourceTemplates) ? result.resourceTemplates : [];
  return { ...result, resourceTemplates: [...templates, resultTemplate] };
}

/** Answers `resources/read`. What is somebody else's reads exactly like what never was. */
export async function readOwnResult(
  { results }: { readonly results: Pick<ResultShelf, 'read'> },
  uri: string,
  principal: Principal,
  { era, signal }: Pick<AgentSide, 'era' | 'signal'>,
): Promise<Result> {
  try {
    const wanted = parseResultUri(uri);
    if (!wanted) throw resourceNotFound(uri, era);
    const { text, blob } = await results.read(wanted.id, principal.id, wanted.view, signal);
    const contents: unknown[] = [{ uri, mimeType: 'text/plain', text }];
    if (blob) contents.push({ uri, mimeType: blob.mimeType, blob: blob.data });
    return { contents };
  } catch (error) {
    if (error instanceof NoSuchResultError) throw resourceNotFound(uri, era);
    if (!(error instanceof GatewayError) || error.code !== 'ARGUMENTS_INVALID') throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new RpcError(rpcCodes.invalidParams, message, { uri });
  }
}
