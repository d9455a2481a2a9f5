/** Promises about what an agent sees and what it costs. */

import type { Requirement } from './requirement.ts';

export const disclosureRequirements: readonly Requirement[] = [
  {
    id: 'SEE-01',
    sentence: 'Each surface lists its tools in one order, in every era; what is for owners only is listed to owners.',
    source: 'surfaces',
  },
  {
    id: 'SEE-02',
    sentence:
      'A tool of ours that a surface does not list is answered there all the same, under other names in use too.',
    source: 'surfaces',
  },
  {
    id: 'SEE-03',
    sentence:
      'The surface is that of the URL, else of the token, else of the project, else chosen by the size of the catalog.',
    source: 'surfaces',
  },
  {
    id: 'SEE-04',
    sentence: 'Where programs are switched off, no surface lists them, and code shows what search shows.',
    source: 'surfaces',
  },
  {
    id: 'SEE-05',
    sentence:
      'Tools that are the way in ask to be loaded at once; on direct every tool has a hint, and what its server says stays.',
    source: 'surfaces',
  },
  {
    id: 'SEE-06',
    sentence:
      'The instructions of each surface name what its agents have, and on direct what there is and how names are built.',
    source: 'surfaces',
  },
  {
    id: 'SEE-07',
    sentence: 'The capability index stays the same to the letter until servers change, however tools are used.',
    source: 'surfaces',
  },
  {
    id: 'SEE-08',
    sentence: 'An agent on code is advised with tools that it has.',
    source: 'surfaces',
  },
  {
    id: 'SEE-09',
    sentence: 'A surface that is set while the gateway runs is shown at once, and told to who listens.',
    source: 'surfaces',
  },
  {
    id: 'SEE-10',
    sentence: 'list_tools_meta lists what may be seen, the most used first, then by name, in pages.',
    source: 'surfaces',
  },
  {
    id: 'SEE-11',
    sentence: 'A cursor holds while servers come and go: nothing that stays is skipped or given twice.',
    source: 'surfaces',
  },
  {
    id: 'SEE-12',
    sentence: 'The other names for our tools give what ours give.',
    source: 'surfaces',
  },
  {
    id: 'SEE-13',
    sentence: 'A server and a tool are taken wherever a toolKey is.',
    source: 'surfaces',
  },
  {
    id: 'SEE-14',
    sentence: 'What is wrong with the arguments for a tool of ours is said, by the names that were used.',
    source: 'surfaces',
  },
  {
    id: 'SEE-15',
    sentence: 'What is forbidden is in no answer of a tool of ours.',
    source: 'surfaces',
  },
  {
    id: 'SEE-16',
    sentence: 'A tool that clearly fails is not recommended first among near equals, and that it fails is said.',
    source: 'surfaces',
  },
  {
    id: 'SEE-17',
    sentence: 'list_mcp_servers says how the servers are; what went wrong is for the owner.',
    source: 'surfaces',
  },
  {
    id: 'SEE-18',
    sentence: 'A model that ranks recommendations is shown how reliable the tools are.',
    source: 'surfaces',
  },
  {
    id: 'SEE-19',
    sentence:
      'Until every server has been listed, auto shows search, whose tools name the others; the first list is never empty.',
    source: 'surfaces',
  },
  {
    id: 'SEE-20',
    sentence:
      'The list and the instructions of a start take at most 900 tokens on search and 500 on code, however many tools there are.',
    source: 'surfaces',
  },
  {
    id: 'SEE-21',
    sentence:
      'Ten tools take at most 700 tokens at summary and one at most 200 in brief, however wordy they are, unless their names are very long.',
    source: 'surfaces',
  },
  {
    id: 'SEE-22',
    sentence: 'Finding a tool and calling it takes at most 1,500 tokens, by tool_execute and by a program.',
    source: 'surfaces',
  },
  {
    id: 'SEE-23',
    sentence:
      "Toolcrib's own answers are never cut: they shorten the last items, with a note, and pages end at the limit.",
    source: 'surfaces',
  },
  {
    id: 'SEE-24',
    sentence: 'For a definition that is too large, an answer gives an outline and the address of the whole.',
    source: 'surfaces',
  },
  {
    id: 'SEE-25',
    sentence: "Toolcrib's own tools take common other names of their parameters, and clamp numbers to their bounds.",
    source: 'surfaces',
  },
  {
    id: 'SEE-30',
    sentence:
      'The doctor says for each door of agents which surface is shown, who chose it and why, and what a start costs.',
    source: 'surfaces',
  },
  {
    id: 'SEE-31',
    sentence: 'With no traffic the doctor gives no figure, and its own looking is no traffic.',
    source: 'surfaces',
  },
  {
    id: 'SEE-32',
    sentence:
      'What traffic cost on the surfaces used, and would have on direct and on search, is counted from what agents read, searches and extra turns included.',
    source: 'surfaces',
  },
  {
    id: 'SEE-33',
    sentence: 'The sums of what agents were shown outlive the gateway and are kept apart by project.',
    source: 'surfaces',
  },
  {
    id: 'SEE-34',
    sentence: 'A chain counts as one turn; on direct its calls would be a turn each.',
    source: 'surfaces',
  },
  {
    id: 'SEE-35',
    sentence: 'The doctor prints what agents see and cost, and which config a running gateway uses.',
    source: 'surfaces',
  },
];
