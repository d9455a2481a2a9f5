/** The key that seals secrets, and the three places it can be in: the environment, the system's keyring, a file. */

import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { Keyring } from './keyring.ts';
import { keyBytes, keyIdOf } from './seal-text.ts';

export const keyVariable = 'TOOLCRIB_SECRET_KEY';
const keyFile = 'secret-key';

export type KeyLocation = 'environment' | 'keyring' | 'file';

export interface SecretKey {
  readonly id: string;
  readonly key: Buffer;
  readonly location: KeyLocation;
}

export interface KeySources {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly keyring: Keyring;
  /** A new key goes there. One that is there already is read in any case. */
  readonly makesInKeyring: boolean;
}

/** The content of the file: the key itself, or the name under which the keyring has it. */
const inKeyring = /^keyring:([A-Za-z0-9_-]{12})$/;

export function keyFileOf(dataDir: string): string {
  return join(dataDir, keyFile);
}

/** The key of the environment, if one is set. It goes before the others, and they are still read for what they sealed. */
export function keyFromEnvironment(env: NodeJS.ProcessEnv): SecretKey | undefined {
  const text = env[keyVariable]?.trim();
  if (!text) return undefined;
  const key = readKey(text);
  if (key !== undefined) return { id: keyIdOf(key), key, location: 'environment' };
  throw new GatewayError('STORE_BROKEN', `${keyVariable} is set, but is not a key: it must be 32 bytes in base64.`, {
    hint: 'Make one with: openssl rand -base64 32',
  });
}

/** The key that belongs to the data folder, in its file or in the keyring; undefined: there is none yet. */
export async function keyOfFolder(sources: KeySources): Promise<SecretKey | undefined> {
  const file = keyFileOf(sources.dataDir);
  const text = await readKeyFile(file);
  if (text === undefined) return undefined;
  const name = inKeyring.exec(text.trim())?.[1];
  if (name !== undefined) return readFromKeyring(sources.keyring, name, file);
  const key = readKey(text.trim());
  if (key === undefined) throw unreadable(file);
  // It may have been restored from a backup that knew nothing of modes.
  await chmod(file, 0o600);
  return { id: keyIdOf(key), key, location: 'file' };
}

/** Where the key of a folder is, without asking the keyring for it; null: there is none yet. */
export async function locationInFolder(dataDir: string): Promise<KeyLocation | null> {
  const text = await readKeyFile(keyFileOf(dataDir));
  if (text === undefined) return null;
  return inKeyring.test(text.trim()) ? 'keyring' : 'file';
}

function readKeyFile(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  });
}

/** Makes the key of the folder, in the keyring where that works. Of two that do so at once, both get the same key. */
export async function makeKey(sources: KeySources): Promise<SecretKey> {
  const key = randomBytes(keyBytes);
  const id = keyIdOf(key);
  const isInKeyring = sources.makesInKeyring && (await tryKeyring(sources.keyring, id, key));
  await mkdir(sources.dataDir, { recursive: true, mode: 0o700 });
  const isOurs = await writeOnce(keyFileOf(sources.dataDir), isInKeyring ? `keyring:${id}` : key.toString('base64'));
  if (isOurs) return { id, key, location: isInKeyring ? 'keyring' : 'file' };
  // One more entry in the keyring harms nobody, should it not go.
  if (isInKeyring) await sources.keyring.remove(id).catch(() => {});
  const theirs = await keyOfFolder(sources);
  if (theirs !== undefined) return theirs;
  throw unreadable(keyFileOf(sources.dataDir));
}

/** True when the keyring took the key and gives it back: some accept everything and keep nothing. */
async function tryKeyring(keyring: Keyring, id: string, key: Buffer): Promise<boolean> {
  const text = key.toString('base64');
  try {
    await keyring.write(id, text);
    return (await keyring.read(id)) === text;
  } catch {
    // There is none, or it is locked, or access was denied: the file does as well.
    return false;
  }
}

async function readFromKeyring(keyring: Keyring, id: string, file: string): Promise<SecretKey> {
  const text = await keyring.read(id).catch((error) => {
    throw new GatewayError(
      'STORE_BROKEN',
      `The key for secrets is in the keyring of this system, which does not give it: ${messageOf(error)}.`,
      { hint: `Unlock the keyring, or put the key into ${keyVariable}.`, cause: error },
    );
  });
  const key = text === null ? undefined : readKey(text);
  if (key !== undefined && keyIdOf(key) === id) return { id, key, location: 'keyring' };
  throw new GatewayError(
    'STORE_BROKEN',
    `The key for secrets is not in the keyring of this system, although "${file}" says so.`,
    { hint: `Put the key into ${keyVariable}, or bring back the keyring that has it (entry "${id}").` },
  );
}

/** Written aside and linked into place, so that it is there with all of its content or not at all. */
async function writeOnce(file: string, text: string): Promise<boolean> {
  const aside = `${file}.${randomId()}`;
  await writeFile(aside, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(aside, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(aside, { force: true });
  }
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function readKey(text: string): Buffer | undefined {
  const key = base64.test(text) ? Buffer.from(text, 'base64') : undefined;
  return key?.length === keyBytes ? key : undefined;
}

function unreadable(file: string, cause?: unknown): GatewayError {
  return new GatewayError('STORE_BROKEN', `The key for secrets in "${file}" cannot be read.`, {
    hint: 'Restore the file from a backup; without it, sealed secrets must be set again.',
    cause,
  });
}
