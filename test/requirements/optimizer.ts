/** The promises about the optimizer. */

import type { Requirement } from './requirement.ts';

export const optimizerRequirements: readonly Requirement[] = [
  {
    id: 'OPT-01',
    sentence: 'The optimizer is off by default: no tool of it is listed or answered, and no record is made.',
    source: 'optimizer',
  },
  {
    id: 'OPT-02',
    sentence:
      'A token with the scope "optimize" alone finds the optimizer at the owner\'s door, and nothing else anywhere.',
    source: 'optimizer',
  },
  {
    id: 'OPT-03',
    sentence:
      'Candidates, golden prompts and eval runs are checked before they are stored, and every answer ends with next steps.',
    source: 'optimizer',
  },
  {
    id: 'OPT-04',
    sentence:
      'An agent that proposes, saves prompts and records runs for candidate and canonical ends in a promotion without force; a refusal says why.',
    source: 'optimizer',
  },
  {
    id: 'OPT-05',
    sentence:
      'Records are exported to files and imported without a loss; an import checks each record and says what it refused.',
    source: 'optimizer',
  },
  {
    id: 'OPT-06',
    sentence: 'Jobs of the optimizer are estimated, run, listed and cancelled by command and over the API.',
    source: 'optimizer',
  },
  {
    id: 'OPT-07',
    sentence:
      'The report says of every description what it leaves open, which tools are taken for it, and what to say better.',
    source: 'optimizer',
  },
  {
    id: 'OPT-09',
    sentence:
      'Queries that led to a successful call become golden prompts, masked, under "search.usage", and are exported only if asked for.',
    source: 'optimizer',
  },
  {
    id: 'OPT-08',
    sentence:
      'A candidate that takes more prompts from neighbours than the bounds allow is not promoted, and the refusal says how many. Keyword lists and poisoned texts are refused when proposed.',
    source: 'optimizer',
  },
  {
    id: 'OPT-10',
    sentence:
      'Candidates and prompts are written by the model of the calling agent, in both eras, else by the configured model, else by rule; the answer and the record say who wrote them, and why no better author did.',
    source: 'optimizer',
  },
  {
    id: 'OPT-11',
    sentence:
      'Texts of an author pass the same checks as those written by hand. Those that fail, and answers that are cut or malformed, are asked for once more with the reason, then dropped and counted.',
    source: 'optimizer',
  },
];
