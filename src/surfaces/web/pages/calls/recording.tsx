/** Recording: arguments and results of one server for a while, kept in the memory of the gateway alone. */

import { useState } from 'preact/hooks';
import { Badge, Button, Empty, Failed, FormField, Loading } from '../../parts/basic.tsx';
import { PageForm, SelectField } from '../../parts/fields.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import { Ago, formatBytes, formatCount, formatMs, Said, SaidLines, Time } from '../../parts/texts.tsx';
import { useLive, useNow, useOrder } from '../../state.ts';
import { type RecordedRow, useRecording } from './use-recording.ts';

const longestMinutes = 30;
const usualMinutes = 5;
/** Times such as "in 3 minutes" are redrawn this often. */
const tickMs = 10_000;

export function CallRecording() {
  const { recording, calls, error } = useRecording();
  const order = useOrder();
  useNow(tickMs);
  if (error && recording === undefined) return <Failed message={error.message} hint={error.hint} />;
  if (recording === undefined) return <Loading />;
  const isRunning = recording?.isRecording === true;
  return (
    <>
      {!isRunning && <StartRecording />}
      {recording && (
        <div class="tools timeline-head">
          <span>
            {isRunning ? <Badge tone="bad">● recording</Badge> : <Badge tone="quiet">ended</Badge>}{' '}
            <strong>{recording.server}</strong>: {formatCount(recording.callCount)}{' '}
            {recording.callCount === 1 ? 'call' : 'calls'}
            {recording.droppedCount > 0 && `; the oldest ${formatCount(recording.droppedCount)} are no longer kept`}
            {isRunning ? ', ends ' : '. Readable until '}
            {isRunning ? <Ago at={recording.endsAt} /> : <Time at={recording.readableUntil} />}
          </span>
          {isRunning && (
            <Button
              label="Stop recording"
              disabled={order.isRunning}
              onClick={() => void order.give('recording.stop', {}, 'The recording has ended.')}
            />
          )}
        </div>
      )}
      <ol class="list lined">
        {calls.toReversed().map((call) => (
          <RecordedCallItem key={call.number} call={call} />
        ))}
      </ol>
      {isRunning && calls.length === 0 && (
        <Empty title="No calls yet">Calls of this server are shown here as they end.</Empty>
      )}
    </>
  );
}

function StartRecording() {
  const servers = [...useLive((view) => view.servers).keys()];
  const [server, setServer] = useState('');
  const [minutes, setMinutes] = useState(usualMinutes);
  const order = useOrder();
  const start = () => {
    void order.give('recording.start', { server, minutes }, `Recording ${server}.`);
  };
  return (
    <PageForm onSend={start}>
      <p>
        Record arguments and results of one server, to see what agents send and what they get. Secrets are masked, long
        texts are cut, and nothing is written to disk. A new recording replaces the last one.
      </p>
      <div class="filters">
        <SelectField label="Server" none="Choose …" isRequired value={server} choices={servers} onValue={setServer} />
        <FormField label={`Minutes (at most ${longestMinutes})`}>
          <input
            type="number"
            required
            min={1}
            max={longestMinutes}
            value={minutes}
            onInput={({ currentTarget }) => setMinutes(currentTarget.valueAsNumber)}
          />
        </FormField>
        <button type="submit" class="main" disabled={order.isRunning}>
          Start recording
        </button>
      </div>
    </PageForm>
  );
}

/** Arguments and result are only drawn once they are looked at. */
function RecordedCallItem({ call }: { readonly call: RecordedRow }) {
  const [isOpen, setOpen] = useState(false);
  const { time, tool, principal, outcome, durationMs, error, corrections, requestBytes, resultBytes } = call;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="said">
          <Time at={time} /> <OutcomeBadge outcome={outcome} /> <Said as="strong" text={tool} />{' '}
          <small>
            <Said text={principal.name} /> · {formatMs(durationMs)}
            {call.isCached && ' · cached result'}
          </small>
        </summary>
        {isOpen && (
          <>
            {error !== null && <Said as="p" class="notice bad" text={error} />}
            <h3>Arguments ({formatBytes(requestBytes)})</h3>
            <SaidLines label="Arguments" text={JSON.stringify(call.arguments, null, 2)} />
            {corrections.map((correction) => (
              <p key={correction}>
                Corrected: <Said text={correction} />
              </p>
            ))}
            <h3>Result ({formatBytes(resultBytes)})</h3>
            <SaidLines label="Result" text={call.result === null ? 'none' : JSON.stringify(call.result, null, 2)} />
          </>
        )}
      </details>
    </li>
  );
}
