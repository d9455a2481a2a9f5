/** Models send other things than programs, misname tools and err: each is understood, or answered with what to do. */

import { after, test } from 'node:test';
import { ProgramStage, type Shape } from '../../test/kit/program-stage.ts';

const stage = new ProgramStage();
after(() => stage.close());

const calls: readonly Shape[] = [
  {
    name: 'one call as JSON',
    code: `{"tool": "github:get_me", "arguments": {}}`,
    gives: { login: 'ada' },
    notes: /read as a call/,
  },
  {
    name: 'a call with server and tool',
    code: `{"server": "github", "tool": "create_issue", "args": {"title": "x"}}`,
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'a call with its arguments beside it',
    code: `{"toolKey": "github:create_issue", "title": "x"}`,
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'a list of calls, of which one fails',
    code: `[{"tool": "github:get_me"}, {"name": "github__create_issue", "input": {}}]`,
    gives: [
      { tool: 'github:get_me', result: { login: 'ada' } },
      {
        tool: 'github__create_issue',
        error: {
          name: 'ToolError',
          message: 'title is missing.',
          code: 'ARGUMENTS_INVALID',
          tool: 'github:create_issue',
          data: { tool: 'github:create_issue' },
        },
      },
    ],
  },
  {
    name: 'calls as an API gives them',
    code: `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "github.create_issue", "arguments": "{\\"title\\":\\"x\\"}"}}]}`,
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'a meta-tool as JSON',
    code: `{"name": "tool_execute", "arguments": {"toolKey": "github:get_me", "arguments": {}}}`,
    gives: { login: 'ada' },
  },
  { name: 'a fence of JSON calls', code: '```json\n[{"tool": "github:get_me"}]\n```', gives: { login: 'ada' } },
  {
    name: 'a call as a literal of JavaScript',
    code: `{ server: 'github', tool: "create_issue", arguments: { title: 'It is "x", ]', n: -1.5, }, }`,
    gives: { number: 4, title: 'It is "x", ]', n: -1.5 },
  },
  {
    name: 'a call inside a tag',
    code: `<tool_call>\n{"name": "github:get_me", "arguments": {}}\n</tool_call>`,
    gives: { login: 'ada' },
  },
  { name: 'JSON that is only data', code: `{"name": "x", "size": 2}`, gives: { name: 'x', size: 2 } },
];

const names: readonly Shape[] = [
  {
    name: 'dashes in brackets',
    code: `return await servers['my-files']['read-file']({ path: 'a' })`,
    gives: 'text of a',
  },
  { name: 'dashes as underscores', code: `return await my_files.read_file({ path: 'a' })`, gives: 'text of a' },
  {
    name: 'a tool with a dot in its name',
    code: `return await servers.github.repos.get({ name: 'a' })`,
    gives: { repo: 'a' },
  },
  { name: 'the key of a tool', code: `return await call('github:get_me')`, gives: { login: 'ada' } },
  {
    name: 'server and tool apart',
    code: `return await call_tool('github', 'create_issue', { title: 'x' })`,
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'a meta-tool by its own name',
    code: `return await tool_execute({ toolKey: 'github:create_issue', arguments: { title: 'x' } })`,
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'a function of ours under servers',
    code: `return await servers.callTool('github:get_me', {})`,
    gives: { login: 'ada' },
  },
  {
    name: 'a tool taken out of its server',
    code: `const { get_me: me } = servers.github;\nreturn (await me()).login`,
    gives: 'ada',
  },
  {
    name: 'a text instead of named arguments',
    code: `return await servers.weather.get_forecast('Rome')`,
    says: /was given a string\. Give one object/,
    line: 1,
  },
  {
    name: 'several arguments',
    code: `return await servers.weather.get_forecast('Rome', 3)`,
    says: /was given 2 arguments\. Give one object/,
  },
  {
    name: 'a server that is called',
    code: `return await servers.github({})`,
    says: /is a server.*create_issue, list_issues/,
  },
];

const mistakes: readonly Shape[] = [
  {
    name: 'a bracket that is not closed',
    code: `const n = 1;\nreturn foo(n`,
    says: /closing bracket is missing/,
    line: 2,
  },
  {
    name: 'brackets that would close what is around the program',
    code: `})(); (async () => {`,
    says: /Expression expected|no opening one/,
  },
  { name: 'Python', code: `def main():\n    return 5`, says: /not Python/, line: 1 },
  {
    name: 'await in a plain function',
    code: `function f() {\n  return await servers.github.get_me();\n}\nf()`,
    says: /`async`/,
    line: 2,
  },
  {
    name: 'a tool without its server',
    code: `const n = 1;\nreturn await get_me({})`,
    says: /servers\.github\.get_me/,
    line: 2,
  },
  { name: 'fetch', code: `return await fetch('https://example.com')`, says: /no network/ },
  { name: 'require', code: `const fs = require('fs');`, says: /under `servers`/ },
  {
    name: 'a forgotten await',
    code: `const all = servers.github.list_issues({});\nreturn all.issues.map((one) => one.number);`,
    says: /Put `await`/,
    line: 2,
  },
  {
    name: 'a result of another form',
    code: `const all = await servers.github.list_issues({});\nreturn all.items.map((one) => one.number);`,
    says: /console\.log.*info\(/,
    line: 2,
  },
  {
    name: 'arguments that are not right',
    code: `\nawait servers.github.create_issue({ name: 'x' })`,
    says: /title is missing.*info\('github:create_issue'\)/,
    line: 2,
  },
  {
    name: 'a tool that is not there',
    code: `await servers.github.list_isues({})`,
    says: /servers\.github\.list_issues/,
  },
  { name: 'nothing', code: '  \n', says: /no code.*Send JavaScript/ },
];

for (const shape of calls) test(`[CHAIN-41] ${shape.name} is understood`, () => stage.check(shape));
for (const shape of names)
  test(`[CHAIN-43] ${shape.name}: the call is made, or the right form is told`, () => stage.check(shape));
for (const shape of mistakes)
  test(`[CHAIN-44] ${shape.name} is told with its line and what to do`, () => stage.check(shape));
