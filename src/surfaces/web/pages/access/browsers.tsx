/** Browsers that are signed in to this gateway, and signing one out. */

import type { BrowserReport } from '../../../../admin/admin.ts';
import { Badge, Empty } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { FetchedRows, type RowColumn } from '../../parts/rows.tsx';
import { Ago, Said } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';

export function BrowserList() {
  const list = useOperation('browsers.list', {}, ['tokens']);
  const { isRunning, give } = useOrder();
  const end = async (id: string) => {
    await give('browsers.end', { id }, 'The browser is signed out.');
    list.reload();
  };
  const columns: readonly RowColumn<BrowserReport>[] = [
    {
      title: 'Signed in as',
      show: ({ name, isThis }) => (
        <>
          <Said text={name} /> {isThis && <Badge>this browser</Badge>}
        </>
      ),
      below: ({ signedInAt }) => (
        <>
          since <Ago at={signedInAt} />
        </>
      ),
    },
    { title: 'Since', show: ({ signedInAt }) => <Ago at={signedInAt} />, isExtra: true },
    { title: 'Last used', show: ({ lastUsedAt }) => <Ago at={lastUsedAt} />, isExtra: true },
    { title: 'Ends', show: ({ expiresAt }) => <Ago at={expiresAt} />, isExtra: true },
    {
      title: 'Sign out',
      show: ({ id }) => (
        <ConfirmButton
          label="Sign out"
          question="The browser is signed out at once. It needs a new link to come back."
          isDisabled={isRunning}
          onConfirm={() => void end(id)}
        />
      ),
    },
  ];
  return (
    <FetchedRows
      answer={list}
      label="Browsers"
      columns={columns}
      keyOf={({ id }) => id}
      empty={<Empty title="No browser is signed in">“toolcrib open” makes a link for one.</Empty>}
    />
  );
}
