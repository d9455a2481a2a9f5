/** Every text in a definition by its path, the names of members included: whatever a model may read. */

import { isObject } from '../base/json.ts';
import type { Definition } from './judgement.ts';

export function textsOf(definition: Definition): Map<string, string> {
  const found = new Map<string, string>();
  collect(definition, '', found);
  return found;
}

function collect(value: unknown, path: string, found: Map<string, string>): void {
  if (typeof value === 'string') found.set(path, value);
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) collect(item, joined(path, at), found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      const inside = joined(path, name);
      // A name is a text of its own: it is read like one.
      if (typeof member !== 'string') found.set(`${inside}~`, name);
      collect(member, inside, found);
    }
}

function joined(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}
