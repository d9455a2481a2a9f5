/** Large results that the gateway keeps, as resources: their template, how they are read, and which there are. */

import type { Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { AgentSide } from '../../caller/caller.ts';
import { type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import { NoSuchResultError, parseResultUri, resultScheme, type StoredResults } from '../../results/results.ts';
import type { EndpointRequest } from '../../tools/tools.ts';
import { resourceNotFound } from '../offered-names.ts';
import type { ListName, OfferDefinition, OwnPart } from '../offers.ts';
import { completeArgument, templateArguments } from './completions.ts';

const resultTemplate = {
  uriTemplate: `${resultScheme}{id}{?part,page,lines,find,path}`,
  name: 'result',
  title: 'A large result',
  description:
    'The result of a call that was too large to return at once: by page, by lines (10-40), by a text to find, or by a path such as $.rows[0:20].name.',
  mimeType: 'text/plain',
  annotations: { audience: ['assistant'], priority: 0.3 },
};

/** The gateway's own part where nothing else of it is to be seen: the door of one server. */
export class OwnResults implements OwnPart {
  readonly #results: Pick<StoredResults, 'read' | 'idsOf'>;

  constructor({ results }: { readonly results: Pick<StoredResults, 'read' | 'idsOf'> }) {
    this.#results = results;
  }

  list(list: ListName): { readonly name: string; readonly definition: OfferDefinition }[] {
    return list === 'resourceTemplates' ? [{ name: resultTemplate.uriTemplate, definition: resultTemplate }] : [];
  }

  read(uri: string, { principal, agent }: EndpointRequest): Promise<Result> | undefined {
    if (!uri.startsWith(resultScheme)) return undefined;
    return readOwnResult({ results: this.#results }, uri, principal, agent);
  }

  getPrompt(): undefined {}

  complete({ params, principal }: EndpointRequest): Promise<Result> | undefined {
    const { ref } = params;
    if (!isObject(ref) || ref.type !== 'ref/resource' || ref.uri !== resultTemplate.uriTemplate) return undefined;
    return completeArgument(params, templateArguments(resultTemplate.uriTemplate), async (name) => {
      // The parts of a result are unknown before it is read.
      const ids = name === 'id' ? await this.#results.idsOf(principal.id) : [];
      // The newest first, where one of them has to be first.
      return ids.map((text, at) => ({ text, use: ids.length - at }));
    });
  }

  nearTo(): undefined {}

  priorityOf(): undefined {}
}

/** Answers `resources/read`. What is somebody else's reads exactly like what never was. */
export async function readOwnResult(
  { results }: { readonly results: Pick<StoredResults, 'read'> },
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
