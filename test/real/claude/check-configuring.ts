/** Checks that the agent can be given the gateway by its own commands, and what it thinks of it. */

import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import { serverName } from './claude.ts';
import type { Stage } from './stage.ts';

export async function checkConfiguring({ checks, claude, gateway }: Stage): Promise<void> {
  checks.section('Configuring the agent');
  await checks.that('claude mcp add takes the line that start prints', async () => {
    const line = /claude (mcp add .+)/.exec(gateway.said())?.[1] ?? '';
    expectText(line, gateway.url);
    const { code, stdout, stderr } = await claude.run(wordsOf(line));
    expectEqual(code, 0, stderr);
    return shortened(stdout.split('\n')[0] ?? '');
  });
  await checks.that('claude mcp list says connected', async () => {
    const { stdout, ms } = await claude.run(['mcp', 'list']);
    expectText(stdout, /toolcrib: .*Connected/);
    return { ms, note: lineAbout(stdout) };
  });
  await checks.that('with a wrong token it says what is wrong', async () => {
    const header = ['--header', 'Authorization: Bearer tc_wrong'];
    await claude.run(['mcp', 'remove', serverName]);
    await claude.run(['mcp', 'add', '--transport', 'http', serverName, `${gateway.url}/mcp`, ...header]);
    const { stdout, ms } = await claude.run(['mcp', 'list']);
    await claude.run(['mcp', 'remove', serverName]);
    expectText(lineAbout(stdout), '401');
    return { ms, note: lineAbout(stdout) };
  });
}

/** The words of a command line as a shell would take them apart. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}

function lineAbout(text: string): string {
  return shortened(text.split('\n').find((line) => line.startsWith(`${serverName}:`)) ?? text);
}
