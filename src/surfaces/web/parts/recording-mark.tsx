/** Says on every page that a server is being recorded, for how long, and ends it. */

import { pageLink } from '../router.ts';
import { useNow, useOperation, useOrder } from '../state.ts';
import { Button } from './basic.tsx';

const tickMs = 5_000;

export function RecordingMark() {
  const { data, reload } = useOperation('recording.status', {}, ['recording']);
  useNow(tickMs);
  const order = useOrder();
  const recording = data?.recording;
  if (!recording?.isRecording) return null;
  const minutes = Math.ceil(Math.max(0, Date.parse(recording.endsAt) - Date.now()) / 60_000);
  return (
    <section class="box tools spread recording" aria-label="Recording">
      <a href={pageLink(['calls'], { tab: 'recording' })}>
        <span aria-hidden="true">●</span> Recording {recording.server}, {minutes} min left
      </a>
      <Button
        label="Stop"
        disabled={order.isRunning}
        onClick={() => void order.give('recording.stop', {}, 'The recording has ended.').then(reload)}
      />
    </section>
  );
}
