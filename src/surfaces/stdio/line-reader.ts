/** Cuts the agent's bytes into lines: whole characters, no byte order mark, no line ends, and none longer than the limit. */

/** How much of the start and the end of a too long line is stored, to find the id of its request. */
const edgeBytes = 1_024;
const newline = 0x0a;

export interface AgentLineEvents {
  onLine(line: string): void;
  /** A line over the limit: its start and its end. */
  onOversized(head: string, tail: string): void;
}

export class LineReader {
  readonly #limit: number;
  readonly #events: AgentLineEvents;
  #parts: Buffer[] = [];
  #size = 0;
  #skipped: { readonly head: string; tail: Buffer } | undefined;

  constructor(limit: number, events: AgentLineEvents) {
    this.#limit = limit;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#add(chunk.subarray(from, end));
      this.end();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** The line so far is complete: at a line end, and at the end of all input. */
  end(): void {
    const skipped = this.#skipped;
    if (skipped) {
      this.#skipped = undefined;
      return this.#events.onOversized(skipped.head, skipped.tail.toString('utf8'));
    }
    if (this.#size === 0) return;
    // Only now is it text: a character may have come in two parts.
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    this.#reset();
    // A byte order mark and a carriage return are white space too.
    const line = bytes.toString('utf8').trim();
    if (line !== '') this.#events.onLine(line);
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#skipped) {
      this.#skipped.tail = edgeOf([this.#skipped.tail, piece]);
      return;
    }
    this.#parts.push(piece);
    this.#size += piece.length;
    if (this.#size <= this.#limit) return;
    const head = Buffer.concat(this.#parts, edgeBytes).toString('utf8');
    this.#skipped = { head, tail: edgeOf(this.#parts.slice(-2)) };
    this.#reset();
  }

  #reset(): void {
    this.#parts = [];
    this.#size = 0;
  }
}

/** A copy, so that the large buffers can go. */
function edgeOf(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.map((part) => part.subarray(-edgeBytes))).subarray(-edgeBytes);
}
