/** Promises about getting in: servers of other agents, the gateway in their config files, and the first minute. */

import type { Requirement } from './requirement.ts';

export const gettingInRequirements: readonly Requirement[] = [
  {
    id: 'GET-01',
    sentence: 'The servers of thirteen agents are found in their own config files, of user, project and local scope.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-02',
    sentence: 'A config file of an agent that is broken is named with its line, and the others are read.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-03',
    sentence: 'Config files of agents are looked for where Linux, macOS and Windows and their variables put them.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-04',
    sentence: 'Literal secrets of imported servers go to the vault, and are found nowhere else afterwards.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'GET-05',
    sentence:
      'A value that an agent asks its user for becomes a secret of that server, and the plan says how to set it.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-06',
    sentence:
      'The same server in several agents is imported once; two accounts of one server are two, with telling names.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-07',
    sentence:
      'Import shows a plan first: new, here already, under another name, impossible and why, disabled there and here.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-08',
    sentence: 'Import asks on a terminal, needs --yes elsewhere, and never writes to a file of an agent.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-09',
    sentence:
      'A gateway without servers names the number of servers that other agents have, and the command that takes them over.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-10',
    sentence:
      'Without a question, import and init take no server that is only in a file of the project, unless --project says so; taken, it reads no variable of its owner beyond those that every program gets.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'GET-11',
    sentence:
      'Import and init name the variables of a server that decide which code runs, and take it only with a yes of its own or --allow-env; the others come all the same.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'GET-14',
    sentence:
      'A file of another program that is broken, endless, huge or no file ends every command soon, in little memory, with an answer or an error that names it.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-12',
    sentence:
      'A config that only the current folder leads to starts and reaches nothing: a terminal shows what it would do and asks, and without one every command refuses.',
    source: 'SPEC 11',
  },
  {
    id: 'GET-13',
    sentence:
      'Such a config is trusted by its path and content until it changes; an edit while a gateway runs on it is trusted, and trust can be listed and revoked.',
    source: 'SPEC 11',
  },
  {
    id: 'GET-80',
    sentence:
      'init imports servers, connects the agents that are here to the gateway and tries a search, in one command.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-81',
    sentence: 'init writes a config file whose comments show settings with their defaults, where there is none.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-20',
    sentence:
      'An entry is set in or taken out of a config file of an agent in JSON, TOML or YAML, and every other byte stays as it is.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-21',
    sentence:
      'Each of thirteen agents gets Toolcrib in the form of its own config file, with a token and a surface of its own; uninstall revokes the token.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-22',
    sentence:
      'Uninstall gives a config file back byte for byte if nobody edited it since, and keeps later edits otherwise.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-23',
    sentence:
      'A config file of an agent is replaced in one step; links, mode and owner stay, and a file that changed meanwhile is left alone.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-24',
    sentence: 'A config file of project scope, which people share, never holds a token.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-25',
    sentence:
      'Install twice is install once, an entry of ours is known without its record, and one that somebody else wrote is not replaced without being asked.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-26',
    sentence: 'Servers that Toolcrib has can be moved out of the config of an agent, and uninstall puts them back.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-27',
    sentence:
      'Install or uninstall that is killed at any step leaves the old file or the new one, and finishes when it is repeated.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-29',
    sentence:
      'Install and uninstall that run at once wait for each other, and neither takes back the work of the other.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-30',
    sentence:
      'A new token takes the place of the old one only once the file has it; group and others cannot read a file that gets a token.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-31',
    sentence:
      'Uninstall leaves entries that somebody wrote since, reports them, and keeps the backup if it has others of their names.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-32',
    sentence:
      'Install writes no address that is gone after the next start: where the gateway took any free port, the agent connects over stdio.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-33',
    sentence:
      'Doctor names an agent whose config file leads to an address that is not the one of the gateway, and what to do.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-34',
    sentence:
      'An installed agent sees tool names of letters, digits and underscores alone, unless it is known to rename tools with a dot by itself.',
    source: 'SPEC 3',
  },
  {
    id: 'GET-28',
    sentence: 'The first tool list of an installed agent is not empty, however many servers were never listed.',
    source: 'SPEC 4 and 5',
  },
];
