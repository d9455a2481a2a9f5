/** Records of the audit as text for other programs: JSON Lines, or CSV for spreadsheets. */

import type { AuditLine } from '../../../../admin/admin.ts';

export type ExportFormat = 'jsonl' | 'csv';

const columns: readonly (readonly [title: string, cell: (record: AuditLine) => string | number | null])[] = [
  ['id', ({ id }) => id],
  ['time', ({ time }) => time],
  ['kind', ({ kind }) => kind],
  ['action', ({ action }) => action],
  ['principal', ({ principal }) => principal.name],
  ['principalId', ({ principal }) => principal.id],
  ['client', ({ client }) => client],
  ['project', ({ project }) => project],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['outcome', ({ outcome }) => outcome],
  ['errorType', ({ errorType }) => errorType],
  ['durationMs', ({ durationMs }) => durationMs],
  ['requestId', ({ requestId }) => requestId],
  ['rpcId', ({ rpcId }) => rpcId],
  ['trace', ({ trace }) => trace],
  ['session', ({ session }) => session],
  ['argumentsHash', ({ argumentsHash }) => argumentsHash],
  ['arguments', ({ arguments: given }) => given && JSON.stringify(given)],
  ['detail', ({ detail }) => detail && JSON.stringify(detail)],
];

/** The line before the records; empty where there is none. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? `${columns.map(([title]) => title).join(',')}\r\n` : '';
}

export function exportLine(record: AuditLine, format: ExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(record)}\n`;
  return `${columns.map(([, cell]) => csvCell(cell(record))).join(',')}\r\n`;
}

/** A spreadsheet takes a text that begins with one of these for a formula and runs it. */
const formula = /^[=+\-@\t\r]/;

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
