/** Tools: all that servers have, whether agents see them or not; below it, one tool with its form. */

import type { SurveyedTool } from '../../../admin/admin.ts';
import { Badge, Empty, Panel, WhenFetched } from '../parts/basic.tsx';
import { type RowColumn, Rows } from '../parts/rows.tsx';
import { formatCount, formatMs, formatShare, Said, visibleText } from '../parts/texts.tsx';
import { type PageAddress, pageLink, setQuery } from '../router.ts';
import { useOperation } from '../state.ts';
import { ToolDetail } from './tools/tool-detail.tsx';
import { ToolStateBadge, toolStateInWords } from './tools/tool-state.tsx';
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
  { title: 'Tool', show: ({ toolKey }) => visibleText(toolKey), order: ({ toolKey }) => toolKey },
  { title: 'For agents', show: (tool) => <ToolStateBadge tool={tool} />, order: toolStateInWords },
  { title: 'Category', show: ({ category }) => category, order: ({ category }) => category, isExtra: true },
  {
    title: 'Calls',
    show: ({ callCount }) => formatCount(callCount),
    order: (tool) => tool.callCount,
    isNumber: true,
    isExtra: true,
  },
  {
    title: 'Success',
    show: ({ successRate }) => formatShare(successRate),
    order: ({ successRate }) => successRate ?? -1,
    isNumber: true,
    isExtra: true,
  },
  {
    title: 'p50',
    show: ({ p50Ms }) => formatMs(p50Ms),
    order: ({ p50Ms }) => p50Ms ?? -1,
    isNumber: true,
    isExtra: true,
  },
  {
    title: 'p95',
    show: ({ p95Ms }) => formatMs(p95Ms),
    order: ({ p95Ms }) => p95Ms ?? -1,
    isNumber: true,
    isExtra: true,
  },
  {
    title: 'Description',
    show: ({ description, isPromoted }) => (
      <>
        {isPromoted && <Badge>improved</Badge>} <Said text={description} />
      </>
    ),
    isExtra: true,
  },
];

function ToolList({ query }: { readonly query: URLSearchParams }) {
  const survey = useOperation('tools.survey', {}, ['tools', 'definitions', 'config']);
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
  const filters = (
    <>
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter by name or description"
        value={text}
        onInput={({ currentTarget }) => setQuery({ text: currentTarget.value })}
      />
      <FilterSelect label="Server" name="server" value={server} values={all.map((tool) => tool.server)} />
      <FilterSelect label="Category" name="category" value={category} values={all.map((tool) => tool.category)} />
      <FilterSelect label="State" name="state" value={state} values={all.map(toolStateInWords)} />
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

interface FilterSelectProps {
  readonly label: string;
  /** Its name in the address. */
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
}

function FilterSelect({ label, name, value, values }: FilterSelectProps) {
  const known = [...new Set(values)].filter((one) => one !== '').sort();
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      <option value="">{`${label}: all`}</option>
      {known.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
