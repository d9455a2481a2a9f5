/** Tools: all that servers have, whether agents see them or not; below it, one tool with its form. */

import type { SurveyedTool } from '../../../admin/admin.ts';
import { toolStateInWords } from '../../wording/wording.ts';
import { Badge, Empty, Panel, WhenFetched } from '../parts/basic.tsx';
import { Select } from '../parts/fields.tsx';
import { extra, numberColumn, type RowColumn, Rows } from '../parts/rows.tsx';
import { formatCount, formatMs, formatShare, Said } from '../parts/texts.tsx';
import { type PageAddress, pageLink, setQuery } from '../router.ts';
import { useOperation } from '../state.ts';
import { ToolDetail } from './tools/tool-detail.tsx';
import { ToolStateBadge } from './tools/tool-state.tsx';
import { WhyMissing } from './tools/why-missing.tsx';

export function ToolsPage({ address }: { readonly address: PageAddress }) {
  const [key] = address.parts;
  if (key !== undefined) return <ToolDetail toolKey={key} tab={address.query.get('tab') ?? 'definition'} />;
  return (
    <>
      <ToolList query={address.query} />
      <WhyMissing name={address.query.get('why') ?? ''} />
    </>
  );
}

const columns: readonly RowColumn<SurveyedTool>[] = [
  { title: 'Tool', show: ({ toolKey }) => <Said text={toolKey} />, order: ({ toolKey }) => toolKey },
  { title: 'For agents', show: (tool) => <ToolStateBadge tool={tool} />, order: toolStateInWords },
  { title: 'Category', show: ({ category }) => category, order: ({ category }) => category, isExtra: true },
  numberColumn('Calls', ({ callCount }) => callCount, formatCount, extra),
  numberColumn('Success', ({ successRate }) => successRate, formatShare, extra),
  numberColumn('p50', ({ p50Ms }) => p50Ms, formatMs, extra),
  numberColumn('p95', ({ p95Ms }) => p95Ms, formatMs, extra),
  {
    title: 'Description',
    show: ({ description, isPromoted }) => (
      <>
        {isPromoted && <Badge>improved</Badge>} <Said text={description} />
      </>
    ),
    isExtra: true,
    isProse: true,
  },
];

function ToolList({ query }: { readonly query: URLSearchParams }) {
  const survey = useOperation('tools.survey', {}, ['tools', 'definitions', 'config', 'servers', 'figures']);
  const all = survey.data ?? [];
  const wanted = ['text', 'server', 'category', 'state'].map((name) => query.get(name) ?? '');
  const [text = '', server = '', category = '', state = ''] = wanted;
  const rows = all.filter(
    (tool) =>
      (server === '' || tool.server === server) &&
      (category === '' || tool.category === category) &&
      (state === '' || toolStateInWords(tool) === state) &&
      `${tool.toolKey} ${tool.description}`.toLowerCase().includes(text.toLowerCase()),
  );
  const chosen = (name: string, value: string) => ({
    value,
    onValue: (next: string) => setQuery({ [name]: next }),
  });
  const filters = (
    <>
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter by name or description"
        value={text}
        onInput={({ currentTarget }) => setQuery({ text: currentTarget.value })}
      />
      <Select
        label="Server"
        none="Server: all"
        {...chosen('server', server)}
        choices={sortedNames(all.map((tool) => tool.server))}
      />
      <Select
        label="Category"
        none="Category: all"
        {...chosen('category', category)}
        choices={sortedNames(all.map((tool) => tool.category))}
      />
      <Select
        label="State"
        none="State: all"
        {...chosen('state', state)}
        choices={sortedNames(all.map(toolStateInWords))}
      />
    </>
  );
  const title = survey.data === undefined ? 'Tools' : `Tools (${formatCount(rows.length)})`;
  return (
    <Panel title={title} tools={filters}>
      <WhenFetched answer={survey}>
        {() => (
          <Rows
            label="Tools"
            rows={rows}
            columns={columns}
            keyOf={({ toolKey }) => toolKey}
            linkOf={({ toolKey }) => pageLink(['tools', toolKey])}
            empty={
              all.length === 0 ? (
                <Empty title="No tools yet">
                  <a href={pageLink(['servers'], { add: '1' })}>Add a server</a>
                </Empty>
              ) : (
                <Empty title="No tool matches this filter" />
              )
            }
          />
        )}
      </WhenFetched>
    </Panel>
  );
}

/** Each once, in the order of the alphabet. */
function sortedNames(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '').sort();
}
