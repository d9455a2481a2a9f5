/** A token that was just made: shown once, with what an agent needs to use it. */

import type { CreatedToken } from '../../../../admin/admin.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SaidLines } from '../../parts/texts.tsx';
import { usePageState } from '../../state.ts';

interface MadeTokenProps {
  readonly made: CreatedToken;
  readonly onClose: () => void;
}

export function MadeToken({ made, onClose }: MadeTokenProps) {
  const config = JSON.stringify(
    {
      mcpServers: {
        toolcrib: { type: 'http', url: `${location.origin}/mcp`, headers: { Authorization: `Bearer ${made.token}` } },
      },
    },
    null,
    2,
  );
  return (
    <Dialog title={`Token ${made.name}`} onClose={onClose}>
      <p class="notice warn">Copy it now; it is not shown again.</p>
      <CopyPart label="Token" text={made.token} />
      <CopyPart label="For an agent's config" text={config} />
      {made.unmatched.length > 0 && <p>No server is called {made.unmatched.join(', ')} now.</p>}
      {made.scopes.includes('admin') && (made.servers !== null || made.project !== null) && (
        <p>
          These limits hold for what it uses and for tokens that it makes. With the scope “admin” it can still change
          servers and projects.
        </p>
      )}
      <div class="tools">
        <button type="button" class="main" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function CopyPart({ label, text }: { readonly label: string; readonly text: string }) {
  const { tell } = usePageState();
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => tell(`${label} copied.`),
      () => tell('The browser does not let the page copy. Select the text and copy it.', 'failed'),
    );
  return (
    <section>
      <header class="panel-head">
        <h3>{label}</h3>
        <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
          Copy
        </button>
      </header>
      <SaidLines label={label} text={text} />
    </section>
  );
}
