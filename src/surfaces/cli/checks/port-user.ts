/** Finds out who listens on a port, where the system tells: which process, and of a gateway its data folder. */

import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { outputOf } from '../../../base/spawn.ts';
import { cutAtWord, printable } from '../../../base/text.ts';

const answerLimitMs = 5_000;
const longestCommand = 80;
/** The state "listening" in the tables of the kernel. */
const listening = '0A';

/** The end of the sentence "The port is in use by …". */
export async function portUser(host: string, port: number, env: NodeJS.ProcessEnv): Promise<string> {
  const owner = process.platform === 'linux' ? await fromProc(port) : await fromLsof(port, env);
  const folder = dataFolderAmong(owner?.files ?? []);
  if (folder !== undefined) return `a Toolcrib gateway with the data folder ${folder}${named(owner)}`;
  // A balancer answers as the gateways behind it do: the answer counts only where nobody knows the process.
  const isOurs = owner === null && (await isGateway(host, port));
  return isOurs ? 'a Toolcrib gateway with another data folder' : `another program${named(owner)}`;
}

/** Without a command: the flags of the one that failed are to stay. */
export const portHint = 'Start on another port: add --port NUMBER, or --port 0 for any free one.';

export interface PortOwner {
  readonly pid: string;
  readonly command: string;
  /** The files that it has open, as far as the system tells. */
  readonly files: readonly string[];
}

/** A gateway keeps the lock on its data folder open. */
export function dataFolderAmong(files: readonly string[]): string | undefined {
  const lock = files.find((file) => basename(file) === 'gateway.lock.held');
  return lock === undefined ? undefined : dirname(lock);
}

const gatewayAnswerMs = 2_000;

/** Only a gateway asks for a token in this way. */
async function isGateway(host: string, port: number): Promise<boolean> {
  try {
    const url = `http://${host}:${port}/api/gateway.status`;
    const response = await fetch(url, { signal: AbortSignal.timeout(gatewayAnswerMs), redirect: 'manual' });
    await response.body?.cancel();
    return response.headers.get('www-authenticate')?.includes('toolcrib') === true;
  } catch {
    return false;
  }
}

/** null where there is no such program, as on Windows. */
async function fromLsof(port: number, env: NodeJS.ProcessEnv): Promise<PortOwner | null> {
  const ask = (...args: string[]) => outputOf('lsof', ['-nP', ...args], { env, timeoutMs: answerLimitMs });
  const owner = readLsof((await ask(`-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc')) ?? '');
  return owner && { ...owner, files: filesInLsof((await ask('-p', owner.pid, '-Fn')) ?? '') };
}

/** Lines that begin with `p` hold process ids, with `c` commands. */
export function readLsof(answer: string): Omit<PortOwner, 'files'> | null {
  const lines = answer.split('\n');
  const pid = lines.find((line) => line.startsWith('p'))?.slice(1);
  const command = lines.find((line) => line.startsWith('c'))?.slice(1) ?? '';
  return pid === undefined ? null : { pid, command };
}

/** Lines that begin with `n` hold names. */
export function filesInLsof(answer: string): string[] {
  return answer.split('\n').flatMap((line) => (line.startsWith('n') ? [line.slice(1)] : []));
}

/** The socket's number is in the table of sockets; the process that has it open is found by looking at all. */
async function fromProc(port: number): Promise<PortOwner | null> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const sockets = tables.flatMap((text) => listenersIn(text, port)).map((inode) => `socket:[${inode}]`);
  if (sockets.length === 0) return null;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const files = await openFilesOf(pid);
    if (!files.some((file) => sockets.includes(file))) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid, command: command.replaceAll('\0', ' ').trim(), files };
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

/** Processes of others cannot be looked into, and show none. */
async function openFilesOf(pid: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  return Promise.all(descriptors.map((descriptor) => readlink(`${folder}/${descriptor}`).catch(() => '')));
}

function named(owner: PortOwner | null): string {
  if (owner === null) return '';
  const shown = cutAtWord(printable(owner.command), longestCommand);
  return shown === '' ? `: process ${owner.pid}` : `: process ${owner.pid} (${shown})`;
}
