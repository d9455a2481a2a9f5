/** Deletes the metrics of a tool, of a server or of everything, after a question. */

import { useState } from 'preact/hooks';
import { Button } from '../../parts/basic.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { PageForm, SelectField } from '../../parts/fields.tsx';
import { formatCount } from '../../parts/texts.tsx';
import { useLive, useOperation, useOrder, usePageState } from '../../state.ts';

export function ResetMetrics({ onReset }: { readonly onReset: () => void }) {
  return (
    <DialogButton label="Reset metrics" look="danger">
      {(close) => <ResetForm onClose={close} onReset={onReset} />}
    </DialogButton>
  );
}

interface ResetFormProps {
  readonly onClose: () => void;
  readonly onReset: () => void;
}

function ResetForm({ onClose, onReset }: ResetFormProps) {
  const servers = useLive((view) => view.servers);
  const { tell } = usePageState();
  const order = useOrder();
  const [server, setServer] = useState('');
  const [tool, setTool] = useState('');
  const figures = useOperation('metrics.tools', server === '' ? null : { server });
  const tools = (figures.data?.tools ?? []).map(({ toolKey }) => toolKey.slice(toolKey.indexOf(':') + 1));
  const what = server === '' ? 'all tools' : tool === '' ? `server ${server}` : `${server}:${tool}`;
  const reset = async () => {
    const scope = { ...(server !== '' && { server }), ...(tool !== '' && { tool }) };
    const outcome = await order.give('metrics.reset', scope);
    if (!outcome) return;
    tell(
      outcome.removed === 0
        ? `There are no metrics of ${what} to delete.`
        : `Deleted the metrics of ${what}: ${formatCount(outcome.removed)} calls.`,
    );
    onClose();
    onReset();
  };
  return (
    <PageForm onSend={() => void reset()}>
      <SelectField
        label="Server"
        none="All"
        value={server}
        choices={[...servers.keys()]}
        onValue={(name) => {
          setServer(name);
          setTool('');
        }}
      />
      <SelectField label="Tool" none="All" value={tool} choices={tools} isDisabled={server === ''} onValue={setTool} />
      <p>
        Delete the metrics of <strong>{what}</strong>? Figures, charts and sequences start from zero. The audit keeps
        its records.
      </p>
      <div class="tools">
        <Button label="Cancel" onClick={onClose} />
        <button type="submit" class="danger" disabled={order.isRunning}>
          Delete the metrics of {what}
        </button>
      </div>
    </PageForm>
  );
}
