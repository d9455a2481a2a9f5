/** Promises about the record of who did what. */

import type { Requirement } from './requirement.ts';

export const auditRequirements: readonly Requirement[] = [
  {
    id: 'AUD-01',
    sentence: 'Every search, call and refusal is one record, by whichever way it came.',
    source: 'access',
  },
  { id: 'AUD-02', sentence: 'Whatever a request holds, it is one record of bounded size.', source: 'reliability' },
  {
    id: 'AUD-03',
    sentence: 'Arguments are hashed, and kept only where the owner wants that, with secrets masked.',
    source: 'access',
  },
  { id: 'AUD-04', sentence: 'A gateway that is killed after an answer has the record of it.', source: 'reliability' },
  {
    id: 'AUD-05',
    sentence: 'While the store cannot be written calls go on, and their records follow.',
    source: 'reliability',
  },
  { id: 'AUD-06', sentence: 'Whatever the owner changes is a record, without secrets.', source: 'access' },
  { id: 'AUD-07', sentence: 'Records go when they are older than the config says, and no earlier.', source: 'access' },
  {
    id: 'AUD-08',
    sentence: 'Who follows the audit sees every record once, also while the gateway starts again.',
    source: 'access',
  },
  {
    id: 'AUD-10',
    sentence: 'All records of one request have the same id, which its HTTP answer carries.',
    source: 'access',
  },
  {
    id: 'AUD-11',
    sentence: 'A record names the token, the project, the tool, and the trace that came with the request.',
    source: 'access',
  },
  {
    id: 'AUD-12',
    sentence: 'The record of a call that failed says why, and which other tools were offered.',
    source: 'access',
  },
  {
    id: 'AUD-13',
    sentence:
      'The owner can record the calls of one server with arguments and results: masked, in memory, for a while.',
    source: 'access',
  },
  {
    id: 'AUD-14',
    sentence:
      'A secret typed in place of a name appears in no record and no line of the log, and is refused as a name.',
    source: 'access',
  },
  {
    id: 'AUD-09',
    sentence: 'The export is one line of JSON a record, and the table one line of plain text.',
    source: 'access',
  },
];
