/** The program `demo-server NAME`: serves one demo tool set over standard input and output, a JSON message a line, until the input ends. */

import { systemClock } from '../base/clock.ts';
import { failure, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import { Conversation, type Host } from './conversation.ts';
import { type DemoName, introductions } from './demo.ts';
import type { ToolSet } from './tool.ts';

/** Loaded on demand, so that a server starts without reading the tools of the others. */
const makers: Readonly<Record<DemoName, () => Promise<ToolSet>>> = {
  notes: async () => (await import('./notes.ts')).notesTools(systemClock),
  clock: async () => (await import('./clock.ts')).clockTools,
  math: async () => (await import('./math.ts')).mathTools(Math.random),
  weather: async () => (await import('./weather.ts')).weatherTools,
  meteo: async () => (await import('./weather.ts')).meteoTools,
};
/** A longer message is refused, so that a peer that never ends its line cannot fill the memory. */
const longestLine = 1_048_576;

const name = process.argv[2];
if (isDemoName(name)) serve({ name, ...introductions[name], clock: systemClock, toolSet: await makers[name]() });
else {
  const names = Object.keys(introductions).join(', ');
  const wanted = name === undefined ? 'Name a demo server' : `There is no demo server ${JSON.stringify(name)}`;
  process.stderr.write(`${wanted}; these exist: ${names}.\n`);
  process.exitCode = 2;
}

function isDemoName(wanted: string | undefined): wanted is DemoName {
  return wanted !== undefined && Object.hasOwn(introductions, wanted);
}

function serve(host: Host): void {
  const send = (message: RpcMessage) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const conversation = new Conversation(host, send);
  // A gateway that is gone cannot read; the end of input, which follows, ends this process.
  process.stdout.on('error', () => {});
  process.stdin.setEncoding('utf8');
  const onTooLong = () => send(failure(null, { code: rpcCodes.invalidRequest, message: 'The message is too long.' }));
  process.stdin.on(
    'data',
    splitLines((line) => conversation.receive(line), onTooLong),
  );
  process.stdin.on('end', () => conversation.close());
}

/** Takes chunks and gives whole lines; a line above the limit is dropped and reported once. */
function splitLines(onLine: (line: string) => void, onTooLong: () => void): (chunk: string) => void {
  let held = '';
  let isDropping = false;
  return (chunk) => {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const piece of lines) {
      const line = held + piece;
      held = '';
      if (!isDropping && line.trim() !== '') onLine(line);
      isDropping = false;
    }
    held = isDropping ? '' : held + last;
    if (held.length <= longestLine) return;
    held = '';
    isDropping = true;
    onTooLong();
  };
}
