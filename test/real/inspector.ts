/**
 * The MCP Inspector's command line against a gateway, over HTTP and over stdio, in each of its protocol eras: lists, calls,
 * resources, prompts and completions, of a real server and of the gateway itself. Exits with 1 when a check fails.
 *
 *   npm run real:inspector [-- --prefix DIR]
 */

import { isObject } from '../../src/base/json.ts';
import { ownQuestions } from './inspector/own-questions.ts';
import { type Question, serverQuestions } from './inspector/server-questions.ts';
import { InspectorSession } from './inspector/session.ts';
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

const eras = ['modern', 'legacy', 'auto'] as const;
const template = (name: string) => ({ type: 'ref/resource', name });
const prompt = (name: string) => ({ type: 'ref/prompt', name });
const completions = [
  {
    what: 'a server in the template of tools',
    ref: template('toolcrib://tool/{server}/{tool}'),
    ...{ argument: 'server', value: 'ev', wanted: 'everything' },
  },
  {
    what: 'a tool in the template of tools',
    ref: template('toolcrib://tool/{server}/{tool}'),
    ...{ argument: 'tool', value: 'get-su', wanted: 'get-sum' },
  },
  {
    what: 'a server in the prompt server_status',
    ref: prompt('server_status'),
    ...{ argument: 'server', value: '', wanted: 'everything' },
  },
  {
    what: "an argument of a server's prompt, by that server",
    ref: prompt('everything.completable-prompt'),
    ...{ argument: 'department', value: 'E', wanted: 'Engineering' },
  },
];
const checks = new Checks();
await using scratch = await openScratch();
try {
  const servers = { everything: { command: process.execPath, args: [await packages.script(everything)] } };
  await using gateway = await startGatewayProcess({ dataDir: scratch.dataDir, env: scratch.env, servers });
  await whenListed(gateway);
  for (const transport of ['HTTP', 'stdio'] as const) {
    for (const era of eras) {
      checks.section(`Over ${transport}, era ${era}`);
      for (const question of [...serverQuestions, ...ownQuestions]) {
        await checks.that(question.what, () => ask(question, targetFor(transport, gateway, question), era));
      }
    }
  }
  for (const era of eras) {
    checks.section(`Completions over HTTP, era ${era}`);
    await checkCompletions(gateway, era);
  }
} finally {
  checks.finish();
}

async function checkCompletions({ url, agentToken: token }: GatewayProcess, era: string): Promise<void> {
  const options = { env: scratch.env, cwd: scratch.home };
  const session = packages.file(inspector, 'clients/mcpdo/build/mcp-bin.js');
  await using open = await InspectorSession.open({ script: session, url: `${url}/mcp`, token, era, options });
  for (const { what, ref, argument, value, wanted } of completions)
    await checks.that(what, async () => {
      const values = await open.complete(ref, argument, value);
      expectEqual(values.join(), wanted, 'values');
      return values.join();
    });
}

async function ask(question: Question, target: readonly string[], era: string): Promise<string> {
  const args = [script, '--cli', ...target, '--protocol-era', era, ...question.args, '--quiet'];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { env: scratch.env, cwd: scratch.home });
  expectEqual(code, question.code ?? 0, `exit code, saying ${shortened(stderr || stdout, 400)},`);
  expectText(code === 0 || question.code === 5 ? stdout : stderr, question.text);
  return stdout === '' ? shortened(stderr, 80) : noteOf(stdout);
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

/** How much there is of what was asked for. */
function noteOf(stdout: string): string {
  const answer: unknown = JSON.parse(stdout);
  const lists = isObject(answer) ? Object.entries(answer).filter(([, value]) => Array.isArray(value)) : [];
  return lists.map(([name, value]) => `${(value as unknown[]).length} ${name}`).join(', ');
}
