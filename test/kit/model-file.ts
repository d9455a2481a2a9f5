/** Bytes that `src/meaning/model-file.ts` reads, laid out as `model/export.py` does. */

const alignment = 16;

export function modelFile(header: object, blocks: readonly (Float32Array | Int8Array)[]): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc(missing(8 + text.length), ' ')]);
  const start = Buffer.concat([Buffer.from('TCM1'), Buffer.alloc(4), padded]);
  start.writeUInt32LE(padded.length, 4);
  return Buffer.concat([
    start,
    ...blocks.flatMap((block) => {
      const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
      return [bytes, Buffer.alloc(missing(bytes.length))];
    }),
  ]);
}

function missing(length: number): number {
  return (alignment - (length % alignment)) % alignment;
}
