/** The credential of one server whose sign-in is kept in memory, and an authorization server of a few words. */

import { GatewayError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import type { TokenGrant } from '../../src/downstream/oauth/issuer-requests.ts';
import { RenewalError, ServerCredential } from '../../src/downstream/oauth/server-credential.ts';
import { type CredentialRecord, StoredCredentials } from '../../src/downstream/oauth/stored-credentials.ts';
import type { Turns } from '../../src/store/store.ts';
import { ManualClock } from './manual-clock.ts';
import { MemorySecrets, plainSealer } from './memory-secrets.ts';
import { soleReplica } from './sole-replica.ts';

export const url = 'https://far.example/mcp';
export const hour = 3_600_000;

export function recordAt(now: number, tokens: Partial<CredentialRecord['tokens']> = {}): CredentialRecord {
  return {
    url,
    resource: url,
    issuer: { issuer: 'https://id.example', token_endpoint: 'https://id.example/token' },
    client: { id: 'c', secret: null, method: 'none', kind: 'registered', redirectUri: 'http://127.0.0.1:1/x' },
    scopes: ['read'],
    tokens: { access: 'a0', refresh: 'r0', receivedAt: now, expiresAt: now + hour, scopes: null, ...tokens },
  };
}

export interface Setup {
  readonly clock: ManualClock;
  readonly secrets: MemorySecrets;
  readonly stored: StoredCredentials;
  readonly credential: ServerCredential;
  /** The refresh tokens that renewals were asked with. */
  readonly asked: string[];
  /** Results of the next renewals, in order; after them, the usual. */
  readonly answers: (() => Promise<TokenGrant>)[];
  /** The kept record, as read after a restart. */
  kept(): Promise<CredentialRecord | null>;
}

export async function setup(
  record: (now: number) => CredentialRecord | null = (now) => recordAt(now),
  replicas?: Turns,
): Promise<Setup> {
  const clock = new ManualClock();
  const secrets = new MemorySecrets();
  const stored = new StoredCredentials({ store: secrets, sealer: plainSealer, log: silentLog, now: () => clock.now() });
  const first = record(clock.now());
  if (first !== null) await stored.save('far', first);
  const asked: string[] = [];
  const answers: (() => Promise<TokenGrant>)[] = [];
  const usual = async (): Promise<TokenGrant> => ({
    accessToken: `a${asked.length}`,
    refreshToken: `r${asked.length}`,
    expiresInMs: hour,
    scopes: null,
  });
  const credential = new ServerCredential({
    server: 'far',
    url,
    hasHeaders: false,
    stored,
    replicas: replicas ?? soleReplica(clock),
    clock,
    log: silentLog,
    renew: (_record, refresh) => {
      asked.push(refresh);
      return (answers.shift() ?? usual)();
    },
  });
  return { clock, secrets, stored, credential, asked, answers, kept: () => stored.load('far', url) };
}

export const refused = (sent: string | null, isRepeated = false) => ({
  status: 401,
  challenge: 'Bearer scope="read"',
  sent,
  isRepeated,
});
export const passing = () =>
  Promise.reject(new RenewalError('no answer', { isFinal: false, isClientGone: false, cause: undefined }));
export const final = (isClientGone = false) =>
  Promise.reject(new RenewalError('invalid_grant', { isFinal: true, isClientGone, cause: undefined }));
export const isTrouble = (reason: string) => (error: unknown) =>
  error instanceof GatewayError && error.data?.reason === reason;
