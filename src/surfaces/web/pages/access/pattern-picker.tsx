/** Chooses names of servers: from those that there are, or by a pattern such as `mail-*`. */

import { useId, useState } from 'preact/hooks';
import { isAmong } from '../../../../base/pattern.ts';
import { FormField } from '../../parts/basic.tsx';
import { Said } from '../../parts/texts.tsx';

interface PatternPickerProps {
  readonly label: string;
  readonly hint: string;
  readonly names: readonly string[];
  /** At the beginning. */
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}

export function PatternPicker({ label, hint, names, chosen, onChosen }: PatternPickerProps) {
  const [kept, setKept] = useState(chosen);
  const [text, setText] = useState('');
  const listId = useId();
  // Typed text counts as chosen at once: a form that is sent has it, and nothing moves when the input is left.
  const change = (nextKept: readonly string[], nextText: string) => {
    setKept(nextKept);
    setText(nextText);
    onChosen(withTyped(nextKept, nextText));
  };
  const unknown = withTyped(kept, text).filter((pattern) => !names.some((name) => isAmong([pattern], name)));
  return (
    <div class="field">
      <FormField label={label} hint={unknown.length === 0 ? hint : <UnknownNames names={unknown} />}>
        <input
          list={listId}
          value={text}
          placeholder="Type a name; Enter for one more"
          onInput={({ currentTarget }) => change(kept, currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || text.trim() === '') return;
            event.preventDefault();
            change(withTyped(kept, text), '');
          }}
        />
      </FormField>
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div class="tools">
        {kept.map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Remove ${name}`}
            onClick={() =>
              change(
                kept.filter((one) => one !== name),
                text,
              )
            }
          >
            <Said text={name} /> ✕
          </button>
        ))}
      </div>
    </div>
  );
}

function withTyped(kept: readonly string[], text: string): string[] {
  const typed = text.split(',').map((name) => name.trim());
  return [...new Set([...kept, ...typed.filter((name) => name !== '')])];
}

function UnknownNames({ names }: { readonly names: readonly string[] }) {
  return (
    <span class="warn" role="status">
      {names.length === 1 ? 'No server has this name now: ' : 'No servers have these names now: '}
      <Said text={names.join(', ')} />
    </span>
  );
}
