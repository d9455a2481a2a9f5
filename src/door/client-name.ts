/** The name that an agent gives itself, as one short text: shown to people, never trusted. */

import { isObject } from '../base/json.ts';

const mostCharacters = 200;

/** `claude-code/2.1.0`; undefined where it does not say. */
export function clientName(clientInfo: unknown): string | undefined {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return undefined;
  const { name, version } = clientInfo;
  const full = typeof version === 'string' && version !== '' ? `${name}/${version}` : name;
  return full.slice(0, mostCharacters);
}
