/** The config files that the owner trusts although nobody names them: by path and content, in one file of the data folder. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { makeFolder } from '../base/folders.ts';
import { randomId } from '../base/ids.ts';
import { writePrivateFile } from '../base/private-file.ts';
import { printable } from '../base/text.ts';
import type { ConfigText } from './find-config.ts';

const trustedConfig = z.strictObject({ file: z.string(), sha256: z.string(), trustedAt: z.string() });
const schema = z.strictObject({ configs: z.array(trustedConfig) });

type TrustedConfig = Readonly<z.infer<typeof trustedConfig>>;

/** Folders that somebody works in; those that were trusted longest ago make room. */
const mostConfigs = 1_000;

export class TrustedConfigs {
  readonly #dataDir: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#path = join(dataDir, 'trusted-configs.json');
  }

  /** The newest come last. */
  async all(): Promise<readonly TrustedConfig[]> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#path, 'utf8'))).configs;
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      throw new GatewayError('STORE_BROKEN', `The list of trusted configs ${this.#path} can't be read.`, {
        hint: 'Delete it; you will be asked again about each config.',
        cause: error,
      });
    }
  }

  /** True also for a config that needs no trust: it was named, is in the data folder, or there is none. */
  async covers(text: ConfigText): Promise<boolean> {
    if (!text.isByFolder) return true;
    const sha256 = hashOf(text);
    return (await this.all()).some((one) => one.file === text.file && one.sha256 === sha256);
  }

  /** Throws CONFIG_UNTRUSTED. */
  async mustCover(text: ConfigText): Promise<void> {
    if (await this.covers(text)) return;
    const { file } = text;
    const isKnown = (await this.all()).some((one) => one.file === file);
    const what = isKnown ? 'has changed since you trusted it' : 'is not trusted: only the current folder led to it';
    throw new GatewayError('CONFIG_UNTRUSTED', `The config file ${printable(file ?? '')} ${what}.`, {
      hint: 'It decides which programs run. Read it, then trust it with "toolcrib trust", or name it with --config FILE.',
    });
  }

  /** In place of an older content of the same file. */
  async add({ file, bytes }: ConfigText, trustedAt: Date): Promise<TrustedConfig> {
    const added = { file: file ?? '', sha256: hashOf({ bytes }), trustedAt: trustedAt.toISOString() };
    const others = (await this.all()).filter((one) => one.file !== file);
    await this.#write([...others, added].slice(-mostConfigs));
    return added;
  }

  /** False where it was not trusted. */
  async remove(file: string): Promise<boolean> {
    const before = await this.all();
    const left = before.filter((one) => one.file !== file);
    if (left.length < before.length) await this.#write(left);
    return left.length < before.length;
  }

  async #write(configs: readonly TrustedConfig[]): Promise<void> {
    await makeFolder(this.#dataDir);
    // A gateway that records an edit and a command may write at once.
    const draft = `${this.#path}.${randomId()}.new`;
    await writePrivateFile(this.#path, `${JSON.stringify({ configs }, null, 2)}\n`, draft);
  }
}

function hashOf({ bytes }: Pick<ConfigText, 'bytes'>): string {
  return createHash('sha256').update(bytes).digest('hex');
}
