/** Tokens: who may come in, with which rights, and when they last did. */

import { useState } from 'preact/hooks';
import type { CreatedToken, TokenReport } from '../../../../admin/admin.ts';
import { Badge, Button, Empty } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Check } from '../../parts/fields.tsx';
import { FetchedRows, type RowColumn } from '../../parts/rows.tsx';
import { Ago, Time } from '../../parts/texts.tsx';
import { setQuery, useAddress } from '../../router.ts';
import { useOperation, useOrder, usePageState } from '../../state.ts';
import { MadeToken } from './made-token.tsx';
import { TokenForm } from './token-form.tsx';

const stateTones = { active: 'good', expired: 'quiet', revoked: 'quiet' } as const;

export function TokenList() {
  const [showsEnded, setShowsEnded] = useState(false);
  const isMaking = useAddress().query.get('create') === 'token';
  const setMaking = (isOpen: boolean) => setQuery({ create: isOpen ? 'token' : undefined });
  const [made, setMade] = useState<CreatedToken | undefined>();
  const list = useOperation('tokens.list', { ended: showsEnded }, ['tokens']);
  const columns = useTokenColumns();
  return (
    <>
      <div class="tools summary">
        <Button label="Create a token" class="main" onClick={() => setMaking(true)} />
        <Check isOn={showsEnded} onValue={setShowsEnded}>
          Show revoked and expired
        </Check>
      </div>
      <FetchedRows
        answer={list}
        label="Tokens"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title="No tokens" />}
      />
      {isMaking && (
        <TokenForm
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setMade(token);
          }}
        />
      )}
      {made && <MadeToken made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function useTokenColumns(): readonly RowColumn<TokenReport>[] {
  const { isRunning, give } = useOrder();
  const { tell } = usePageState();
  const revoke = async (name: string) => {
    const revoked = await give('tokens.revoke', { name }, `Token ${name} is revoked.`);
    if (revoked && revoked.made.length > 0)
      tell(`Tokens made with it still work: ${revoked.made.join(', ')}. Revoke them too if needed.`, 'failed');
  };
  return [
    {
      title: 'Name',
      show: ({ name }) => <strong>{name}</strong>,
      below: (token) => <TokenRights token={token} />,
      order: ({ name }) => name,
    },
    {
      title: 'State',
      show: ({ state }) => <Badge tone={stateTones[state]}>{state}</Badge>,
      order: ({ state }) => state,
      isExtra: true,
    },
    { title: 'Scopes', show: ({ scopes }) => scopes.join(', '), isExtra: true },
    { title: 'Servers', show: ({ servers }) => servers?.join(', ') ?? 'all', isExtra: true },
    { title: 'Project', show: ({ project }) => project ?? '', order: ({ project }) => project ?? '', isExtra: true },
    {
      title: 'Expires',
      show: ({ expiresAt }) => (expiresAt === null ? 'never' : <Ago at={expiresAt} />),
      order: ({ expiresAt }) => expiresAt ?? '~',
      isExtra: true,
    },
    {
      title: 'Last used',
      // The last use of a token in the data folder is not kept over a restart.
      show: ({ lastUsedAt, origin }) =>
        lastUsedAt === null ? origin === 'file' ? '' : 'never' : <Time at={lastUsedAt} />,
      order: ({ lastUsedAt }) => lastUsedAt ?? '',
      isExtra: true,
    },
    {
      title: 'Revoke',
      show: ({ name, origin, state }) =>
        origin === 'file' ? (
          <small class="wraps">in the data folder</small>
        ) : (
          state !== 'revoked' && (
            <ConfirmButton
              label="Revoke"
              question={`Revoke token “${name}”? Its sessions, streams and calls end at once.`}
              isDisabled={isRunning}
              onConfirm={() => void revoke(name)}
            />
          )
        ),
    },
  ];
}

/** In one line, for narrow screens. */
function TokenRights({ token: { state, scopes, servers, expiresAt } }: { readonly token: TokenReport }) {
  const parts = [...(state === 'active' ? [] : [state]), scopes.join(', '), servers?.join(', ') ?? 'all servers'];
  return (
    <>
      {parts.join(' · ')}
      {state === 'active' && expiresAt !== null && (
        <>
          {' · expires '}
          <Ago at={expiresAt} />
        </>
      )}
    </>
  );
}
