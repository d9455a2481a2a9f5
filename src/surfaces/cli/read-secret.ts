/** Reads a secret from a person who types it unseen, or from stdin. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { GatewayError } from '../../base/errors.ts';
import type { CliHost } from './context.ts';

type SecretHost = Pick<CliHost, 'stdin' | 'stderr' | 'signal'>;

/** Without the line break at its end. Throws USAGE where nothing comes. */
export async function readSecret(name: string, host: SecretHost): Promise<string> {
  const value = host.stdin.isTTY ? await readUnseen(`Value of ${name}: `, host) : await text(host.stdin);
  const secret = value.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new GatewayError('USAGE', 'No value was given.', {
    hint: `Type it at the prompt, or pipe it: printf %s "$VALUE" | toolcrib secret set ${name}`,
  });
}

async function readUnseen(prompt: string, { stdin: input, stderr, signal }: SecretHost) {
  stderr.write(prompt);
  // The line editor echoes what is typed to its output: to nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const stopped = new AbortController();
  lines.once('SIGINT', () => stopped.abort(new GatewayError('CANCELLED', 'Nothing was set.')));
  try {
    return await lines.question('', { signal: AbortSignal.any([signal, stopped.signal]) });
  } catch (error) {
    throw stopped.signal.aborted ? stopped.signal.reason : error;
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
