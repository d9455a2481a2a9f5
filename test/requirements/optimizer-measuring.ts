/** The promises about how the optimizer measures and decides. */

import type { Requirement } from './requirement.ts';

export const optimizerMeasuringRequirements: readonly Requirement[] = [
  {
    id: 'OPT-20',
    sentence: "Wilson's interval and McNemar's exact test agree with published values to six digits.",
    source: 'optimizer',
  },
  {
    id: 'OPT-21',
    sentence: 'The unit is the prompt: repeats are one value, void runs and runs of deleted prompts do not count.',
    source: 'optimizer',
  },
  {
    id: 'OPT-22',
    sentence: 'The gates of a promotion are inclusive and compared in counts, and refuse what steals from a neighbour.',
    source: 'optimizer',
  },
  {
    id: 'OPT-23',
    sentence:
      'The search judge ranks with the search of the gateway among all tools, without past use, and changes nothing that agents see.',
    source: 'optimizer',
  },
  {
    id: 'OPT-24',
    sentence:
      'Long work is a job: it tells its progress, goes on after a restart without judging a stored prompt again, and can be cancelled.',
    source: 'optimizer',
  },
  {
    id: 'OPT-25',
    sentence:
      'A candidate is chosen by one half of the prompts and decided by the other; chance promotes one in twenty at most.',
    source: 'optimizer',
  },
  {
    id: 'OPT-26',
    sentence:
      'Progress of a job is one object: in MCP progress for agents of both eras, in events of the API, and in words on the terminal.',
    source: 'optimizer',
  },
  {
    id: 'OPT-28',
    sentence: 'A job whose gateway is killed goes on at the next start: no prompt is lost, and none is judged twice.',
    source: 'optimizer',
  },
  {
    id: 'OPT-27',
    sentence:
      'Events of the API are resumed by the id of the last one, bounded, and told only to those who may know what they are about.',
    source: 'optimizer',
  },
  {
    id: 'OPT-30',
    sentence:
      'Strict success stands beside the choice of the tool: one call of the right tool, valid and expected arguments, no other call. It is no gate.',
    source: 'optimizer',
  },
  {
    id: 'OPT-31',
    sentence:
      'Models and agents choose among the tools that a search finds for the prompt, the tool under test and the one that is right instead: the same for every wording, in an order that favours none.',
    source: 'optimizer',
  },
  {
    id: 'OPT-32',
    sentence:
      'The model judge asks in both dialects and maps calls back. Failures that may pass are tried again, then void; keys get nowhere else.',
    source: 'optimizer',
  },
  {
    id: 'OPT-33',
    sentence:
      'A judge that costs something is estimated before, counted during, and asked nothing twice: equal questions of later jobs are answered from the store.',
    source: 'optimizer',
  },
  {
    id: 'OPT-34',
    sentence:
      'A job that reaches a limit of model use is paused and decides nothing; the same order with a higher limit goes on where it stopped.',
    source: 'optimizer',
  },
  {
    id: 'OPT-35',
    sentence: 'The report names candidates on which judges disagree, in the direction of the change or at the gates.',
    source: 'optimizer',
  },
  {
    id: 'OPT-36',
    sentence:
      'The judge "agent" counts what an agent program called: a wrong tool, a needless call or none; a crash, a time-out or a failed model is void.',
    source: 'optimizer',
  },
  {
    id: 'OPT-37',
    sentence:
      'Its agent has a door of its own for each run, which offers the tools of the prompt with the wording in place, on one surface, and reaches no server.',
    source: 'optimizer',
  },
  {
    id: 'OPT-38',
    sentence: 'No agent program is started unless the owner names one in the config file.',
    source: 'optimizer',
  },
];
