/** Everything that the gateway itself offers an agent beside tools: resources, templates, prompts, completions. */

import type { Principal } from '../../access/access.ts';
import type { ServerEntry } from '../../catalog/catalog.ts';
import type { Result } from '../../protocol/messages.ts';
import type { EndpointRequest } from '../../tools/tools.ts';
import { type Definition, type ListName, type OwnPart, resourceNotFound } from '../offers.ts';
import { completeOwn } from './complete-own.ts';
import { dailyUse, priorityFor } from './daily-use.ts';
import { nearAddress } from './near-address.ts';
import { type OwnAddress, readOwnAddress } from './own-address.ts';
import { getOwnPrompt, promptDefinitions } from './own-prompts.ts';
import { catalogTemplates, listResources } from './own-resources.ts';
import { OwnResults } from './own-results.ts';
import { type OwnPlace, toolsOf } from './own-view.ts';
import { fitOwn, showOwn } from './show-own.ts';

export class OwnOffers implements OwnPart {
  readonly #place: OwnPlace;
  readonly #results: OwnResults;

  constructor(place: OwnPlace) {
    this.#place = place;
    this.#results = new OwnResults(place.layers);
  }

  list(list: ListName, principal: Principal): { readonly name: string; readonly definition: Definition }[] {
    if (list === 'resources') {
      const resources = listResources({ place: this.#place, principal });
      return resources.map((definition) => ({ name: String(definition.uri), definition }));
    }
    if (list === 'prompts') return promptDefinitions.map((definition) => ({ name: definition.name, definition }));
    const others = catalogTemplates.map((definition) => ({ name: String(definition.uriTemplate), definition }));
    return [...this.#results.list(list), ...others];
  }

  read(uri: string, request: EndpointRequest): Promise<Result> | undefined {
    const address = readOwnAddress(uri);
    return address ? this.#read(address, uri, request) : this.#results.read(uri, request);
  }

  getPrompt(name: string, { params, principal, agent }: EndpointRequest): Promise<Result> | undefined {
    return getOwnPrompt({ place: this.#place, principal }, name, params.arguments, agent);
  }

  complete(request: EndpointRequest): Promise<Result> | undefined {
    const { params, principal } = request;
    return completeOwn({ place: this.#place, principal }, params) ?? this.#results.complete(request);
  }

  nearTo(uri: string, principal: Principal): string | undefined {
    return nearAddress({ place: this.#place, principal }, uri);
  }

  priorityOf(server: ServerEntry, principal: Principal): number | undefined {
    return priorityFor(dailyUse(this.#place.layers).ofTools(toolsOf({ place: this.#place, principal }, server)));
  }

  async #read(address: OwnAddress, uri: string, { principal, agent }: EndpointRequest): Promise<Result> {
    const view = { place: this.#place, principal };
    const shown = await showOwn(view, address);
    if (!shown) throw resourceNotFound(uri, agent.era, nearAddress(view, uri));
    const { mimeType, text } = await fitOwn(view, address, shown);
    return { contents: [{ uri, mimeType, text }] };
  }
}
