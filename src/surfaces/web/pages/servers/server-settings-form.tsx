/** The settings of one server that can be changed while it runs. */

import { useState } from 'preact/hooks';
import type { ServerDetails, SettingChanges } from '../../../../admin/admin.ts';
import { Button, Panel } from '../../parts/basic.tsx';
import { PageForm, TextField } from '../../parts/fields.tsx';
import { useOrder } from '../../state.ts';

interface ServerSettingsProps {
  readonly details: ServerDetails;
  /** True where nothing can be changed here. */
  readonly isFixed: boolean;
}

type TextKey = 'title' | 'description';
type NumberKey = 'timeoutMs' | 'cacheTtlMs' | 'idleMs' | 'maxConcurrent';
type FieldKey = TextKey | NumberKey;

const texts: readonly (readonly [TextKey, string, string])[] = [
  ['title', 'Title', 'Shown in place of the name that the server gives itself.'],
  ['description', 'Description', 'Tells agents what the server is for.'],
];
const numbers: readonly (readonly [NumberKey, string, string])[] = [
  ['timeoutMs', 'Call timeout (ms)', 'Leave empty for the default.'],
  ['cacheTtlMs', 'Cache results for (ms)', '0: never reuse a result.'],
  ['idleMs', 'Stop when idle for (ms)', 'Leave empty to keep it running.'],
  ['maxConcurrent', 'Concurrent calls', 'Leave empty for the default.'],
];

export function ServerSettings({ details, isFixed }: ServerSettingsProps) {
  const { name, settings } = details;
  const order = useOrder();
  const [typed, setTyped] = useState<Readonly<Partial<Record<FieldKey, string>>>>({});
  const shown = (key: FieldKey) => typed[key] ?? String(settings[key] ?? '');
  const save = async () => {
    if (await order.give('servers.set', { name, ...changesOf(typed) }, 'Settings saved.')) setTyped({});
  };
  const field = ([key, label, hint]: readonly [FieldKey, string, string], mode: 'text' | 'numeric') => (
    <TextField
      key={key}
      label={label}
      hint={hint}
      inputMode={mode}
      value={shown(key)}
      disabled={isFixed}
      onValue={(text) => setTyped({ ...typed, [key]: text })}
    />
  );
  return (
    <Panel title="Settings">
      <PageForm onSend={() => void save()}>
        <div class="grid fields wide">
          {texts.map((row) => field(row, 'text'))}
          {numbers.map((row) => field(row, 'numeric'))}
        </div>
        {!isFixed && (
          <div class="tools">
            <button type="submit" class="main" disabled={Object.keys(typed).length === 0 || order.isRunning}>
              Save settings
            </button>
            {Object.keys(typed).length > 0 && <Button label="Discard changes" onClick={() => setTyped({})} />}
          </div>
        )}
      </PageForm>
    </Panel>
  );
}

/** An empty field is the default again. */
function changesOf(typed: Readonly<Partial<Record<FieldKey, string>>>): SettingChanges {
  const isNumber = (key: string) => numbers.some(([known]) => known === key);
  const entries = Object.entries(typed).map(([key, value]) => [
    key,
    value === '' ? null : isNumber(key) ? Number(value) : value,
  ]);
  return Object.fromEntries(entries);
}
