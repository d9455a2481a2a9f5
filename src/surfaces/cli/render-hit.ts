/** Tools that were found, for a terminal: what each does, how well it fits and why, and what has to be said beside them. */

import { isObject } from '../../base/json.ts';
import { firstSentence, givenText, printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { Style } from './style.ts';

/** `why` is one line, or empty. */
export function renderHit(tool: Record<string, unknown>, why: string, style: Style): string {
  const share = typeof tool.relevance === 'number' ? percent(tool.relevance) : '';
  const lines = [
    `${style.strong(visibleLine(String(tool.toolKey)))}  ${style.faint(share)}`,
    `    ${printable(firstSentence(givenText(tool.description)))}`,
  ];
  if (typeof tool.parameters === 'string' && tool.parameters !== '')
    lines.push(style.faint(`    takes: ${printable(tool.parameters)}`));
  if (tool.available === false) {
    const next =
      typeof tool.nextRetryAt === 'string' ? `next try at ${tool.nextRetryAt}` : 'tried again with the next call';
    lines.push(`    its server is down; ${printable(next)}`);
  }
  if (Array.isArray(tool.equals)) {
    const more = typeof tool.moreEquals === 'number' ? ` and ${tool.moreEquals} more` : '';
    lines.push(style.faint(`    the same: ${visibleLine(tool.equals.join(', '))}${more}`));
  }
  if (Array.isArray(tool.otherAccounts)) {
    const more = typeof tool.moreAccounts === 'number' ? ` and ${tool.moreAccounts} more` : '';
    lines.push(`    other accounts: ${visibleLine(tool.otherAccounts.join(', '))}${more}`);
  }
  if (why !== '') lines.push(style.faint(`    ${why}`));
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** The lines after the tools: that nothing fits and what is nearest, or that another way of searching had to do. */
export function renderRemarks(metadata: unknown, style: Style): string[] {
  const { code, notice, nearest, hint } = isObject(metadata) ? metadata : {};
  if (typeof notice !== 'string') return [];
  if (code !== 'NOTHING_FITS') return [style.faint(`note: ${printable(notice)}`)];
  const lines = [printable(notice)];
  if (Array.isArray(nearest) && nearest.length > 0) lines.push(`Nearest: ${visibleLine(nearest.join(', '))}`);
  return typeof hint === 'string' ? [...lines, style.faint(printable(hint))] : lines;
}

/** Hardly likely is not impossible. */
function percent(share: number): string {
  const whole = Math.round(share * 100);
  return whole === 0 ? '<1 %' : `${whole} %`;
}
