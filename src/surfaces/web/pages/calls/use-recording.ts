/** The calls of the recording: read on as they come, and from the start for another recording. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { type ApiError, run } from '../../session.ts';
import { asApiError, useRevision } from '../../state.ts';

type RecordingPage = OutputOf<'recording.read'>;
export type RecordedRow = RecordingPage['calls'][number];

interface Recorded {
  /** null: nothing was recorded lately; undefined: not known yet. */
  readonly recording: RecordingPage['recording'] | undefined;
  /** The oldest first. */
  readonly calls: readonly RecordedRow[];
  readonly error: ApiError | undefined;
}

export function useRecording(): Recorded {
  const revision = useRevision(['recording']);
  const [recorded, setRecorded] = useState<Recorded>({ recording: undefined, calls: [], error: undefined });
  useLayoutEffect(() => {
    const stop = new AbortController();
    readOn(recorded, stop.signal).then(setRecorded, (error: unknown) => {
      if (!stop.signal.aborted) setRecorded((before) => ({ ...before, error: asApiError(error) }));
    });
    return () => stop.abort();
  }, [revision]);
  return recorded;
}

async function readOn({ recording, calls }: Recorded, signal: AbortSignal): Promise<Recorded> {
  const all = [...calls];
  for (;;) {
    const page = await run('recording.read', { after: all.at(-1)?.number ?? 0 }, signal);
    if (page.recording?.id !== recording?.id && all.length > 0)
      return readOn({ recording: page.recording, calls: [], error: undefined }, signal);
    all.push(...page.calls);
    if (page.isMore) continue;
    const { callCount = 0, droppedCount = 0 } = page.recording ?? {};
    // Drop what the gateway dropped.
    const kept = all.filter(({ number }) => number > droppedCount && number <= callCount);
    return { recording: page.recording, calls: kept, error: undefined };
  }
}
