/** Checks the command line beside a running gateway: the same servers, the same tools. */

import type { Checks } from '../kit/checks.ts';
import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import { program } from '../kit/gateway-process.ts';
import { runProgram } from '../kit/run-program.ts';
import type { Scratch } from '../kit/scratch.ts';

export async function checkCommands(checks: Checks, scratch: Scratch, serverCount: number): Promise<void> {
  checks.section('The command line');
  const run = async (...words: string[]): Promise<unknown> => {
    const args = [program, ...words, '--data', scratch.dataDir, '--json'];
    const { code, stdout, stderr } = await runProgram(process.execPath, args, { env: scratch.env, cwd: scratch.home });
    expectEqual(code, 0, `exit code, saying ${shortened(stderr)},`);
    return JSON.parse(stdout);
  };
  await checks.that('toolcrib list', async () => {
    const rows = (await run('list')) as unknown[];
    expectEqual(rows.length, serverCount, 'servers');
    return `${rows.length} servers`;
  });
  await checks.that('toolcrib search send an email', async () => {
    const text = JSON.stringify(await run('search', 'send', 'an', 'email', '--limit', '3'));
    expectText(text, 'ms365:send-mail');
    return shortened(text, 90);
  });
  await checks.that('toolcrib call calculator:mul a=6 b=7', async () => {
    const text = JSON.stringify(await run('call', 'calculator:mul', 'a=6', 'b=7'));
    expectText(text, '42');
    return shortened(text, 90);
  });
}
