/** One record of the audit with everything in it. */

import type { AuditLine } from '../../../admin/admin.ts';
import { duration } from '../../../base/amounts.ts';
import { facts, gap, paragraph, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useTui } from '../state.ts';
import { outcomeTone } from './activity.ts';

export function useRecordView({ id }: { readonly id: number }): Screen {
  const { rows } = useTui();
  const { data, error } = useAnswer('audit.list', { before: id + 1, limit: 1 });
  const record = data?.records.find((found) => found.id === id);
  const missing = data || error ? 'There is no such record. It may be older than the audit keeps.' : 'Loading…';
  const { body, commands } = useScroll({
    ...{ name: `record ${id}`, rows },
    content: record === undefined ? say(missing, 'faint') : recordInFull(record),
  });
  return { title: `Record ${id}`, commands, body };
}

function recordInFull(record: AuditLine) {
  const { outcome, durationMs, detail } = record;
  const lines: readonly (readonly [name: string, value: string | null])[] = [
    ['Who', record.principal.name],
    ['Principal id', record.principal.id],
    ['Client', record.client],
    ['Project', record.project],
    ['Time', record.time],
    ['Took', durationMs === null ? null : duration(durationMs)],
    ['Kind', record.kind],
    ['Action', record.action],
    ['Server', record.server],
    ['Tool', record.tool],
    ['Request id', record.requestId],
    ['JSON-RPC id', record.rpcId],
    ['Trace', record.trace],
    ['Session', record.session],
    ['Arguments hash', record.argumentsHash],
  ];
  return stack(
    facts([
      ['Outcome', outcome, outcomeTone(outcome)],
      ...(record.errorType === null ? [] : [['Error', record.errorType, 'bad'] as const]),
      ...lines.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    ]),
    ...jsonPart('Arguments', record.arguments),
    ...jsonPart('Detail', detail),
  );
}

function jsonPart(title: string, value: object | null) {
  return value === null ? [] : [gap(title), say(title, 'strong'), paragraph(JSON.stringify(value, null, 2))];
}
