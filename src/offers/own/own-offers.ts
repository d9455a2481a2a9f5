/** Everything that the gateway itself offers an agent beside tools: resources, templates, prompts, completions. */

import type { Principal } from '../../access/access.ts';
import type { ServerEntry } from '../../catalog/catalog.ts';
import type { Result } from '../../protocol/messages.ts';
import type { EndpointRequest } from '../../tools/tools.ts';
import { resourceNotFound } from '../offered-names.ts';
import type { ListName, OfferDefinition, OwnPart } from '../offers.ts';
import { completeOwn } from './completions.ts';
import { dailyUse, priorityFor } from './daily-use.ts';
import { nearAddress, type OwnAddress, readOwnAddress } from './own-address.ts';
import { getOwnPrompt, promptDefinitions } from './own-prompts.ts';
import { catalogTemplates, fitOwn, listResources, showOwn } from './own-resources.ts';
import { OwnResults } from './own-results.ts';
import { type DoorView, toolsOf } from './own-view.ts';

export class OwnOffers implements OwnPart {
  readonly #door: DoorView;
  readonly #results: OwnResults;

  constructor(door: DoorView) {
    this.#door = door;
    this.#results = new OwnResults(door.layers);
  }

  list(list: ListName, principal: Principal): { readonly name: string; readonly definition: OfferDefinition }[] {
    if (list === 'resources') {
      const resources = listResources({ door: this.#door, principal });
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
    return getOwnPrompt({ door: this.#door, principal }, name, params.arguments, agent);
  }

  complete(request: EndpointRequest): Promise<Result> | undefined {
    const { params, principal } = request;
    return completeOwn({ door: this.#door, principal }, params) ?? this.#results.complete(request);
  }

  nearTo(uri: string, principal: Principal): string | undefined {
    return nearAddress({ door: this.#door, principal }, uri);
  }

  priorityOf(server: ServerEntry, principal: Principal): number | undefined {
    return priorityFor(dailyUse(this.#door.layers).ofTools(toolsOf({ door: this.#door, principal }, server)));
  }

  async #read(address: OwnAddress, uri: string, { principal, agent }: EndpointRequest): Promise<Result> {
    const view = { door: this.#door, principal };
    const shown = await showOwn(view, address);
    if (!shown) throw resourceNotFound(uri, agent.era, nearAddress(view, uri));
    const { mimeType, text } = await fitOwn(view, address, shown);
    return { contents: [{ uri, mimeType, text }] };
  }
}
