/** Calls: what agents call right now and called before, over time, and recorded in full. */

import { filterIn } from '../parts/address-filter.ts';
import { Panel } from '../parts/basic.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageAddress } from '../router.ts';
import { CallCharts } from './calls/call-charts.tsx';
import { filterNames } from './calls/call-filter.ts';
import { CallFilterBar } from './calls/filter-bar.tsx';
import { OneCall } from './calls/one-call.tsx';
import { CallRecording } from './calls/recording.tsx';
import { CallTimeline } from './calls/timeline.tsx';

export function CallsPage({ address: { parts, query } }: { readonly address: PageAddress }) {
  const [id] = parts;
  if (id !== undefined) return <OneCall key={id} id={/^\d+$/.test(id) ? Number(id) : Number.NaN} />;
  const filter = filterIn(query, filterNames);
  const tab = query.get('tab') ?? 'timeline';
  return (
    <Panel title="Calls" tools={<Tabs label="Views of calls" shown={tab} />}>
      {tab === 'recording' ? <CallRecording /> : <CallFilterBar filter={filter} isOfSums={tab === 'charts'} />}
      {tab === 'timeline' && <CallTimeline key={JSON.stringify(filter)} filter={filter} />}
      {tab === 'charts' && <CallCharts filter={filter} span={query.get('span')} />}
    </Panel>
  );
}
