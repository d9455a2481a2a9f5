/** Stands in for the credential of a server that is reached in the open: it sends nothing, and says why. */

import { readChallenge } from './challenge.ts';
import type { Credential, Refusal } from './credential.ts';
import { signInUnsafe } from './sign-in-trouble.ts';

export class OpenCredential implements Credential {
  readonly ready = null;
  readonly #server: string;
  readonly #url: URL;

  constructor(server: string, url: URL) {
    this.#server = server;
    this.#url = url;
  }

  async prepare(): Promise<null> {
    return null;
  }

  async afterRefusal({ status, challenge }: Refusal): Promise<undefined> {
    if (status === 401 && readChallenge(challenge) !== undefined) throw signInUnsafe(this.#server, this.#url);
  }
}
