/** Reads the server-sent events of our own door, here and in a browser: whole lines of its one form, nothing else. */

interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of one event; ours are small. */
const longestEvent = 1_048_576;

/** The door says something every 15 s. Longer silence: the way to it is gone, and nobody will say so. */
const longestSilenceMs = 45_000;

/** Ends with the stream; one that breaks off or falls silent is over, too, because the next one shows if its sender is still there. */
export async function* readEventStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let silence: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      // A read under way then ends without a value.
      silence = setTimeout(() => void reader.cancel().catch(() => {}), longestSilenceMs);
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      clearTimeout(silence);
      if (!value) return;
      rest += decoder.decode(value, { stream: true });
      const parts = rest.split('\n\n');
      rest = parts.pop() ?? '';
      if (rest.length > longestEvent) throw new Error('An event of the stream is too long.');
      for (const part of parts) if (!part.startsWith(':')) yield eventIn(part);
    }
  } finally {
    clearTimeout(silence);
    reader.cancel().catch(() => {});
  }
}

function eventIn(part: string): StreamedEvent {
  const field = (name: string) => {
    const line = part.split('\n').find((one) => one.startsWith(`${name}: `));
    return line?.slice(name.length + 2) ?? '';
  };
  return { id: field('id'), event: field('event'), data: field('data') };
}
