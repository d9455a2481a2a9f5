/** Tools that a server has only when its JSON names them (`runAs`): answers that no ordinary program would write. */

import { type Call, UNANSWERED } from './call.ts';
import { type Dict, rawResult } from './rpc.ts';
import { defineTool, type Tool } from './tool.ts';

const string = (description: string) => ({ type: 'string', description, default: '' });
const number = (description: string) => ({ type: 'number', description, default: 0 });

export function rawTools(): Tool[] {
  return [floodTool(), bombTool(), utterTool()];
}

/** Written piece by piece, so that the server itself needs no memory for it. */
function floodTool(): Tool {
  return defineTool(
    {
      name: 'flood',
      description: 'Answers with a text of any length, line by line, or never comes to its end.',
      parameters: {
        bytes: { type: 'number', description: 'How long the text is, about.' },
        needle: string('A word that stands on one line near the end.'),
        endless: { type: 'boolean', description: 'Whether the message is left open.', default: false },
      },
    },
    async (call): Promise<typeof UNANSWERED> => {
      await call.outlet.pour(flood(call));
      return UNANSWERED;
    },
  );
}

async function* flood(call: Call): AsyncGenerator<Buffer> {
  const { bytes, needle, endless } = call.args;
  const line = `${'lorem ipsum dolor sit amet '.repeat(3)}\\n`;
  const piece = Buffer.from(line.repeat(800));
  const pieces = Math.ceil(Number(bytes) / piece.length);
  yield Buffer.from(
    `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{"resultType":"complete","content":[{"type":"text","text":"`,
  );
  for (let at = 0; at < pieces && !call.signal.aborted; at += 1) {
    if (at === pieces - 1) yield Buffer.from(`${needle}\\n`);
    yield piece;
  }
  if (endless !== true) yield Buffer.from('"}]}}\n');
}

function bombTool(): Tool {
  return defineTool(
    {
      name: 'bomb',
      description: 'Answers with JSON that is small to send and hard to take.',
      parameters: {
        kind: { type: 'string', enum: ['depth', 'keys', 'nulls', 'literal', 'id'], description: 'Which one.' },
        size: number('How many levels, keys or characters.'),
        literal: string('What stands where a value is expected.'),
      },
    },
    async (call): Promise<Dict | typeof UNANSWERED> => {
      const { kind, size, literal } = call.args;
      if (kind !== 'id') return bomb(String(kind), Number(size), String(literal));
      // An answer to a question that nobody asked, for readers that round.
      const text = `{"jsonrpc":"2.0","id":${literal},"result":{"content":[]}}\n`;
      await call.outlet.pour(once(Buffer.from(text)));
      return UNANSWERED;
    },
  );
}

/** Word for word, so that the caller decides what a hostile server says. */
function utterTool(): Tool {
  return defineTool(
    {
      name: 'utter',
      description: 'Writes the bytes that it is given, where its answer should be.',
      parameters: {
        bytes: { type: 'string', description: 'In base64; the string $ID in quotes becomes the id of the call.' },
      },
    },
    async (call): Promise<typeof UNANSWERED> => {
      const text = Buffer.from(String(call.args.bytes), 'base64').toString('latin1');
      await call.outlet.pour(once(Buffer.from(text.replaceAll('"$ID"', JSON.stringify(call.id)), 'latin1')));
      return UNANSWERED;
    },
  );
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function bomb(kind: string, size: number, literal: string): Dict {
  if (kind === 'nulls') return asResult(`[{"type":"text","text":"${'\\u0000'.repeat(size)}"}]`, '{}');
  const values: Readonly<Record<string, () => string>> = {
    depth: () => `${'['.repeat(size)}${']'.repeat(size)}`,
    keys: () => `{${Array.from({ length: size }, (_, at) => `"k${at}":0`).join(',')}}`,
    literal: () => literal,
  };
  return asResult('[{"type":"text","text":"bomb"}]', `{"value":${values[kind]?.() ?? 'null'}}`);
}

function asResult(content: string, structured: string): Dict {
  return rawResult(`{"resultType":"complete","content":${content},"structuredContent":${structured}}`);
}
