/**
 * The MCP Inspector's command line against a gateway, over HTTP and over stdio, in each of its protocol eras: lists, calls,
 * resources and prompts of a real server. Exits with 1 when a check fails.
 *
 *   npm run real:inspector [-- --prefix DIR]
 */

import { isObject } from '../../src/base/json.ts';
import { Checks } from './kit/checks.ts';
import { expectEqual, expectText, shortened } from './kit/expect.ts';
import { type GatewayProcess, program, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { runProgram } from './kit/run-program.ts';
import { openScratch } from './kit/scratch.ts';

const inspector = '@modelcontextprotocol/inspector';
const everything = '@modelcontextprotocol/server-everything';
const packages = await providePackages({ [inspector]: '2.12.0', [everything]: '2026.8.31' });
const script = await packages.script(inspector);

/** What is asked, and what the answer must contain. */
interface Question {
  readonly what: string;
  readonly args: readonly string[];
  readonly text: string | RegExp;
  readonly surface?: string;
  /** 5: the Inspector's code for a tool that reports an error. */
  readonly code?: number;
}

const questions: readonly Question[] = [
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
    args: callArgs('everything.echo', { message: 5 }),
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

const eras = ['modern', 'legacy', 'auto'] as const;
const checks = new Checks();
await using scratch = await openScratch();
try {
  const servers = { everything: { command: process.execPath, args: [await packages.script(everything)] } };
  await using gateway = await startGatewayProcess({ dataDir: scratch.dataDir, env: scratch.env, servers });
  await whenListed(gateway);
  for (const transport of ['HTTP', 'stdio'] as const) {
    for (const era of eras) {
      checks.section(`Over ${transport}, era ${era}`);
      for (const question of questions) {
        await checks.that(question.what, () => ask(question, targetFor(transport, gateway, question), era));
      }
    }
  }
} finally {
  checks.finish();
}

async function ask(question: Question, target: readonly string[], era: string): Promise<string> {
  const args = [script, '--cli', ...target, '--protocol-era', era, ...question.args, '--quiet'];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { env: scratch.env, cwd: scratch.home });
  expectEqual(code, question.code ?? 0, `exit code, saying ${shortened(stderr || stdout, 400)},`);
  expectText(stdout, question.text);
  return noteOf(stdout);
}

function targetFor(transport: 'HTTP' | 'stdio', gateway: GatewayProcess, question: Question): string[] {
  const surface = question.surface ?? 'direct';
  if (transport === 'stdio') {
    const env = ['-e', `TOOLCRIB_DATA=${gateway.dataDir}`, '-e', `TOOLCRIB_SURFACE=${surface}`];
    return [...env, '--transport', 'stdio', process.execPath, program, 'stdio'];
  }
  const header = `Authorization: Bearer ${gateway.agentToken}`;
  return [`${gateway.url}/mcp?surface=${surface}`, '--transport', 'http', '--header', header];
}

function callArgs(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
}

/** How much there is of what was asked for. */
function noteOf(stdout: string): string {
  const answer: unknown = JSON.parse(stdout);
  const lists = isObject(answer) ? Object.entries(answer).filter(([, value]) => Array.isArray(value)) : [];
  return lists.map(([name, value]) => `${(value as unknown[]).length} ${name}`).join(', ');
}
