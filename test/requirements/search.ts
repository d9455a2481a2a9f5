/** Promises about finding a tool. */

import type { Requirement } from './requirement.ts';

export const searchRequirements: readonly Requirement[] = [
  {
    id: 'FIND-01',
    sentence: 'catalog/search finds among the tools that the caller may use, in the mode that is asked for.',
    source: 'search',
  },
  { id: 'FIND-02', sentence: 'Tools that come with a question are searched, and nothing else is.', source: 'search' },
  { id: 'FIND-03', sentence: 'A question that is not right is refused with what is wrong.', source: 'search' },
  {
    id: 'FIND-04',
    sentence: 'Another gateway can search for this one and finds the same tools.',
    source: 'search',
  },
  { id: 'FIND-05', sentence: 'Only tools that the asker may use are sent to another gateway.', source: 'search' },
  {
    id: 'FIND-06',
    sentence:
      'A gateway that is late or dead is done without, said in the answer and once in the log, until it is back.',
    source: 'search',
  },
  {
    id: 'FIND-07',
    sentence: 'Gateways that are set as search of each other do not ask in a circle.',
    source: 'search',
  },
  {
    id: 'FIND-08',
    sentence:
      'A model of either API ranks what was found; where it fails, the order found here stands, and that is said.',
    source: 'search',
  },
  {
    id: 'FIND-09',
    sentence: 'An embedding service is used where it is right; otherwise search goes on by words and says so once.',
    source: 'search',
  },
  {
    id: 'FIND-10',
    sentence: 'What was executed after a query is lifted for like queries, over restarts, unless usage is off.',
    source: 'search',
  },
  { id: 'FIND-11', sentence: 'The owner can say what category a server or a tool is in.', source: 'search' },
  { id: 'FIND-12', sentence: 'An alias is found by its own words.', source: 'search' },
  {
    id: 'FIND-13',
    sentence: 'Vectors survive a restart and a sudden end: nothing unchanged is embedded again.',
    source: 'search',
  },
  {
    id: 'FIND-14',
    sentence: 'A tool that is described anew is found by its new words and is embedded again alone.',
    source: 'search',
  },
  {
    id: 'FIND-15',
    sentence: 'Tools are recommended for a task, with reasons, at every door of agents and at the owner door.',
    source: 'surfaces',
  },
  { id: 'FIND-16', sentence: 'The API searches, recommends, embeds and says how search is.', source: 'search' },
  {
    id: 'FIND-17',
    sentence: 'The commands print what fits and why, what is nearest where nothing does, and how it was searched.',
    source: 'commands',
  },
  {
    id: 'FIND-18',
    sentence: 'Odd questions and odd catalogs get a right answer or a clear refusal.',
    source: 'search',
  },
  { id: 'FIND-19', sentence: 'Equal tools of several servers are one answer that names its equals.', source: 'search' },
  {
    id: 'FIND-30',
    sentence: 'A search where there is no server says so, and how to add one.',
    source: 'search',
  },
  {
    id: 'FIND-20',
    sentence:
      'Who names a server that is not there is told so with the nearest names; that one is switched off, owners are.',
    source: 'search',
  },
  {
    id: 'FIND-22',
    sentence: 'Doubt, and needs that nothing meets, are said; nothing is passed off as an answer.',
    source: 'search',
  },
  {
    id: 'FIND-23',
    sentence: 'What others do or say outside is neither held against a service nor told to agents.',
    source: 'search',
  },
  {
    id: 'FIND-24',
    sentence:
      'What is not found while a server has not said yet what it offers is not called missing; commands wait for it.',
    source: 'search',
  },
  {
    id: 'FIND-25',
    sentence: 'A list of keywords is one need, a list of phrases one need each, and needs beyond the limit are named.',
    source: 'search',
  },
  {
    id: 'FIND-26',
    sentence: "A query that is a tool's name, in any spelling, puts that tool first.",
    source: 'search',
  },
  {
    id: 'FIND-27',
    sentence: 'A misspelt query finds in the default mode what the right spelling finds.',
    source: 'search',
  },
  {
    id: 'FIND-28',
    sentence:
      'Tools of a failed server come last and say so, a live twin represents a dead one, and only owners see which disabled server would fit.',
    source: 'search',
  },
  {
    id: 'FIND-29',
    sentence: 'Shell commands and everyday sentences find the tool that does it, not one that shares a topic.',
    source: 'search',
  },
  {
    id: 'FIND-31',
    sentence:
      "The owner can have a search explained as any token or project sees it: the parts of each score, and what was left out and why. It counts as nobody's use.",
    source: 'search',
  },
  {
    id: 'FIND-32',
    sentence:
      'Two accounts or folders of one server are named apart from twins, with the advice to choose. Neither represents the other, and no call is retried on another account.',
    source: 'search',
  },
  { id: 'FIND-21', sentence: 'Everyday questions lead to the demo tool that answers them.', source: 'search' },
];
