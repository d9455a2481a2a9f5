/** Finds the companion package with the encoder's weights, and what their headers say. */

import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GatewayError, systemCodeOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { encoderFiles, installEncoder } from './weights.ts';

const packageName = 'toolcrib-encoder';
/** Before the header: what kind of file it is, and the header's length. */
const prefixBytes = 8;
/** In bytes, far more than a header takes. */
const longestHeader = 4096;

export interface EncoderIdentity {
  readonly id: string;
  readonly width: number;
}

/** The folder of the package as a module at `from` would import it: beside this program, or above it. */
export function findEncoder(from: string = import.meta.url): string {
  try {
    return dirname(createRequire(from).resolve(`${packageName}/${encoderFiles.layers}`));
  } catch (cause) {
    throw notInstalled(cause);
  }
}

/** Reads a few bytes only: the files are big, and the thread reads them anyway. */
export function identifyEncoder(folder: string): EncoderIdentity {
  const header = readHeader(join(folder, encoderFiles.layers));
  if (isObject(header) && typeof header.id === 'string' && typeof header.width === 'number')
    return { id: header.id, width: header.width };
  throw new GatewayError('MODEL_BROKEN', `The encoder in ${folder} is damaged or of another version.`, {
    hint: installEncoder,
  });
}

/** undefined for a file that does not begin as a model file does. */
function readHeader(path: string): unknown {
  const bytes = readStart(path);
  try {
    return JSON.parse(bytes.toString('utf8', prefixBytes, prefixBytes + bytes.readUInt32LE(4)));
  } catch {
    // Not our format, or cut short; the caller says so.
    return undefined;
  }
}

/** Zeros stand where the file has ended. */
function readStart(path: string): Buffer {
  const bytes = Buffer.alloc(prefixBytes + longestHeader);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, bytes);
    } finally {
      closeSync(file);
    }
    return bytes;
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') throw notInstalled(cause);
    throw cause;
  }
}

function notInstalled(cause: unknown): GatewayError {
  return new GatewayError('MODEL_BROKEN', 'The encoder is not installed.', {
    hint: installEncoder,
    cause,
  });
}
