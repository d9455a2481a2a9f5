/** The Inspector's requests for things of a real server, and the expected contents of the answers. */

/** A request, and the expected content of its answer. */
export interface Question {
  readonly what: string;
  readonly args: readonly string[];
  readonly text: string | RegExp;
  readonly surface?: string;
  /** 5: the Inspector's code for a tool that reports an error. */
  readonly code?: number;
}

export const serverQuestions: readonly Question[] = [
  { what: 'tools/list', args: ['--method', 'tools/list'], text: '"name": "everything.echo"' },
  {
    what: 'tools/list, with its lint of schemas',
    args: ['--method', 'tools/list', '--strict'],
    text: '"name": "everything.echo"',
  },
  {
    what: 'tools/list on surface search',
    args: ['--method', 'tools/list', '--strict'],
    text: /tool_discovery.*tool_execute/s,
    surface: 'search',
  },
  { what: 'tools/call', args: callArgs('everything.echo', { message: 'plum jam' }), text: 'Echo: plum jam' },
  {
    what: 'tools/call of tool_discovery and its structured content',
    args: callArgs('tool_discovery', { query: 'add two numbers' }),
    text: /"structuredContent".*everything:get-sum/s,
    surface: 'search',
  },
  {
    what: 'tools/call of tool_execute',
    args: callArgs('tool_execute', { toolKey: 'everything:get-sum', arguments: { a: 2, b: 40 } }),
    text: 'The sum of 2 and 40 is 42.',
    surface: 'search',
  },
  {
    what: 'tools/call of a tool with progress',
    args: callArgs('everything.trigger-long-running-operation', { duration: 0.2, steps: 2 }),
    text: 'completed',
  },
  {
    what: 'tools/call with a wrong argument',
    args: callArgs('everything.echo', { message: { wrong: true } }),
    text: 'RECOVERY',
    code: 5,
  },
  {
    what: 'resources/list',
    args: ['--method', 'resources/list'],
    text: 'demo://resource/static/document/features.md',
  },
  {
    what: 'resources/read',
    args: ['--method', 'resources/read', '--uri', 'demo://resource/static/document/features.md'],
    text: 'Everything Server',
  },
  {
    what: 'resources/read of a template',
    args: ['--method', 'resources/read', '--uri', 'demo://resource/dynamic/text/1'],
    text: 'Resource 1',
  },
  { what: 'prompts/list', args: ['--method', 'prompts/list'], text: 'everything.args-prompt' },
  {
    what: 'prompts/get',
    args: ['--method', 'prompts/get', '--prompt-name', 'everything.args-prompt', '--prompt-args', 'city=Paris'],
    text: 'Paris',
  },
];

function callArgs(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
}
