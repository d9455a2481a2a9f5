/** How an answer that is too large may look: an error that names the limit, or a header with a link to all of it. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { ExamAgent, ToolReply } from './agent.ts';
import type { Rig } from './rig.ts';

const megabyte = 1024 * 1024;
/** The longest message that is taken from a server in one piece. */
export const frameBytes = 32 * megabyte;
/** The part of a stored result that an agent gets: header, preview and wrapping. */
const mostShownBytes = 32_000;
const link = /toolcrib:\/\/result\/[A-Za-z0-9_-]+/;

/** Either of the two; in the second case all of it can be read and searched. */
export async function expectLarge(
  rig: Rig,
  agent: ExamAgent,
  where: string,
  reply: ToolReply,
  needle: string,
): Promise<void> {
  if (reply.isError) {
    const isNamed = reply.errorType === 'TOO_LARGE' && /\d/.test(reply.said);
    return rig.expect(
      isNamed,
      () => `${where}: an error that names no limit: ${reply.status} ${reply.text.slice(0, 300)}`,
    );
  }
  const uri = link.exec(reply.text)?.[0];
  if (uri === undefined)
    return rig.fault(`${where}: no link in ${reply.text.length} characters: ${reply.text.slice(0, 200)}`);
  rig.figure('shownBytes', reply.text.length);
  rig.expect(reply.text.length <= mostShownBytes, `${where}: ${reply.text.length} characters were shown.`);
  const second = await read(agent, `${uri}?page=2`);
  rig.expect(second.includes('lorem ipsum'), () => `${where}: page 2 is ${second.slice(0, 300)}`);
  const found = await read(agent, `${uri}?find=${needle}`);
  // The first line repeats what was asked for, also where nothing is found.
  const [head = '', ...places] = found.split('\n');
  const isFound = /^Matches 1-/.test(head) && places.some((place) => place.includes(needle));
  rig.expect(isFound, () => `${where}: ${needle} was not found: ${found.slice(0, 300)}`);
}

async function read(agent: ExamAgent, uri: string): Promise<string> {
  const { message, text } = await agent.request({ id: agent.nextId(), method: 'resources/read', params: { uri } });
  const contents = (message?.result as { contents?: { text?: string }[] } | undefined)?.contents;
  return contents?.map((one) => one.text ?? '').join('') ?? text;
}

/** The most memory that a process had since the watch began. */
export class MemoryWatch {
  readonly #pid: number;
  #before: number;

  constructor(pid: number) {
    this.#pid = pid;
    // Linux then restarts its high-water mark.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    this.#before = highWater(pid);
  }

  /** Memory used so far is the measure: only what goes beyond it counts from here on. */
  countFromHere(): void {
    this.#before = highWater(this.#pid);
  }

  grownBytes(): number {
    return highWater(this.#pid) - this.#before;
  }
}

function highWater(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

export function expectBounded(rig: Rig, watch: MemoryWatch, what: string, capBytes: number): void {
  const grown = watch.grownBytes();
  rig.figure(`${what} grownMb`, grown / megabyte);
  rig.expect(
    grown <= 4 * capBytes,
    `${what}: memory grew by ${Math.round(grown / megabyte)} MB, ${Math.round((4 * capBytes) / megabyte)} are allowed.`,
  );
}
