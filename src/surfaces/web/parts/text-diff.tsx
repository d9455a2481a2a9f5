/** A text and what it was before, side by side, with the words that differ marked. On a narrow screen the new one stands below the old one. */

import { useMemo } from 'preact/hooks';
import { compareTexts, isSameRow, shortenSame, type TextPart } from '../../../base/compare-texts.ts';
import { SaidLines, visibleText } from './texts.tsx';

interface TextDiffProps {
  readonly label: string;
  /** null: there was none, or there is none any more; the other one is then shown alone. */
  readonly before: string | null;
  readonly after: string | null;
  readonly titles?: readonly [before: string, after: string];
}

export function TextDiff({ label, before, after, titles = ['As approved', 'Now'] }: TextDiffProps) {
  if (before === null || after === null) return <SaidLines label={label} text={asLines(before ?? after ?? '')} />;
  return <ComparedTexts label={label} before={before} after={after} titles={titles} />;
}

interface ComparedTextsProps extends Required<TextDiffProps> {
  readonly before: string;
  readonly after: string;
}

function ComparedTexts({ label, before, after, titles }: ComparedTextsProps) {
  const rows = useMemo(() => {
    const [old = '', now = ''] = [before, after].map((text) => visibleText(asLines(text)));
    return shortenSame(compareTexts(old, now));
  }, [before, after]);
  return (
    <section
      class="box diff"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) =>
            typeof row === 'number' ? (
              <tr key={at} class="left-out">
                <td colSpan={2}>{row} lines are the same</td>
              </tr>
            ) : (
              <tr key={at} class={isSameRow(row) ? 'same' : 'changed'}>
                <td class="was">{row.before && <Side parts={row.before} mark="del" />}</td>
                <td class="is">{row.after && <Side parts={row.after} mark="ins" />}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Side({ parts, mark: Mark }: { readonly parts: readonly TextPart[]; readonly mark: 'ins' | 'del' }) {
  return <pre>{parts.map(({ text, isChanged }, at) => (isChanged ? <Mark key={at}>{text}</Mark> : text))}</pre>;
}

/** JSON is told in one line; in several it can be read. */
function asLines(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
