/** Hits of a search, each with the parts of its score. */

import type { ExplainedHit } from '../../../../admin/admin.ts';
import { saySegments, segmentsOf } from '../../../wording/wording.ts';
import { Badge } from '../../parts/basic.tsx';
import { formatShare, Said, ToolLink } from '../../parts/texts.tsx';
import { longestBar } from './score-parts.ts';

/** The others share one. */
const partColours: Readonly<Record<string, string>> = {
  words: 'var(--data-1)',
  meaning: 'var(--data-5)',
  use: 'var(--data-4)',
  'taken off': 'repeating-linear-gradient(45deg, var(--bad) 0 2px, transparent 2px 5px)',
};

/** The parts of a score as one bar; what takes off is drawn behind it, hatched. */
export function ScoreBar({ hit, longest }: { readonly hit: ExplainedHit; readonly longest: number }) {
  const segments = segmentsOf(hit.parts);
  if (segments.length === 0) return null;
  return (
    <div>
      <div class="segments" aria-hidden="true">
        {segments.map(({ part, label, hint, amount }) => (
          <span
            key={part}
            title={`${label}: ${hint}`}
            style={{
              width: `${(100 * Math.abs(amount)) / longest}%`,
              background: partColours[amount < 0 ? 'taken off' : part] ?? 'var(--data-7)',
            }}
          />
        ))}
      </div>
      <small>{saySegments(segments)}</small>
    </div>
  );
}

/** The colours of the bars. */
export function ScoreLegend() {
  return (
    <ul class="list legend">
      {Object.entries(partColours).map(([part, background]) => (
        <li key={part}>
          <span class="swatch" style={{ background }} />
          {part}
        </li>
      ))}
    </ul>
  );
}

export function SearchHits({ hits }: { readonly hits: readonly ExplainedHit[] }) {
  const longest = longestBar(hits);
  return (
    <ol class="list lined">
      {hits.map((hit) => (
        <HitCard key={hit.toolKey} hit={hit} longest={longest} />
      ))}
    </ol>
  );
}

function HitCard({ hit, longest }: { readonly hit: ExplainedHit; readonly longest: number }) {
  const { rank, relevance, description, reason, isOffered, equals, otherAccounts } = hit;
  return (
    <li class="hit">
      <span class="soft">{rank}</span>
      <div>
        <div class="hit-head spread">
          <strong>
            <ToolLink toolKey={hit.toolKey} />
          </strong>
          <span class="tools">
            {equals.length > 0 && (
              <Badge tone="quiet">
                +{equals.length} {equals.length === 1 ? 'twin' : 'twins'}
              </Badge>
            )}
            {otherAccounts.length > 0 && (
              <Badge tone="quiet">
                +{otherAccounts.length} {otherAccounts.length === 1 ? 'account' : 'accounts'}
              </Badge>
            )}
            {!isOffered && <Badge tone="warn">not offered</Badge>}
            <span title="How probable it is that this tool was meant">{formatShare(relevance)}</span>
          </span>
        </div>
        <Said as="p" class="clamped" text={description} />
        <ScoreBar hit={hit} longest={longest} />
        <details>
          <summary>{reason}</summary>
          <HitDetails hit={hit} />
        </details>
      </div>
    </li>
  );
}

function HitDetails({ hit }: { readonly hit: ExplainedHit }) {
  const { score, coverage, nearness, use, matches, equals, otherAccounts } = hit;
  const facts = [
    `Score ${score.toFixed(2)}`,
    coverage !== null && `its words cover ${formatShare(coverage)} of the need`,
    nearness !== null && `nearness of meaning ${nearness.toFixed(2)}`,
    use && `past use for similar needs: ${use.good.toFixed(1)} calls succeeded, ${use.bad.toFixed(1)} failed`,
  ].filter(Boolean);
  return (
    <>
      <p>{facts.join('; ')}.</p>
      {matches.length > 0 && <MatchTable matches={matches} />}
      {equals.length > 0 && (
        <p>
          The same tool on other servers: <Said text={equals.join(', ')} />
        </p>
      )}
      {otherAccounts.length > 0 && (
        <p>
          The same tool for other accounts or folders: <Said text={otherAccounts.join(', ')} />
        </p>
      )}
    </>
  );
}

function MatchTable({ matches }: { readonly matches: ExplainedHit['matches'] }) {
  return (
    <table class="plain-table" aria-label="Words that matched">
      <thead>
        <tr>
          <th>Word</th>
          <th>Where, and what one occurrence weighs there</th>
          <th class="number">Gives</th>
        </tr>
      </thead>
      <tbody>
        {matches.map(({ word, stem, isExact, fields, gain }) => (
          <tr key={word}>
            <td>
              <Said text={word} /> {!isExact && <small>as “{stem}”</small>}
            </td>
            <td>{fields.map(({ name, count, weight }) => `${count} × ${name} (${weight.toFixed(2)})`).join(', ')}</td>
            <td class="number">{gain.toFixed(2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
