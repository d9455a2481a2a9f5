/** Requests of which nobody knows yet on whose behalf they are: by sender and all together they have a limit, as those of tokens have. */

import { limits } from '../config/config.ts';
import { Allowance } from './allowance.ts';
import { HttpError } from './read-request.ts';
import { countedAddress, type Sender } from './sender.ts';

/** One name for all: they share what there is. */
const everySender = 'all';

export class StrangerPlaces {
  readonly #each = new Allowance(() => limits.strangerRequests);
  readonly #all = new Allowance(() => limits.strangerRequestsInAll);

  /** Returns the function that gives the place back, which may be called again. Throws where there is none. */
  take({ address }: Sender): () => void {
    const ofSender = this.#each.take(countedAddress(address));
    if (!ofSender) throw full(429, 'From this address', this.#each.most);
    const ofAll = this.#all.take(everySender);
    if (!ofAll) {
      ofSender();
      throw full(503, 'At this gateway', this.#all.most);
    }
    return () => {
      ofSender();
      ofAll();
    };
  }
}

function full(status: number, where: string, most: number): HttpError {
  const sentence = `${where}, ${most} requests are under way that came without a token; ${most} are allowed.`;
  return new HttpError(status, sentence, { headers: { 'retry-after': '1' }, rpcCode: -32000 });
}
