/** What this command found and what the gateway found, each thing once. */

import type { Finding } from '../../admin/admin.ts';

/** A mistake in the config file is seen by both: by the gateway as the reason why it keeps the config from before. */
export function joinFindings(own: readonly Finding[], gateways: readonly Finding[]): Finding[] {
  const isKnown = ({ subject, message }: Finding) =>
    own.some((finding) => finding.subject === subject && finding.message === message);
  const again = gateways.filter(isKnown);
  const kept = again.find(({ severity, hint }) => severity === 'problem' && hint !== undefined);
  const said: Finding[] =
    kept?.hint === undefined ? [] : [{ ...kept, severity: 'note', message: kept.hint, hint: undefined }];
  return [...own, ...said, ...gateways.filter((finding) => !isKnown(finding))];
}
