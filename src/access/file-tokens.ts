/** The two tokens of the data folder: the owner's, which may do everything, and the one for agents. */

import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { tokenFiles } from '../base/token-files.ts';
import { type Principal, type Scope, scopesIn } from './principal.ts';
import { digestOf, makeToken } from './tokens.ts';

const scopes: Record<keyof typeof tokenFiles, readonly Scope[]> = {
  owner: ['use', 'admin', 'metrics'],
  agent: ['use'],
};

/** A token as it is compared, and who comes with it. */
export interface KnownToken {
  readonly digest: Buffer;
  readonly principal: Principal;
}

export class FileTokens {
  readonly owner: string;
  readonly agent: string;
  /** In the form in which they are compared. */
  readonly known: readonly KnownToken[];

  private constructor(owner: string, agent: string) {
    this.owner = owner;
    this.agent = agent;
    this.known = [known('owner', owner), known('agent', agent)];
  }

  /** Reads the tokens of a data folder; makes them at the first start. */
  static async open(dataDir: string): Promise<FileTokens> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return new FileTokens(await readOrMake(dataDir, tokenFiles.owner), await readOrMake(dataDir, tokenFiles.agent));
  }
}

function known(name: keyof typeof tokenFiles, token: string): KnownToken {
  const principal = Object.freeze({ id: name, name, scopes: new Set(scopesIn(scopes[name])), mark: '' });
  return { digest: digestOf(token), principal };
}

async function readOrMake(dataDir: string, name: string): Promise<string> {
  const file = join(dataDir, name);
  const before = await readToken(file);
  if (before !== undefined) return before;
  // Written aside and linked into place: of two gateways that start at once, both read the same token.
  const aside = `${file}.${randomId()}`;
  await writeFile(aside, `${makeToken()}\n`, { mode: 0o600, flag: 'wx' });
  await link(aside, file).catch((error) => {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  });
  await rm(aside, { force: true });
  const made = await readToken(file);
  if (made !== undefined) return made;
  throw new GatewayError('STORE_BROKEN', `The token file "${file}" cannot be read.`);
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const token = text.trim();
  if (!/^tc_[A-Za-z0-9_-]{16,}$/.test(token)) {
    throw new GatewayError('STORE_BROKEN', `The token file "${file}" does not hold a token.`, {
      hint: `Move it away; a new token is made at the next start.`,
    });
  }
  await chmod(file, 0o600);
  return token;
}
