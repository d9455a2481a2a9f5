/** Deletes the metrics of a tool, of a server or of everything, after a question. */

import { useState } from 'preact/hooks';
import { FormField } from '../../parts/basic.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { formatCount } from '../../parts/texts.tsx';
import { useOperation, useOrder, usePageState, useView } from '../../state.ts';

export function ResetMetrics({ onReset }: { readonly onReset: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Reset metrics
      </button>
      {isOpen && <ResetDialog onClose={() => setOpen(false)} onReset={onReset} />}
    </>
  );
}

interface ResetDialogProps {
  readonly onClose: () => void;
  readonly onReset: () => void;
}

function ResetDialog({ onClose, onReset }: ResetDialogProps) {
  const { servers } = useView();
  const { tell } = usePageState();
  const order = useOrder();
  const [server, setServer] = useState('');
  const [tool, setTool] = useState('');
  const figures = useOperation('metrics.tools', server === '' ? null : { server });
  const tools = (figures.data?.tools ?? []).map(({ toolKey }) => toolKey.slice(toolKey.indexOf(':') + 1));
  const what = server === '' ? 'all tools' : tool === '' ? `server ${server}` : `${server}:${tool}`;
  const reset = async (event: Event) => {
    event.preventDefault();
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
    <Dialog title="Reset metrics" onClose={onClose}>
      <form onSubmit={(event) => void reset(event)}>
        <FormField label="Server">
          <select
            value={server}
            onChange={({ currentTarget }) => {
              setServer(currentTarget.value);
              setTool('');
            }}
          >
            <option value="">All</option>
            {[...servers.keys()].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </FormField>
        <FormField label="Tool">
          <select value={tool} disabled={server === ''} onChange={({ currentTarget }) => setTool(currentTarget.value)}>
            <option value="">All</option>
            {tools.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </FormField>
        <p>
          Delete the metrics of <strong>{what}</strong>? Figures, charts and sequences start from zero. The audit keeps
          its records.
        </p>
        <div class="tools">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={order.isRunning}>
            Delete the metrics of {what}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
