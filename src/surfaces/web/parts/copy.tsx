/** Text to be copied. */

import { useState } from 'preact/hooks';

/** How long the button says that it is done. */
const doneMs = 2_000;

export function CopyBlock({ label, text }: { readonly label: string; readonly text: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), doneMs);
  };
  return (
    <div class="copy">
      <header class="tools">
        <strong>{label}</strong>
        <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
          {isDone ? 'Copied' : 'Copy'}
        </button>
      </header>
      <pre class="said-lines">{text}</pre>
    </div>
  );
}
