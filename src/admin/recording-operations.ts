/** Operations on the recording of one server: arguments and results of its calls, for its owner and for a while. */

import { z } from 'zod';
import { type RecordingPage, type RecordingStatus, recordingLimits } from '../caller/caller.ts';
import { operation } from './operation.ts';

const usualMinutes = 5;
const mostCalls = 100;

export const recordingOperations = {
  'recording.start': operation({
    summary: 'Record arguments and results of the calls of one server, with secrets masked, in memory alone',
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
    summary: 'Stop the recording; what it has can be read for a while',
    input: z.strictObject({}),
    async run({ context: { recorder } }): Promise<{ readonly recording: RecordingStatus | null }> {
      return { recording: recorder.stop() };
    },
  }),
  'recording.status': operation({
    summary: 'Which server is recorded, or was lately',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context: { recorder } }): Promise<{ readonly recording: RecordingStatus | null }> {
      return { recording: recorder.status };
    },
  }),
  'recording.read': operation({
    summary: 'The recorded calls, the oldest first',
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
