/** Text to be copied. */

import { useState } from 'preact/hooks';
import { usePageState } from '../state.ts';

/** How long the button says that it is done. */
const doneMs = 2_000;

export function CopyBlock({ label, text }: { readonly label: string; readonly text: string }) {
  const [isDone, setDone] = useState(false);
  const { tell } = usePageState();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return tell('The browser does not let the page copy. Select the text and copy it.', 'failed');
    }
    setDone(true);
    setTimeout(() => setDone(false), doneMs);
  };
  return (
    <div class="copy">
      <header class="tools spread">
        <strong>{label}</strong>
        <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
          {isDone ? 'Copied' : 'Copy'}
        </button>
      </header>
      <pre class="box said-lines">{text}</pre>
    </div>
  );
}
