/** Chooses names of servers: from those that there are, or by a pattern such as `mail-*`. */

import { useId, useState } from 'preact/hooks';
import { FormField } from '../../parts/basic.tsx';
import { Said } from '../../parts/texts.tsx';

interface PatternPickerProps {
  readonly label: string;
  readonly hint: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}

export function PatternPicker({ label, hint, names, chosen, onChosen }: PatternPickerProps) {
  const [text, setText] = useState('');
  const listId = useId();
  const add = () => {
    const given = text.split(',').map((name) => name.trim());
    onChosen([...new Set([...chosen, ...given.filter((name) => name !== '')])]);
    setText('');
  };
  return (
    <div class="field">
      <FormField label={label} hint={hint}>
        <input
          list={listId}
          value={text}
          placeholder="Type a name and press Enter"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onChange={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
      </FormField>
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div class="tools">
        {chosen.map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-label={`Remove ${name}`}
            onClick={() => onChosen(chosen.filter((one) => one !== name))}
          >
            <Said text={name} /> ✕
          </button>
        ))}
      </div>
    </div>
  );
}
