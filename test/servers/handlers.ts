/** The requests that mean the same in both eras: lists, reading, prompts, completion and tool calls. */

import { type Call, ToolFailure, UNANSWERED } from './call.ts';
import { fill, matchTemplate } from './content.ts';
import { madeTools } from './made-tools.ts';
import { CODES, type Dict, isDict, RpcFailure, rawResult } from './rpc.ts';
import { type PromptSpec, type ResourceSpec, strikes, type TemplateSpec } from './spec.ts';
import { argumentTrouble, text } from './tool.ts';

/** Answers one request: with a result, by throwing, or not at all. */
export type Method = (call: Call) => Dict | typeof UNANSWERED | Promise<Dict | typeof UNANSWERED>;

export const sharedMethods: Readonly<Record<string, Method>> = {
  'tools/list': listTools,
  'tools/call': callTool,
  'resources/list': listResources,
  'resources/templates/list': (call) => page(call, 'resourceTemplates', call.server.templates.map(listedTemplate)),
  'resources/read': readResource,
  'prompts/list': (call) => page(call, 'prompts', call.server.prompts.map(listedPrompt)),
  'prompts/get': getPrompt,
  'completion/complete': complete,
};

async function listTools(call: Call): Promise<Dict | typeof UNANSWERED> {
  const { server } = call;
  await server.listsAfter;
  const { modes, name } = server.settings;
  const cursor = call.params.cursor;
  if (strikes(modes.hangAtList, server.listsServed)) return UNANSWERED;
  if (strikes(modes.failList, server.listsServed)) throw new RpcFailure(CODES.internal, 'The tool list is broken.');
  const isEmpty = strikes(modes.emptyListAfter, server.listsServed);
  if (cursor === undefined) server.listsServed += 1;
  if (modes.listChangedOnList === true) server.listChanged('tools');
  if (isEmpty) return { tools: [] };
  if (modes.endlessPages === true) {
    const size = server.settings.pageSize ?? 10;
    const turn = cursor === undefined ? 0 : Number(String(cursor).split('-')[1]);
    const tools = madeTools(name, size, turn * size).map((tool) => tool.definition);
    return { tools, nextCursor: `page-${turn + 1}` };
  }
  const definitions = [...server.tools.values()].map((tool) => tool.definition);
  if (modes.deepSchema !== undefined) return withDeepSchema(definitions, modes.deepSchema);
  if (modes.repeatedCursor === true) return { tools: definitions, nextCursor: 'again' };
  return page(call, 'tools', definitions);
}

function listResources(call: Call): Dict {
  const { modes } = call.server.settings;
  if (modes.failResources === true) throw new RpcFailure(CODES.internal, 'The database is down.');
  return page(call, 'resources', [...call.server.resources.values()].map(listedResource));
}

/** Deeper than JSON can be written from a value. */
function withDeepSchema(definitions: readonly unknown[], levels: number): Dict {
  const schema = `{"type":"object"${',"properties":{"value":{"type":"object"'.repeat(levels)}${'}}'.repeat(levels)}}`;
  const tools = [...definitions.map((one) => JSON.stringify(one)), `{"name":"deep","inputSchema":${schema}}`];
  return rawResult(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[${tools.join(',')}]}`);
}

async function callTool(call: Call): Promise<Dict | typeof UNANSWERED> {
  const { server, args } = call;
  const name = String(call.params.name);
  const tool = server.tools.get(name);
  if (tool === undefined) throw new RpcFailure(CODES.invalidParams, `Unknown tool: ${name}`);
  const trouble = argumentTrouble(tool.definition, args);
  if (trouble !== undefined) return { ...text(trouble), isError: true };
  server.journal.write('tool', { name, arguments: args, id: call.id });
  try {
    const result = await tool.run(call);
    server.journal.write('tool-done', { name, id: call.id, wasCancelled: call.signal.aborted });
    if (result === UNANSWERED) return UNANSWERED;
    return server.settings.modes.hugeResult === undefined ? result : swollen(result, server.settings.modes.hugeResult);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ...text(error.message), isError: true };
  }
}

function swollen(result: Dict, bytes: number): Dict {
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content: [...content, { type: 'text', text: 'x'.repeat(bytes) }] };
}

/** One page of a list, in the list's own order; the cursor is the offset, disguised. */
function page(call: Call, member: string, items: readonly unknown[]): Dict {
  const { cursor } = call.params;
  const size = call.server.settings.pageSize ?? Math.max(items.length, 1);
  const isSecond = cursor === '' && call.server.settings.modes.emptyCursor === true;
  const offset = () => Number(Buffer.from(String(cursor), 'base64').toString());
  const start = cursor === undefined ? 0 : isSecond ? size : offset();
  if (!Number.isInteger(start) || start < 0 || start > items.length) {
    throw new RpcFailure(CODES.invalidParams, 'Invalid cursor.');
  }
  const end = start + size;
  const slice = { [member]: items.slice(start, end) };
  const hasEmpty = start === 0 && call.server.settings.modes.emptyCursor === true;
  const nextCursor = hasEmpty ? '' : Buffer.from(String(end)).toString('base64');
  return end < items.length ? { ...slice, nextCursor } : slice;
}

function readResource(call: Call): Dict {
  const uri = String(call.params.uri);
  const resource = call.server.resources.get(uri);
  if (resource !== undefined) {
    const { mimeType = 'text/plain', blob, text: body = '' } = resource;
    return { contents: [blob === undefined ? { uri, mimeType, text: body } : { uri, mimeType, blob }] };
  }
  for (const template of call.server.templates) {
    const values = matchTemplate(template, uri);
    if (values === undefined) continue;
    return { contents: [{ uri, mimeType: 'text/plain', text: fill(template.text ?? template.uriTemplate, values) }] };
  }
  const code = call.isModern ? CODES.invalidParams : CODES.legacyResourceNotFound;
  throw new RpcFailure(code, `Resource not found: ${uri}`, { data: { uri } });
}

function getPrompt(call: Call): Dict {
  const prompt = call.server.prompts.find(({ name }) => name === call.params.name);
  if (prompt === undefined) throw new RpcFailure(CODES.invalidParams, `Unknown prompt: ${call.params.name}`);
  const { args } = call;
  const missing = prompt.arguments?.find(({ name, required }) => required === true && !Object.hasOwn(args, name));
  if (missing !== undefined) throw new RpcFailure(CODES.invalidParams, `The argument "${missing.name}" is missing.`);
  const content = { type: 'text', text: fill(prompt.text ?? prompt.name, args) };
  return { description: prompt.description ?? prompt.name, messages: [{ role: 'user', content }] };
}

function complete(call: Call): Dict {
  const { ref, argument } = call.params;
  if (!isDict(ref) || !isDict(argument)) throw new RpcFailure(CODES.invalidParams, 'Give a ref and an argument.');
  const prompt = call.server.prompts.find(({ name }) => name === ref.name);
  const template = call.server.templates.find(({ uriTemplate }) => uriTemplate === ref.uri);
  const known = prompt?.arguments?.find(({ name }) => name === argument.name)?.values ?? template?.values ?? [];
  const values = known.filter((value) => value.startsWith(String(argument.value)));
  return { completion: { values, total: values.length, hasMore: false } };
}

function listedResource({ uri, name, description, mimeType }: ResourceSpec): Dict {
  return { uri, name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

function listedTemplate({ uriTemplate, name }: TemplateSpec): Dict {
  return { uriTemplate, name };
}

function listedPrompt(prompt: PromptSpec): Dict {
  const listed = prompt.arguments?.map(({ values: _values, ...argument }) => argument);
  const { name, description } = prompt;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(listed !== undefined && { arguments: listed }),
  };
}
