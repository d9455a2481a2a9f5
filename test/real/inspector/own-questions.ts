/** The Inspector's requests for things of the gateway itself, and the expected contents of the answers. */

import type { Question } from './server-questions.ts';

const read = (uri: string) => ['--method', 'resources/read', '--uri', uri];
const get = (name: string, ...args: string[]) => ['--method', 'prompts/get', '--prompt-name', name, ...args];
/** The Inspector's code for a request that was answered with an error. */
const refused = 1;

export const ownQuestions: readonly Question[] = [
  {
    what: 'resources/list with the own ones',
    args: ['--method', 'resources/list'],
    text: /toolcrib:\/\/overview.*toolcrib:\/\/servers.*toolcrib:\/\/tools/s,
  },
  {
    what: 'resources/templates/list with the own ones',
    args: ['--method', 'resources/templates/list'],
    text: /toolcrib:\/\/server\/\{name\}.*toolcrib:\/\/tool\/\{server\}\/\{tool\}.*demo:\/\//s,
  },
  { what: 'the overview', args: read('toolcrib://overview'), text: 'tool_execute', surface: 'search' },
  { what: 'the servers', args: read('toolcrib://servers'), text: /everything.*toolCount/s },
  { what: 'the index of tools', args: read('toolcrib://tools'), text: 'everything:get-sum' },
  {
    what: 'a tool',
    args: read('toolcrib://tool/everything/get-sum'),
    text: /inputSchema.*listedAs|listedAs.*inputSchema/s,
  },
  { what: 'a server', args: read('toolcrib://server/everything'), text: 'everything.args-prompt' },
  { what: 'the tools of a server', args: read('toolcrib://server/everything/tools'), text: 'everything:echo' },
  { what: 'the types of a server', args: read('toolcrib://server/everything/types'), text: /echo.*message: string/s },
  { what: 'a resource that is not there', args: read('toolcrib://nothing'), text: 'not found', code: refused },
  {
    what: 'prompts/list with the own ones',
    args: ['--method', 'prompts/list'],
    text: /discover.*find_tool.*server_status/s,
  },
  { what: 'the prompt discover', args: get('discover'), text: 'toolcrib://servers' },
  {
    what: 'the prompt find_tool',
    args: get('find_tool', '--prompt-args', 'task=add two numbers'),
    text: /everything:get-sum.*"uri": "toolcrib:\/\/tool\/everything\/get-sum"/s,
  },
  {
    what: 'the prompt server_status',
    args: get('server_status', '--prompt-args', 'server=everything'),
    text: 'toolCount',
  },
  { what: 'a prompt without its argument', args: get('find_tool'), text: /task.* is missing/, code: refused },
  {
    what: 'a prompt with an unknown argument',
    args: get('discover', '--prompt-args', 'any=x'),
    text: /no argument .*any/,
    code: refused,
  },
];
