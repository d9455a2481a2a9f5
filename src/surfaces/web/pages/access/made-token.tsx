/** A token that was just made: shown once, with what an agent needs to use it. */

import type { CreatedToken } from '../../../../admin/admin.ts';
import { Button } from '../../parts/basic.tsx';
import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { initializeByCurl } from '../../parts/shell-commands.ts';
import { gatewayUrl } from '../../session.ts';

interface MadeTokenProps {
  readonly made: CreatedToken;
  readonly onClose: () => void;
}

export function MadeToken({ made, onClose }: MadeTokenProps) {
  const config = JSON.stringify(
    {
      mcpServers: {
        toolcrib: { type: 'http', url: `${gatewayUrl()}/mcp`, headers: { Authorization: `Bearer ${made.token}` } },
      },
    },
    null,
    2,
  );
  return (
    <Dialog title={`Token ${made.name}`} onClose={onClose}>
      <p class="notice warn">Copy the token now: it is not shown again.</p>
      <CopyBlock label="Token" text={made.token} />
      <CopyBlock label="For an agent's config" text={config} />
      <CopyBlock label="Try it with cURL" text={initializeByCurl(gatewayUrl(), made.token)} />
      {made.unmatched.length > 0 && <p>No server is called {made.unmatched.join(', ')} now.</p>}
      {made.scopes.includes('admin') && (made.servers !== null || made.project !== null) && (
        <p>
          These limits apply to what the token uses and to tokens made with it. With the scope “admin” it can still
          change servers and projects.
        </p>
      )}
      <div class="tools">
        <Button label="Done" class="main" onClick={onClose} />
      </div>
    </Dialog>
  );
}
