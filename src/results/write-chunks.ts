/** Writes a file of a stored result, and asks for the room that it takes. */

import { open } from 'node:fs/promises';

/** Small chunks are put together up to this before they are written. */
const batchBytes = 64 * 1_024;

/** The room in the store of results for one result. */
export interface StorageRoom {
  /** Called before `bytes` are written; throws if they are too many. */
  take(bytes: number): Promise<void>;
  /** Frees the bytes of a file that is of no use. */
  giveBack(bytes: number): void;
}

/** Resolves to the size; replaces what an earlier try has left. A failure gives back all that it has taken. */
export async function writeChunks(
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  room: StorageRoom,
  onChunk: (chunk: Buffer) => void = () => {},
): Promise<number> {
  const file = await open(path, 'w', 0o600);
  let bytes = 0;
  let batch: Buffer[] = [];
  let waiting = 0;
  const flush = async () => {
    if (waiting === 0) return;
    const taken = waiting;
    waiting = 0;
    await room.take(taken);
    bytes += taken;
    await file.writeFile(Buffer.concat(batch));
    batch = [];
  };
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      batch.push(chunk);
      waiting += chunk.length;
      if (waiting >= batchBytes) await flush();
    }
    await flush();
    return bytes;
  } catch (error) {
    room.giveBack(bytes);
    throw error;
  } finally {
    await file.close();
  }
}
