/** Says so where the page of a sign-in is not at the place that gets what is granted there. */

import type { StartedSignIn } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';

/** A person sees who asks for a password, but not on whose behalf: that they differ may be right, or a trap. */
export function warnOfDetour({ name, address, issuer }: Pick<StartedSignIn, 'name' | 'address' | 'issuer'>) {
  const [page, receiver] = [URL.parse(address)?.host, URL.parse(issuer)?.host];
  if (page === undefined || receiver === undefined || page === receiver) return undefined;
  return [
    `Take care: the page is at ${printable(page)}, but what you grant there goes to ${printable(receiver)},`,
    `which the server ${printable(name)} names. Go on only if you know that the two belong together.`,
  ].join('\n');
}
