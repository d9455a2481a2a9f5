/** Operations on the recording of one server: arguments and results of its calls, for its owner and for a while. */

import { z } from 'zod';
import { type RecordingPage, type RecordingStatus, recordingLimits } from '../caller/caller.ts';
import { operation } from './operation.ts';

const usualMinutes = 5;
const mostCalls = 100;

export const recordingOperations = {
  'recording.start': operation({
    summary: 'Record the arguments and results of calls to one server, in memory only and with secrets masked',
    input: z.strictObject({
      server: z.string().min(1),
      minutes: z.number().int().min(1).max(recordingLimits.minutes).default(usualMinutes),
    }),
    async run({ context, input: { server, minutes } }): Promise<RecordingStatus> {
      const { name } = context.registry.find(server);
      return context.recorder.start(name, minutes);
    },
  }),
  'recording.stop': operation({
    summary: 'Stop the recording; its calls stay readable for a while',
    input: z.strictObject({}),
    async run({ context: { recorder } }): Promise<{ readonly recording: RecordingStatus | null }> {
      return { recording: recorder.stop() };
    },
  }),
  'recording.status': operation({
    summary: 'Show the current or last recording',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context: { recorder } }): Promise<{ readonly recording: RecordingStatus | null }> {
      return { recording: recorder.status };
    },
  }),
  'recording.read': operation({
    summary: 'Read the recorded calls, oldest first',
    audit: 'none',
    input: z.strictObject({
      /** Only calls with a greater number. */
      after: z.number().int().min(0).default(0),
      limit: z.number().int().min(1).max(mostCalls).default(mostCalls),
    }),
    async run({ context: { recorder }, input: { after, limit } }): Promise<RecordingPage> {
      return recorder.read(after, limit);
    },
  }),
};
