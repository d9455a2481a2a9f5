/** Looks at the Node that runs this and at the one that servers find on the PATH. */

import type { Finding } from '../../../admin/admin.ts';
import { outputOf } from '../../../base/spawn.ts';
import { printable } from '../../../base/text.ts';

const subject = 'node';
const answerLimitMs = 5_000;
/** Most servers that are published today need at least this. */
const leastForServers = 20;

export async function checkNode(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const own: Finding = { severity: 'ok', subject, message: `Toolcrib runs on Node ${process.versions.node}.` };
  const answer = await outputOf('node', ['--version'], { env, timeoutMs: answerLimitMs });
  return [own, onPath(answer)];
}

/** `answer`: what `node --version` prints; null when there is none. */
export function onPath(answer: string | null): Finding {
  if (answer === null) {
    return {
      severity: 'note',
      subject,
      message: 'There is no "node" on the PATH, so that servers started with node or npx will not start.',
      hint: 'Install Node, or give the full path of the command.',
    };
  }
  const version = printable(answer).trim().replace(/^v/, '');
  if (Number.parseInt(version, 10) >= leastForServers) {
    return { severity: 'ok', subject, message: `Servers that are started with node or npx get Node ${version}.` };
  }
  return {
    severity: 'note',
    subject,
    message: `Servers that are started with node or npx get Node ${version}, which is too old for many.`,
    hint: `Put Node ${leastForServers} or newer first on the PATH of the gateway.`,
  };
}
