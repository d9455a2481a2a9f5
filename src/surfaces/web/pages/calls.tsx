/** Calls: what agents call right now and called before, over time, and recorded in full. */

import { Panel } from '../parts/basic.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageAddress } from '../router.ts';
import { CallCharts } from './calls/call-charts.tsx';
import { filterIn } from './calls/call-filter.ts';
import { CallFilterBar } from './calls/filter-bar.tsx';
import { OneCall } from './calls/one-call.tsx';
import { CallRecording } from './calls/recording.tsx';
import { CallTimeline } from './calls/timeline.tsx';

const tabs = { timeline: 'Timeline', charts: 'Over time', recording: 'Recording' } as const;

export function CallsPage({ address: { parts, query } }: { readonly address: PageAddress }) {
  const [id] = parts;
  if (id !== undefined) return <OneCall key={id} id={/^\d+$/.test(id) ? Number(id) : Number.NaN} />;
  const filter = filterIn(query);
  const tab = query.get('tab') ?? 'timeline';
  return (
    <Panel title="Calls" tools={<Tabs label="Views of calls" tabs={tabs} shown={tab} />}>
      {tab === 'recording' ? <CallRecording /> : <CallFilterBar filter={filter} isOfSums={tab === 'charts'} />}
      {tab === 'timeline' && <CallTimeline key={JSON.stringify(filter)} filter={filter} />}
      {tab === 'charts' && <CallCharts filter={filter} span={query.get('span')} />}
    </Panel>
  );
}
