/** A resource of ours that is too large to be given at once is kept like a large result, and its beginning says where. */

import { fitResult } from '../../caller/caller.ts';
import type { Result } from '../../protocol/messages.ts';
import { readerOf } from '../../tools/tools.ts';
import { type OwnAddress, ownUri } from './own-address.ts';
import type { OwnView } from './own-view.ts';
import type { Shown } from './show-own.ts';

export async function fitOwn({ place, principal }: OwnView, address: OwnAddress, shown: Shown): Promise<Shown> {
  const { layers } = place;
  const whole: Result = { content: [{ type: 'text', text: shown.text }] };
  const fitted = await fitResult(whole, layers.results, {
    principal: principal.id,
    toolKey: ownUri(address),
    maxBytes: layers.config().calls.maxResultBytes,
    keepsStructured: false,
    reader: readerOf(place.surfaceOf(principal)),
    knowsLinks: false,
  });
  if (fitted === whole) return shown;
  const [block] = fitted.content as { readonly text: string }[];
  return { mimeType: 'text/plain', text: block?.text ?? '' };
}
