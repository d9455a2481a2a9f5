/** Promises about the live state that the dashboard, the terminal and commands that follow share. */

import type { Requirement } from './requirement.ts';

export const liveRequirements: readonly Requirement[] = [
  {
    id: 'LIVE-01',
    sentence: 'Whatever happens, and whatever its reader misses, the live state ends up as a fresh snapshot.',
    source: 'dashboard',
  },
  {
    id: 'TUI-01',
    sentence:
      'The terminal UI shows servers, activity, help and a menu by keys, at any size, with and without colours.',
    source: 'surfaces',
  },
  {
    id: 'TUI-30',
    sentence:
      'The terminal UI lists all tools with their use, shows while somebody types what agents would get, and why, and each tool whole.',
    source: 'surfaces',
  },
  {
    id: 'TUI-32',
    sentence:
      'A call that waits is announced on every screen of the terminal UI, shown with its exact arguments, and approved or denied there.',
    source: 'surfaces',
  },
  {
    id: 'TUI-33',
    sentence:
      'The terminal UI shows why definitions wait and what differs, and decides about exactly the wordings that were shown.',
    source: 'surfaces',
  },
  {
    id: 'TUI-34',
    sentence:
      'The activity log of the terminal UI follows, stands still for a reader, filters, and shows a record whole.',
    source: 'surfaces',
  },
  {
    id: 'TUI-40',
    sentence:
      'However the terminal UI ends (a key, a signal, a closed terminal, an error), the terminal is as it was, and an error can be read.',
    source: 'surfaces',
  },
  {
    id: 'TUI-41',
    sentence: 'With `start --tui` the gateway and its servers end with the terminal UI; the log is in gateway.log.',
    source: 'surfaces',
  },
  {
    id: 'TUI-42',
    sentence: 'Keys that reach the terminal UI together act one after the other, each on what the one before it left.',
    source: 'surfaces',
  },
  {
    id: 'TUI-20',
    sentence: 'The optimizer view shows per server how many descriptions are optimized, and each by class of prompts.',
    source: 'surfaces',
  },
  {
    id: 'TUI-21',
    sentence: 'A job is prepared with its tools, amounts and estimate; tools that are not exposed cannot be chosen.',
    source: 'surfaces',
  },
  {
    id: 'TUI-22',
    sentence:
      'One description is shown with its text before and after, its gain by class and overall, and can be reverted.',
    source: 'surfaces',
  },
  {
    id: 'TUI-23',
    sentence: 'Golden prompts are shown by class, right or wrong with each wording, and why.',
    source: 'surfaces',
  },
  {
    id: 'TUI-24',
    sentence: 'One job for all servers shows what it would take before it begins.',
    source: 'surfaces',
  },
  {
    id: 'TUI-25',
    sentence: 'The report is written to a file of any name, and replaces no file without asking.',
    source: 'surfaces',
  },
  {
    id: 'TUI-26',
    sentence: 'A job is followed live tool by tool, can be cancelled, and its end is told in every view.',
    source: 'surfaces',
  },
  {
    id: 'TUI-43',
    sentence: 'In a locale without Unicode the terminal UI shows ASCII alone.',
    source: 'surfaces',
  },
  {
    id: 'TUI-10',
    sentence:
      'The terminal UI shows one server in detail: its state and last error, its tools as agents have them, its output.',
    source: 'surfaces',
  },
  {
    id: 'TUI-11',
    sentence:
      'The terminal UI has a form that tries a server, with problems next to their fields, shows its tools and keeps it, and says how to add a first one.',
    source: 'surfaces',
  },
  {
    id: 'TUI-12',
    sentence: 'The terminal UI exposes chosen tools of a server, or all of them with those that it adds later.',
    source: 'surfaces',
  },
  {
    id: 'TUI-13',
    sentence: 'The terminal UI tells how agents are connected, and where the token is, but never the token.',
    source: 'surfaces',
  },
  {
    id: 'TUI-14',
    sentence: 'The terminal UI shows the address of a sign-in that a server needs, and waits for its end.',
    source: 'surfaces',
  },
  {
    id: 'TUI-15',
    sentence:
      'A text that is pasted into the terminal UI fills one field: nothing of it is a command, and no line break sends a form.',
    source: 'surfaces',
  },
  {
    id: 'TUI-44',
    sentence: 'The terminal UI works after any change of size, and says where the terminal is too small.',
    source: 'surfaces',
  },
  {
    id: 'TUI-45',
    sentence: 'A terminal that stands still holds up no call; when it goes on, it shows the newest state.',
    source: 'surfaces',
  },
  {
    id: 'TUI-46',
    sentence: 'Commands that do not show the terminal UI load nothing of it.',
    source: 'surfaces',
  },
  {
    id: 'TUI-47',
    sentence:
      'The terminal UI shows a call as it is made and finds a gateway that restarts; without a gateway, a right token or a terminal it says so.',
    source: 'surfaces',
  },
  {
    id: 'TUI-48',
    sentence: 'Nothing that a server or an agent says steers the terminal.',
    source: 'surfaces',
  },
];
