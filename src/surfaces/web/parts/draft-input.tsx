/** An input whose value is kept elsewhere, such as in the address: what is being typed stays while the page is drawn again. */

import { useLayoutEffect, useState } from 'preact/hooks';

interface DraftInputProps {
  readonly type: 'search' | 'datetime-local';
  readonly value: string;
  /** Told when somebody is done: after Enter, or when they go on to something else. */
  readonly onCommit: (text: string) => void;
  readonly list?: string;
}

export function DraftInput({ value, onCommit, ...input }: DraftInputProps) {
  const [draft, setDraft] = useState<string | undefined>();
  useLayoutEffect(() => setDraft(undefined), [value]);
  return (
    <input
      {...input}
      placeholder="All"
      value={draft ?? value}
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onChange={({ currentTarget }) => onCommit(currentTarget.value.trim())}
    />
  );
}
