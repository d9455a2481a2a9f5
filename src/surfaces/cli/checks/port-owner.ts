/** Finds out which process listens on a port, where the system tells. */

import { readdir, readFile, readlink } from 'node:fs/promises';
import { outputOf } from '../../../base/spawn.ts';
import { cutAtWord, printable } from '../../../base/text.ts';

const answerLimitMs = 5_000;
const longestCommand = 80;
/** The state "listening" in the tables of the kernel. */
const listening = '0A';

/** `process 4242 (node server.js)`, or null where it cannot be known. */
export async function findPortOwner(port: number, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (process.platform === 'linux') return fromProc(port);
  if (process.platform === 'win32') return null;
  const answer = await outputOf('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    env,
    timeoutMs: answerLimitMs,
  });
  return answer === null ? null : readLsof(answer);
}

/** Lines that begin with `p` hold process ids, with `c` commands. */
export function readLsof(answer: string): string | null {
  const lines = answer.split('\n');
  const pid = lines.find((line) => line.startsWith('p'))?.slice(1);
  const command = lines.find((line) => line.startsWith('c'))?.slice(1) ?? '';
  return pid === undefined ? null : describe(pid, command);
}

/** The socket's number is in the table of sockets; the process that has it open is found by looking at all. */
async function fromProc(port: number): Promise<string | null> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const inodes = tables.flatMap((text) => listenersIn(text, port));
  if (inodes.length === 0) return null;
  const links = new Set(inodes.map((inode) => `socket:[${inode}]`));
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await hasOpen(pid, links))) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return describe(pid, command.replaceAll('\0', ' ').trim());
  }
  return null;
}

export function listenersIn(socketTable: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return socketTable.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(ending) && state === listening && inode !== undefined ? [inode] : [];
  });
}

/** Processes of others cannot be looked into; they simply do not match. */
async function hasOpen(pid: string, links: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const descriptor of await readdir(folder).catch(() => [])) {
    const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
    if (links.has(target)) return true;
  }
  return false;
}

function describe(pid: string, command: string): string {
  const shown = cutAtWord(printable(command), longestCommand);
  return shown === '' ? `process ${pid}` : `process ${pid} (${shown})`;
}
