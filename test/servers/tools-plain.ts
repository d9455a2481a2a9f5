/** Default tools that only compute, wait or answer in an unusual shape. */

import { defineTool, json, READ_ONLY, type Tool, text } from './tool.ts';

const string = (description: string) => ({ type: 'string', description });
const number = (description: string) => ({ type: 'number', description });

export function plainTools(): Tool[] {
  return [...answeringTools(), ...waitingTools(), ...awkwardTools()];
}

function answeringTools(): Tool[] {
  return [
    defineTool(
      {
        name: 'echo',
        description: 'Says back the text it is given, byte for byte: naïve, 日本語 and 🙂 too.',
        parameters: { text: string('What to say back.') },
        more: READ_ONLY,
      },
      (call) => text(String(call.args.text)),
    ),
    defineTool(
      {
        name: 'add',
        description: 'Adds two numbers.',
        parameters: { a: number('The first number.'), b: number('The second number.') },
        more: {
          ...READ_ONLY,
          outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        },
      },
      (call) => {
        const sum = Number(call.args.a) + Number(call.args.b);
        return { ...text(String(sum)), structuredContent: { sum } };
      },
    ),
    defineTool(
      { name: 'fail', description: 'Always fails.', parameters: { message: string('The complaint.') } },
      (call) => ({ ...text(String(call.args.message)), isError: true }),
    ),
    defineTool(
      {
        name: 'regional',
        description: 'Says which region it was asked for; the region also travels as an HTTP header.',
        parameters: { region: { ...string('The region.'), 'x-mcp-header': 'Region' } },
        more: READ_ONLY,
      },
      (call) => text(String(call.args.region)),
    ),
  ];
}

function waitingTools(): Tool[] {
  return [
    defineTool(
      { name: 'slow', description: 'Answers after a while.', parameters: { ms: number('How long to wait.') } },
      async (call) => {
        await call.pause(Number(call.args.ms));
        return text(`waited ${call.args.ms} ms`);
      },
    ),
    defineTool(
      {
        name: 'nonce',
        description: 'Gives back the value after a delay, to tell apart answers that overtake each other.',
        parameters: { value: string('The value.'), delayMs: { ...number('How long to wait.'), default: 0 } },
        more: READ_ONLY,
      },
      async (call) => {
        await call.pause(Number(call.args.delayMs ?? 0));
        return text(String(call.args.value));
      },
    ),
    defineTool({ name: 'wait_for_cancel', description: 'Never answers; ends when it is cancelled.' }, async (call) => {
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
      return {};
    }),
  ];
}

function awkwardTools(): Tool[] {
  return [
    defineTool(
      { name: 'big', description: 'Answers with a long text.', parameters: { bytes: number('Its length.') } },
      (call) => text('x'.repeat(Number(call.args.bytes))),
    ),
    defineTool({ name: 'odd', description: 'Answers with types and members that nobody knows.' }, () => ({
      content: [
        { type: 'text', text: 'plain', 'x-block': { kept: true }, _meta: { 'example.com/block': 1 } },
        { type: 'hologram', data: 'AAAA', depth: 3 },
      ],
      'x-result': ['kept', null, 1.5],
      _meta: { 'example.com/trace': 'abc' },
    })),
    defineTool(
      {
        name: 'env',
        description: 'Names its environment variables.',
        parameters: { reveal: { ...string('One to give the value of.'), default: '' } },
      },
      (call) => {
        const reveal = call.args.reveal;
        return typeof reveal === 'string' && reveal !== ''
          ? text(process.env[reveal] ?? '')
          : json(Object.keys(process.env).sort());
      },
    ),
    defineTool({ name: 'headers', description: 'Gives the HTTP headers that this call came with.' }, (call) =>
      json(call.headers ?? {}),
    ),
  ];
}
