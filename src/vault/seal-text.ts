/** Sealing of one text with AES-256-GCM: who does not have the key can neither read nor change it, nor use it for something else. */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { GatewayError } from '../base/errors.ts';

/** Bytes of a key. */
export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';
const version = 'v1';

/** `v1.KEYID.NONCE.DATA`, each in base64url; the data ends with the tag. */
const form = /^v1\.([A-Za-z0-9_-]{12})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** Says which key sealed a text, and nothing about the key. */
export function keyIdOf(key: Buffer): string {
  return createHmac('sha256', key).update('toolcrib key id').digest().subarray(0, 9).toString('base64url');
}

/** Equal for equal texts and keys; without the key, nobody can find the text by trying. */
export function markText(text: string, key: Buffer): string {
  return createHmac('sha256', key).update(`toolcrib mark ${text}`).digest('base64url');
}

export function sealText(text: string, purpose: string, key: Buffer): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(boundTo(purpose));
  const data = Buffer.concat([sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return [version, keyIdOf(key), nonce.toString('base64url'), data.toString('base64url')].join('.');
}

/** The id of the key that sealed a text; undefined: it is not a sealed text. */
export function sealedBy(sealed: string): string | undefined {
  return form.exec(sealed)?.[1];
}

/** Throws where the text was changed, or sealed for another purpose or with another key. */
export function unsealText(sealed: string, purpose: string, key: Buffer): string {
  const [, , nonce = '', written = ''] = form.exec(sealed) ?? [];
  const data = Buffer.from(written, 'base64url');
  try {
    // Decoding overlooks bits and characters at the end that mean nothing.
    if (data.toString('base64url') !== written) throw new Error('The text has another spelling than it was given.');
    const unsealing = createDecipheriv(cipher, key, Buffer.from(nonce, 'base64url'), { authTagLength: tagBytes });
    unsealing.setAAD(boundTo(purpose));
    unsealing.setAuthTag(data.subarray(-tagBytes));
    return Buffer.concat([unsealing.update(data.subarray(0, -tagBytes)), unsealing.final()]).toString('utf8');
  } catch (error) {
    throw new GatewayError('STORE_BROKEN', `A secret for "${purpose}" was damaged or changed and cannot be used.`, {
      hint: 'Restore the database from a backup, or set the secret again.',
      cause: error,
    });
  }
}

function boundTo(purpose: string): Buffer {
  return Buffer.from(`toolcrib:${purpose}`, 'utf8');
}
