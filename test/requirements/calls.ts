/** Promises about calls: trouble, other tools, results, reuse, time and metrics. */

import type { Requirement } from './requirement.ts';

function promises(source: string, sentences: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, sentence, source }));
}

export const callRequirements: readonly Requirement[] = [
  ...promises('SPEC 7, trouble', {
    'CALL-01': 'Every kind of trouble is told in one sentence with what to do, numbered steps and the same as data.',
    'CALL-02': 'What a principal may not know reads exactly like what is not there; an owner is told the reason.',
    'CALL-03': 'Advice names only tools that its reader has.',
    'CALL-04':
      'A key that was given with a time to live is refused when it is old; its bare form is always understood.',
    'CALL-05': 'The door of a project shows and calls the tools of its servers only.',
  }),
  ...promises('SPEC 7, fallback', {
    'CALL-06': 'A failing tool comes with others for the purpose, with similarity, success rate and reason.',
    'CALL-07': 'A tool with a stronger effect, a failing one and one that may not be called are never suggested.',
    'CALL-08': 'An alternative that worked ranks higher, and it is recorded whether a suggestion was taken and worked.',
    'CALL-09': 'Where the owner allows it, a read-only alternative is called at once and both outcomes are told.',
  }),
  ...promises('SPEC 7, arguments and results', {
    'CALL-10': 'A healthy result reaches the agent as the server sent it, whatever it holds.',
    'CALL-11': 'Harmless coercions of arguments are made and noted.',
    'CALL-12': 'Results of tools that read are used again where the owner allows it, and say so.',
    'CALL-20': 'A result of any size up to the limit stays within a fixed memory, and other calls go on.',
    'CALL-21':
      'A large result becomes a short header, a preview and a link where all of it can be paged, searched and selected.',
    'CALL-22': 'Very many small blocks, rows and binary contents are kept and read like long texts.',
    'CALL-23': 'A kept result is there for its principal alone, and until the time that was told.',
    'CALL-25':
      'A text and its structured copy count once; the preview of a larger result takes about a quarter of the limit, up to a line or row.',
    'CALL-24': 'Structured content that was promised stays whole on direct doors, and the plain door shapes nothing.',
  }),
  ...promises('SPEC 7, metrics and time', {
    'CALL-13': 'Every way of calling is counted once, by kind of outcome, before its answer leaves.',
    'CALL-14': 'Counted calls survive the death of the gateway, and none is counted twice.',
    'CALL-15': 'Calls go on while the store cannot be written, and what was counted meanwhile is written later.',
    'CALL-16': 'Progress keeps a call alive up to a hard maximum, also where the agent did not ask for it.',
    'CALL-17': 'What followed what and what was executed after which query can be asked for.',
    'CALL-35': 'Calls can be asked for over time: by minute, by hour and by day, of a tool, of a server or of all.',
    'CALL-34': 'No error says that a call may have had an effect when it was never sent.',
  }),
  ...promises('SPEC 2, commands', {
    'CALL-30': 'The command for metrics shows tools, one tool in full, and days.',
    'CALL-31': 'Metrics are reset for one tool, one server or all, and only those.',
    'CALL-32': 'The command for usage shows sequences, queries and suggestions.',
    'CALL-33': 'A failing call on the command line names other tools.',
  }),
];
