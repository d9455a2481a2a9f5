/** Reads a file of exported records back, and says what was taken and what refused. */

import { useState } from 'preact/hooks';
import type { InputOf, OutputOf } from '../../../../admin/admin.ts';
import { Button, FormField } from '../../parts/basic.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Check } from '../../parts/fields.tsx';
import { SaidLines } from '../../parts/texts.tsx';
import { useOrder, usePageState } from '../../state.ts';

type RecordFile = Pick<InputOf<'optimize.import'>, 'path' | 'content'>;
type ImportedFile = OutputOf<'optimize.import'>;

export function ImportRecords({ server }: { readonly server: string }) {
  return (
    <DialogButton label="Import records …" title={`Import records of ${server}`}>
      {(close) => <ImportForm server={server} onClose={close} />}
    </DialogButton>
  );
}

function ImportForm({ server, onClose }: { readonly server: string; readonly onClose: () => void }) {
  const [files, setFiles] = useState<readonly RecordFile[]>([]);
  const [replace, setReplace] = useState(false);
  const [promotions, setPromotions] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly string[]>([]);
  const { give, isRunning } = useOrder();
  const { tell } = usePageState();
  const read = async (file: File | undefined) => {
    try {
      setFiles(file ? readRecords(await file.text()) : []);
    } catch {
      setFiles([]);
      tell('This file is not an export of the optimizer.', 'failed');
    }
  };
  const take = async () => {
    const said: string[] = [];
    for (const file of files) {
      const outcome = await give('optimize.import', { server, ...file, replace, promotions });
      if (!outcome) return;
      said.push(`${file.path}: ${sayImported(outcome)}`);
    }
    setOutcomes(said);
  };
  return (
    <>
      <FormField label="File" hint="As “Export records” saves it. Every record is checked.">
        <input
          type="file"
          accept="application/json,.json"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
      </FormField>
      <Check isOn={replace} onValue={setReplace}>
        Replace prompts and promotions that are here
      </Check>
      <Check isOn={promotions} onValue={setPromotions}>
        Restore promotions that pass the gates here, or were forced
      </Check>
      {outcomes.length > 0 && <SaidLines label="Outcome" text={outcomes.join('\n')} />}
      <div class="tools">
        <Button label="Import" class="main" disabled={isRunning || files.length === 0} onClick={() => void take()} />
        <Button label="Close" onClick={onClose} />
      </div>
    </>
  );
}

/** Runs that are sent at once: a request has a limit. */
const runsAtOnce = 1_000;

/** Throws where it is something else. */
function readRecords(text: string): readonly RecordFile[] {
  const files = JSON.parse(text) as readonly RecordFile[];
  if (!Array.isArray(files) || files.some((file) => typeof file?.path !== 'string')) throw new Error('no export');
  return files.flatMap(({ path, content }) => {
    if (!Array.isArray(content) || !path.startsWith('eval-runs/')) return [{ path, content }];
    const starts = Array.from({ length: Math.ceil(content.length / runsAtOnce) }, (_, at) => at * runsAtOnce);
    return starts.map((from) => ({ path, content: content.slice(from, from + runsAtOnce) }));
  });
}

function sayImported({ candidates, prompts, runs, promotions, refused, restored, waiting }: ImportedFile): string {
  return [
    `${candidates + prompts + runs + promotions} imported`,
    ...refused.map(({ what, why }) => `${what} is refused: ${why}`),
    ...restored.map(({ what }) => `${what} is restored`),
    ...waiting.map(({ what, why }) => `${what} is left out: ${why}`),
  ].join('; ');
}
