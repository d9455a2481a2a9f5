/** Records the calls of one server for its owner: arguments and results, masked and short, in memory alone, for a while. */

import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { currentRequest, randomId } from '../base/ids.ts';
import { type Json, jsonSize } from '../base/json.ts';
import { redact, redactedBeginning } from '../base/redact.ts';
import { Signal } from '../base/signal.ts';
import type { CallRecord } from '../metrics/metrics.ts';
import type { Call, CallEnd } from './call.ts';

const minuteMs = 60_000;

export const recordingLimits = Object.freeze({
  /** The longest recording. */
  minutes: 30,
  /** Calls that are kept, and their bytes; beyond either the oldest go. */
  calls: 500,
  bytes: 8 * 1_024 * 1_024,
  /** Characters of one text in arguments or in a result. */
  textCharacters: 4_000,
  /** How long the calls can still be read after the end. */
  readableMinutes: 30,
});

/** One call while it was recorded. */
export interface RecordedCall {
  /** 1 for the first call of the recording. */
  readonly number: number;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly tool: string;
  readonly principal: { readonly id: string; readonly name: string };
  readonly client: string | null;
  /** The same as in the audit. */
  readonly requestId: string | null;
  readonly way: Call['way'];
  readonly outcome: CallRecord['outcome'];
  readonly errorType: string | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly isCached: boolean;
  readonly requestBytes: number;
  readonly resultBytes: number;
  /** As the agent gave them, and what was corrected before they were sent. */
  readonly arguments: Json;
  readonly corrections: readonly string[];
  /** null where there was none. Of a result that is stored, what its agent got. */
  readonly result: Json;
}

export interface RecordingStatus {
  readonly id: string;
  readonly server: string;
  readonly isRecording: boolean;
  /** ISO 8601, in UTC, as the other times: when it began and when it ends or ended. */
  readonly startedAt: string;
  readonly endsAt: string;
  /** After this time nothing of it is left. */
  readonly readableUntil: string;
  /** Calls so far, and how many of them were let go to make room. */
  readonly callCount: number;
  readonly droppedCount: number;
}

export interface RecordingPage {
  /** null: nothing was recorded lately. */
  readonly recording: RecordingStatus | null;
  /** The oldest first. */
  readonly calls: readonly RecordedCall[];
  /** There are more behind the last of these. */
  readonly isMore: boolean;
}

/** `gone`: its calls cannot be read any more. */
export type RecordingChange =
  | { readonly kind: 'started' | 'ended' | 'gone'; readonly recording: RecordingStatus }
  | { readonly kind: 'call'; readonly recording: RecordingStatus; readonly call: RecordedCall };

interface Recording {
  readonly id: string;
  readonly server: string;
  readonly startedAt: number;
  endsAt: number;
  isRecording: boolean;
  callCount: number;
  bytes: number;
  readonly kept: { readonly call: RecordedCall; readonly bytes: number }[];
}

export class CallRecorder {
  readonly changed = new Signal<RecordingChange>();
  readonly #clock: Clock;
  #recording: Recording | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** null: nothing was recorded lately. */
  get status(): RecordingStatus | null {
    return this.#recording === undefined ? null : statusOf(this.#recording);
  }

  /** One at a time; the calls of the last one are gone then. */
  start(server: string, minutes: number): RecordingStatus {
    const before = this.#recording;
    if (before?.isRecording)
      throw new GatewayError('USAGE', `A recording of server "${before.server}" is running.`, {
        hint: 'Stop it first.',
      });
    this.#forget();
    const startedAt = this.#clock.now();
    const endsAt = startedAt + minutes * minuteMs;
    const recording: Recording = {
      id: randomId(),
      server,
      startedAt,
      endsAt,
      isRecording: true,
      callCount: 0,
      bytes: 0,
      kept: [],
    };
    this.#recording = recording;
    this.#timer = this.#clock.after(minutes * minuteMs, () => this.stop());
    return this.#tell('started', recording);
  }

  /** Its calls can be read for a while. Nothing happens where none is running. */
  stop(): RecordingStatus | null {
    const recording = this.#recording;
    if (!recording?.isRecording) return this.status;
    this.#timer?.cancel();
    recording.isRecording = false;
    recording.endsAt = Math.min(recording.endsAt, this.#clock.now());
    this.#timer = this.#clock.after(recordingLimits.readableMinutes * minuteMs, () => this.#forget());
    return this.#tell('ended', recording);
  }

  read(after: number, limit: number): RecordingPage {
    const found = (this.#recording?.kept ?? []).filter(({ call }) => call.number > after);
    const calls = found.slice(0, limit).map(({ call }) => call);
    return { recording: this.status, calls, isMore: found.length > calls.length };
  }

  /** To be told of each call that ended; costs nothing while its server is not recorded. */
  note(call: Call, ended: CallEnd, row: CallRecord): void {
    const recording = this.#recording;
    if (!recording?.isRecording || recording.server !== call.server) return;
    recording.callCount += 1;
    const recorded = recordedCall(call, ended, row, recording.callCount);
    this.#keep(recording, recorded);
    this.changed.emit({ kind: 'call', recording: statusOf(recording), call: recorded });
  }

  close(): void {
    this.#forget();
  }

  #keep(recording: Recording, call: RecordedCall): void {
    const bytes = jsonSize(call);
    recording.kept.push({ call, bytes });
    recording.bytes += bytes;
    while (recording.kept.length > recordingLimits.calls || recording.bytes > recordingLimits.bytes)
      recording.bytes -= recording.kept.shift()?.bytes ?? 0;
  }

  #forget(): void {
    const recording = this.#recording;
    this.#timer?.cancel();
    this.#recording = undefined;
    if (recording) this.#tell('gone', { ...recording, isRecording: false });
  }

  #tell(kind: 'started' | 'ended' | 'gone', recording: Recording): RecordingStatus {
    const status = statusOf(recording);
    this.changed.emit({ kind, recording: status });
    return status;
  }
}

function statusOf({ id, server, isRecording, startedAt, endsAt, callCount, kept }: Recording): RecordingStatus {
  const time = (at: number) => new Date(at).toISOString();
  return {
    id,
    server,
    isRecording,
    startedAt: time(startedAt),
    endsAt: time(endsAt),
    readableUntil: time(endsAt + recordingLimits.readableMinutes * minuteMs),
    callCount,
    droppedCount: callCount - kept.length,
  };
}

function recordedCall(call: Call, ended: CallEnd, row: CallRecord, number: number): RecordedCall {
  const { principal, agent, params, way, course } = call;
  return {
    number,
    time: new Date(row.at).toISOString(),
    tool: row.tool,
    principal: { id: principal.id, name: principal.name },
    client: agent.client ?? null,
    requestId: currentRequest()?.id ?? null,
    way,
    outcome: row.outcome,
    errorType: row.errorType,
    error: row.error,
    durationMs: row.ms,
    isCached: row.isCached,
    requestBytes: row.requestBytes,
    resultBytes: row.resultBytes,
    arguments: shown(params.arguments ?? {}),
    corrections: (course?.corrections ?? []).map(shownText),
    result: 'result' in ended ? shown(ended.result) : null,
  };
}

/** A copy without secrets, whose long texts say that they are cut. */
function shown(value: unknown): Json {
  // Arguments and results are JSON, and so are their copies.
  return redact(value, shownText) as Json;
}

function shownText(text: string): string {
  const most = recordingLimits.textCharacters;
  const beginning = redactedBeginning(text, most);
  return text.length <= most ? beginning : `${beginning} (cut: ${text.length} characters)`;
}
