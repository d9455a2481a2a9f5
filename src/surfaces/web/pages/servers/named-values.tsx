/** Rows of names and values, such as an environment. Values are hidden while nobody asks to see them, and can be secrets by name. */

import { useState } from 'preact/hooks';
import type { NamedValue } from '../../../wording/wording.ts';
import { Button } from '../../parts/basic.tsx';
import { useOperation } from '../../state.ts';

interface NamedValuesProps {
  readonly title: string;
  /** The word for one of them. */
  readonly what: string;
  readonly pairs: readonly NamedValue[];
  readonly problem: string | undefined;
  readonly onChange: (pairs: readonly NamedValue[]) => void;
}

export function NamedValues({ title, what, pairs, problem, onChange }: NamedValuesProps) {
  const { data: secrets = [] } = useOperation('secrets.list', {}, ['secrets']);
  const names = secrets.map(({ name }) => name);
  const nextId = Math.max(0, ...pairs.map(({ id }) => id)) + 1;
  const put = (at: number, change: Partial<NamedValue>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <fieldset>
      <legend>{title}</legend>
      {pairs.map((pair, at) => (
        <NamedValueRow
          key={pair.id}
          label={`${what} ${at + 1}`}
          pair={pair}
          secrets={names}
          onChange={(change) => put(at, change)}
          onRemove={() => onChange(pairs.filter((_, index) => index !== at))}
        />
      ))}
      {problem && <p class="bad">{problem}</p>}
      <Button label={`Add a ${what}`} onClick={() => onChange([...pairs, { id: nextId, name: '', value: '' }])} />
      <small>
        {' A value can be '}
        <code>{`\${secret:NAME}`}</code>. Values are stored encrypted.
      </small>
    </fieldset>
  );
}

interface NamedValueRowProps {
  readonly label: string;
  readonly pair: NamedValue;
  readonly secrets: readonly string[];
  readonly onChange: (change: Partial<NamedValue>) => void;
  readonly onRemove: () => void;
}

/** A value that is only a reference to a secret or a variable can be shown. */
const reference = /^[\w ]*\$\{(?:secret:|env:)?[\w.-]*\}$/;

function NamedValueRow({ label, pair, secrets, onChange, onRemove }: NamedValueRowProps) {
  const [isShown, setShown] = useState(false);
  const value = {
    class: 'fixed',
    'aria-label': `Value of ${label}`,
    placeholder: pair.kept === undefined ? 'Value' : 'Kept',
    autocomplete: 'new-password',
    spellcheck: false,
    value: pair.value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ value: currentTarget.value }),
  };
  return (
    <div class="pair">
      <input
        class="fixed"
        aria-label={`Name of ${label}`}
        placeholder="Name"
        autocomplete="off"
        spellcheck={false}
        value={pair.name}
        onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      {isShown || reference.test(pair.value) ? <input {...value} type="text" /> : <input {...value} type="password" />}
      {secrets.length > 0 && (
        <select
          aria-label={`Secret for ${label}`}
          value=""
          onChange={({ currentTarget }) => {
            onChange({ value: `${pair.value}\${secret:${currentTarget.value}}` });
            currentTarget.value = '';
          }}
        >
          <option value="">Use a secret …</option>
          {secrets.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <Button label={isShown ? 'Hide' : 'Show'} onClick={() => setShown(!isShown)} />
      <button type="button" aria-label={`Remove ${label}`} onClick={onRemove}>
        ✕
      </button>
    </div>
  );
}
