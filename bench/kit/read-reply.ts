/** Reads one HTTP answer out of the bytes that have come so far: with a Content-Length or in chunks, as JSON or as a stream. */

export interface Reply {
  readonly status: number;
  /** Status line and headers as they came. */
  readonly head: string;
  /** The body; of an event stream, the data of its last event. */
  readonly text: string;
}

const blankLine = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

/** undefined while the answer is not complete. Nothing may follow it. */
export function readReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf(blankLine);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const body = readBody(bytes.subarray(end + 2), head);
  if (body === undefined) return undefined;
  const isStream = /\r\nContent-Type: *text\/event-stream/i.test(head);
  return { status: Number(head.slice(9, 12)), head, text: isStream ? lastEventOf(body) : body };
}

/** `bytes` begin with the line end before the body. */
function readBody(bytes: Buffer, head: string): string | undefined {
  const length = /\r\nContent-Length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return bytes.length < Number(length) + 2 ? undefined : bytes.toString('utf8', 2);
  if (bytes.toString('latin1', Math.max(0, bytes.length - lastChunk.length)) !== lastChunk) return undefined;
  return joinChunks(bytes.subarray(2));
}

/** Each chunk is its length in hexadecimal, a line end, that many bytes and another line end. */
function joinChunks(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(length > 0)) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

function lastEventOf(stream: string): string {
  return (
    stream
      .split('\n')
      .findLast((line) => line.startsWith('data: {'))
      ?.slice('data: '.length) ?? ''
  );
}
