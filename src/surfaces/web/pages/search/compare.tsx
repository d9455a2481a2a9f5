/** Two answers to one need side by side, with lines between the places of the same tool. */

import type { ExplainedHit, SearchExplanation } from '../../../../admin/admin.ts';
import { Badge } from '../../parts/basic.tsx';
import { formatShare, ToolLink } from '../../parts/texts.tsx';
import { ScoreBar } from './hits.tsx';
import { longestBar, rankLines, sayRankChange } from './score-parts.ts';

/** As in the style sheet. */
const rowHeight = 76;

interface ComparedProps {
  readonly left: SearchExplanation;
  readonly right: SearchExplanation;
}

export function ComparedHits({ left, right }: ComparedProps) {
  const longest = Math.max(longestBar(left.hits), longestBar(right.hits));
  const height = rowHeight * Math.max(left.hits.length, right.hits.length);
  return (
    <div class="compared">
      <RankedList answer={left} longest={longest} before={undefined} />
      <svg
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        style={{ height: `${height}px` }}
        aria-hidden="true"
      >
        {rankLines(left.hits, right.hits).map(([from, to]) => (
          <line
            key={from}
            x1="0"
            x2="100"
            y1={(from + 0.5) * rowHeight}
            y2={(to + 0.5) * rowHeight}
            stroke={`var(${from === to ? '--line' : to < from ? '--good' : '--warn'})`}
          />
        ))}
      </svg>
      <RankedList answer={right} longest={longest} before={left.hits} />
    </div>
  );
}

interface RankedListProps {
  readonly answer: SearchExplanation;
  readonly longest: number;
  readonly before: readonly ExplainedHit[] | undefined;
}

function RankedList({ answer: { mode, hits }, longest, before }: RankedListProps) {
  return (
    <section aria-label={mode ?? 'off'}>
      <h3>{mode ?? 'off'}</h3>
      {hits.length === 0 && <p>Nothing was found.</p>}
      <ol class="list ranked">
        {hits.map((hit) => (
          <li key={hit.toolKey}>
            <div class="hit-head spread">
              <strong>
                {hit.rank}. <ToolLink toolKey={hit.toolKey} />
              </strong>
              <span class="tools">
                {before && <RankChange hit={hit} before={before} />}
                <span title="How probable it is that this tool was meant">{formatShare(hit.relevance)}</span>
              </span>
            </div>
            <ScoreBar hit={hit} longest={longest} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function RankChange({ hit, before }: { readonly hit: ExplainedHit; readonly before: readonly ExplainedHit[] }) {
  const said = sayRankChange(hit, before);
  const tone = said === 'same' || said === 'twin' ? 'quiet' : said.startsWith('↓') ? 'warn' : 'good';
  return <Badge tone={tone}>{said}</Badge>;
}
