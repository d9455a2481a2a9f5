/** Records of the audit for people: a table, or one line each while they come. */

import type { AuditLine } from '../../admin/admin.ts';
import { duration, localSecondOf } from '../../base/amounts.ts';
import { printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { CommandContext } from './context.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

/** Wide enough for what is usual, so that lines that come one by one stand under each other. */
const widths = { who: 12, action: 18, outcome: 9 };
const shownName = 60;
/** As much as calls keep of it. */
const shownError = 200;
/** As much as is kept: behind a name that people choose stands what they cannot choose. */
const shownPrincipal = 256;

export function renderAudit(records: readonly AuditLine[], { style, width }: CommandContext): string {
  if (records.length === 0) return 'No records found. Toolcrib records everything that agents and owners do.';
  return table(
    records,
    [
      { title: 'TIME', cell: (row) => localSecondOf(row.time) },
      { title: 'WHO', cell: (row) => shortened(row.principal.name, shownPrincipal) },
      { title: 'ACTION', cell: (row) => shortened(row.action) },
      { title: 'OUTCOME', cell: (row) => outcomeOf(row), paint: (text, row) => painted(text, row, style) },
      { title: 'TOOK', cell: (row) => (row.durationMs === null ? '' : duration(row.durationMs)), isNumber: true },
      { title: 'CLIENT', cell: (row) => shortened(row.client ?? '') },
      { title: 'WHAT', cell: (row) => subjectOf(row) },
      { title: 'ERROR', cell: (row) => errorOf(row), isProse: true },
    ],
    { style, width },
  );
}

/** One record on one line. */
export function auditLine(record: AuditLine, style: Style): string {
  const { principal, action, durationMs } = record;
  const outcome = outcomeOf(record).padEnd(widths.outcome);
  return [
    style.faint(localSecondOf(record.time)),
    shortened(principal.name, shownPrincipal).padEnd(widths.who),
    shortened(action).padEnd(widths.action),
    painted(outcome, record, style),
    subjectOf(record),
    durationMs === null ? '' : style.faint(duration(durationMs)),
    errorOf(record),
  ]
    .join('  ')
    .trimEnd();
}

function outcomeOf({ outcome, errorType }: AuditLine): string {
  return shortened(errorType === null ? outcome : `${outcome} ${errorType}`);
}

function painted(text: string, { outcome }: AuditLine, style: Style): string {
  if (outcome === 'ok') return style.good(text);
  return outcome === 'refused' || outcome === 'failed' ? style.bad(text) : style.notice(text);
}

function subjectOf({ server, tool }: AuditLine): string {
  return shortened([server, tool].filter((part) => part !== null).join(':'));
}

/** The message of a failed call. */
function errorOf({ detail }: AuditLine): string {
  return typeof detail?.error === 'string' ? printable(detail.error.slice(0, shownError)) : '';
}

function shortened(name: string, limit = shownName): string {
  const text = visibleLine(name);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
