/** A number of tokens as a bar, beside others. */

import { formatCompact } from './texts.tsx';

interface TokenBarProps {
  readonly name: string;
  readonly tokens: number;
  /** The longest of the bars. */
  readonly most: number;
  readonly colour: string;
}

export function TokenBar({ name, tokens, most, colour }: TokenBarProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="tools">
        <span class="bar" style={{ width: `${Math.max(1, (70 * tokens) / most)}%`, background: `var(${colour})` }} />
        {formatCompact(tokens)}
      </dd>
    </div>
  );
}
