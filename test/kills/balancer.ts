/** HAProxy in front of gateways, with the config file that is shipped for it. */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';

const shipped = new URL('../../docs/balancers/haproxy.cfg', import.meta.url);

export interface Balancer extends AsyncDisposable {
  readonly url: string;
}

interface BalancerOptions {
  /** Of the gateways, three of them: the shipped file has as many. */
  readonly ports: readonly number[];
  /** Keeps a token, and a legacy session, at its gateway; else any request goes anywhere. */
  readonly isSticky: boolean;
  readonly folder: string;
}

/** Fails where it is missing, with how to install it. */
export function checkBalancer(): void {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
  } catch {
    throw new Error('HAProxy is missing. Install it (Debian: apt-get install -y haproxy).');
  }
}

export async function startBalancer({ ports, isSticky, folder }: BalancerOptions): Promise<Balancer> {
  const port = await freePort();
  const file = join(folder, `haproxy-${port}.cfg`);
  await writeFile(
    file,
    filledIn(await readFile(shipped, 'utf8'), port, ports, isSticky).replace(/(stats socket) \S+/, `$1 ${file}.sock`),
  );
  const child = spawn('haproxy', ['-q', '-db', '-f', file], { stdio: ['ignore', 'inherit', 'inherit'] });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await eventually('HAProxy answers for a gateway', async () => {
    assert.equal(child.exitCode, null, 'HAProxy ended at its start.');
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    return response?.status === 200 || undefined;
  });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function filledIn(text: string, port: number, ports: readonly number[], isSticky: boolean): string {
  const rest = [...ports];
  const lines = text.split('\n').filter((line) => isSticky || !/^\s*(?:stick|hash-type)/.test(line));
  const config = lines
    .join('\n')
    .replace(/^( *balance).*/m, isSticky ? '$&' : '$1 roundrobin')
    .replace(/^( *bind).*/m, `$1 127.0.0.1:${port}`)
    .replace(/^( *server \w+).*/gm, (_, name) => `${name} 127.0.0.1:${rest.shift()}`);
  assert.equal(rest.length, 0, 'The shipped file has a line for each gateway.');
  return config;
}
