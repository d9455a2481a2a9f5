/**
 * Seals the state that a modern server gives an agent to bring back with its answers. To the server all agents are one,
 * the gateway, so it cannot tell whose a state is: a sealed one holds only for the same principal and request.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { RpcError, rpcCodes } from '../protocol/messages.ts';

const prefix = 'toolcrib-state.';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** The time after which it is not taken any more, in front of the state itself. */
const timeBytes = 8;

export class StateSeal {
  readonly #clock: Clock;
  /** Of this process: a call that waits for its agent does not outlive the gateway. */
  readonly #key = randomBytes(32);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `identity`: what only the same request of the same principal can say again. */
  seal(state: string, identity: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(digestOf(identity));
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(this.#clock.elapsed() + limits.sealedStateTtlMs);
    const sealed = [cipher.update(time), cipher.update(state, 'utf8'), cipher.final()];
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** Throws where it is not one of ours, or is somebody else's, or of another request, or too old: all in the same words. */
  open(sealed: unknown, identity: string): string {
    const state = typeof sealed === 'string' && sealed.startsWith(prefix) ? this.#unseal(sealed, identity) : undefined;
    if (state !== undefined) return state;
    throw new RpcError(
      rpcCodes.invalidParams,
      'The requestState is unknown or has expired; start the call again without it.',
    );
  }

  #unseal(sealed: string, identity: string): string | undefined {
    const text = sealed.slice(prefix.length);
    const bytes = Buffer.from(text, 'base64url');
    // Another text that decodes to the same bytes was changed by somebody.
    if (bytes.length < nonceBytes + tagBytes + timeBytes || bytes.toString('base64url') !== text) return undefined;
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(digestOf(identity)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const open = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return open.readDoubleBE(0) > this.#clock.elapsed() ? open.subarray(timeBytes).toString('utf8') : undefined;
    } catch {
      return undefined;
    }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
