/** Tools that a server has only when its JSON names them (`runAs`): answers of every large shape. */

import { defineTool, json, type Tool, text } from './tool.ts';

const count = { type: 'number', description: 'How many.' };

export function largeTools(): Tool[] {
  return [
    defineTool({ name: 'rows', description: 'A table as JSON.', parameters: { count } }, (call) =>
      json({ total: call.args.count, rows: rowsUpTo(Number(call.args.count)) }),
    ),
    defineTool({ name: 'lines', description: 'A log.', parameters: { count } }, (call) =>
      text(Array.from({ length: Number(call.args.count) }, (_, at) => `line ${at + 1} of the log`).join('\n')),
    ),
    defineTool({ name: 'blocks', description: 'Very many small blocks.', parameters: { count } }, (call) => ({
      content: Array.from({ length: Number(call.args.count) }, (_, at) => ({ type: 'text', text: `block ${at + 1}` })),
    })),
    defineTool({ name: 'picture', description: 'An image.', parameters: { count } }, (call) => ({
      content: [
        { type: 'image', mimeType: 'image/png', data: Buffer.alloc(Number(call.args.count), 7).toString('base64') },
      ],
    })),
    defineTool({ name: 'table', description: 'A table as structured content.', parameters: { count } }, (call) => {
      const rows = rowsUpTo(Number(call.args.count));
      return { ...json({ rows }), structuredContent: { rows } };
    }),
    ...realLifeTools(),
  ];
}

/** Answers of the sizes that agents meet every day, to any request. */
function realLifeTools(): Tool[] {
  const source = Array.from({ length: 180 }, (_, at) => sourceLine(at)).join('\n');
  return [
    defineTool({ name: 'long_text', description: 'A file of 180 lines, 10 kB.' }, () => text(source)),
    defineTool({ name: 'long_text_twice', description: 'The same as text and as structured content.' }, () => ({
      ...text(source),
      structuredContent: { content: source },
    })),
    defineTool({ name: 'five_hundred_rows', description: 'A table of 500 rows as JSON.' }, () => json(rowsUpTo(500))),
    defineTool({ name: 'fail_plainly', description: 'Fails as real tools do.' }, () => ({
      ...text('Error: upstream answered 503 Service Unavailable.'),
      isError: true,
    })),
  ];
}

function sourceLine(at: number): string {
  return `${String(at + 1).padStart(4)}  const total${at} = sumOf(orders[${at}], { currency: 'EUR' });`;
}

function rowsUpTo(length: number): { id: number; name: string; price: number }[] {
  return Array.from({ length }, (_, at) => ({ id: at + 1, name: `item ${at + 1}`, price: at / 4 }));
}
