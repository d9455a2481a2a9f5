/** Looks where the key is that seals secrets in the data folder. The keyring is not asked for it. */

import { join } from 'node:path';
import type { Finding } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { silentLog } from '../../../base/log.ts';

const subject = 'secrets';

export async function checkSecretKey(dataDir: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { Vault } = await import('../../../vault/vault.ts');
  try {
    const place = await Vault.open({ dataDir, env, useKeyring: false, log: silentLog }).place();
    return { severity: 'ok', subject, message: messages[place ?? 'none'](dataDir) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { severity: 'problem', subject, message: error.message, hint: error.hint };
  }
}

const messages = {
  environment: () => 'Secrets in the data folder are sealed with the key in TOOLCRIB_SECRET_KEY.',
  keyring: () => 'Secrets in the data folder are sealed with a key in the keyring of this system.',
  file: (dataDir: string) =>
    `Secrets in the data folder are sealed with the key in ${join(dataDir, 'secret-key')}; keep it when you make a backup.`,
  none: () => 'There are no sealed secrets yet; a key is made with the first.',
} as const;
