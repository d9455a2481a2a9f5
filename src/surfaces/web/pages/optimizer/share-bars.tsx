/** Shares of prompts as pictures: before → after, each with its interval. */

import { type ComparedFigures, type PromptShare, promptClasses, sayShare } from '../../../wording/wording.ts';
import { formatShare } from '../../parts/texts.tsx';

/** Rows for each class of prompts and for all of them. */
export function ShareBars({ figures: { now, before } }: { readonly figures: ComparedFigures }) {
  return (
    <table class="plain-table share-bars" aria-label={`Figures by ${now.judge}`}>
      <tbody>
        {[...promptClasses, 'overall' as const].map((name) => {
          const share = now.counts[name];
          if (share === undefined) return null;
          const own = before?.counts[name];
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {own && `${sayShare(own)} → `}
                <b>{sayShare(share)}</b>
              </td>
              <td class="share-picture">
                {own && <ShareMark share={own} kind="before" />}
                <ShareMark share={share} kind="after" />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A mark at the share, on a band from the least to the most that it may truly be (95 %). */
function ShareMark({ share, kind }: { readonly share: PromptShare; readonly kind: 'before' | 'after' }) {
  const { low, high } = share;
  const title = `${kind}: ${sayShare(share)}, 95 % interval ${formatShare(low)} to ${formatShare(high)}`;
  return (
    <div class={`share-track ${kind}`} title={title}>
      <span class="band" style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }} />
      <span class="mark" style={{ left: `${100 * share.share}%` }} />
    </div>
  );
}
