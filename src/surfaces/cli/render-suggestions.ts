/** Other tools that may do the work of one that failed, as lines for stderr. */

import { isObject } from '../../base/json.ts';
import { printable } from '../../base/text.ts';
import { visibleLine } from './visible.ts';

/** Empty where there are none. The suggestions come from outside, so each member is looked at. */
export function renderSuggestions(suggestions: unknown): string {
  const lines = (Array.isArray(suggestions) ? suggestions : [])
    .filter(isObject)
    .map(({ toolKey, reason }) => `  ${visibleLine(String(toolKey))}  ${printable(String(reason ?? ''))}`.trimEnd());
  return lines.length === 0 ? '' : ['Other tools that may do:', ...lines].join('\n');
}
