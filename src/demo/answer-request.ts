/** What a demo server answers to each method of the protocol's legacy era. */

import { isObject } from '../base/json.ts';
import { version } from '../base/version.ts';
import { latestLegacyVersion, legacyVersions } from '../protocol/eras.ts';
import { type Params, type Result, RpcError, type RpcRequest, rpcCodes } from '../protocol/messages.ts';
import type { ToolContext } from './tool.ts';
import type { Prompt, Resources, ToolSet } from './tool-set.ts';

/** A tool set with the name that it is served under. */
export interface Host {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolSet: ToolSet;
}

/** Throws `RpcError` for what the protocol calls an error; a tool that says no is a result. */
export async function answerRequest(host: Host, request: RpcRequest, context: ToolContext): Promise<Result> {
  const params = request.params ?? {};
  const { tools, resources, prompts } = host.toolSet;
  switch (request.method) {
    case 'initialize':
      return initialize(host, params);
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: onePage(tools, params).map((tool) => tool.definition) };
    case 'tools/call':
      return callTool(host.toolSet, params, context);
  }
  if (resources) {
    if (request.method === 'resources/list') return { resources: onePage(resources.list(), params) };
    if (request.method === 'resources/templates/list')
      return { resourceTemplates: onePage(resources.templates, params) };
    if (request.method === 'resources/read') return readResource(resources, params);
  }
  if (prompts) {
    if (request.method === 'prompts/list') {
      return { prompts: onePage(prompts, params).map((prompt) => prompt.definition) };
    }
    if (request.method === 'prompts/get') return getPrompt(prompts, params);
  }
  throw new RpcError(rpcCodes.methodNotFound, `The method "${request.method}" is not known here.`);
}

function initialize({ name, title, description, toolSet }: Host, params: Params): Result {
  const wanted = params.protocolVersion;
  const isSpoken = typeof wanted === 'string' && legacyVersions.includes(wanted);
  return {
    protocolVersion: isSpoken ? wanted : latestLegacyVersion,
    capabilities: {
      tools: {},
      ...(toolSet.resources && { resources: { listChanged: true } }),
      ...(toolSet.prompts && { prompts: {} }),
    },
    serverInfo: { name: `demo-${name}`, title, version },
    instructions: description,
  };
}

/** Every list fits one page, so that a cursor can only be a mistake. */
function onePage<T>(items: readonly T[], params: Params): readonly T[] {
  if (params.cursor === undefined) return items;
  throw new RpcError(rpcCodes.invalidParams, 'There is only one page, so no cursor is valid.');
}

function callTool(toolSet: ToolSet, params: Params, context: ToolContext): Promise<Result> {
  const tool = toolSet.tools.find((one) => one.definition.name === params.name);
  if (!tool) throw new RpcError(rpcCodes.invalidParams, `There is no tool ${JSON.stringify(params.name)}.`);
  return tool.run(argumentsOf(params), context);
}

function readResource(resources: Resources, params: Params): Result {
  if (typeof params.uri !== 'string') throw new RpcError(rpcCodes.invalidParams, 'The uri of the resource is missing.');
  const contents = resources.read(params.uri);
  if (contents) return { contents: [contents] };
  const { uri } = params;
  throw new RpcError(rpcCodes.legacyResourceNotFound, `There is no resource ${JSON.stringify(uri)}.`, { uri });
}

function getPrompt(prompts: readonly Prompt[], params: Params): Result {
  const prompt = prompts.find((one) => one.definition.name === params.name);
  if (!prompt) throw new RpcError(rpcCodes.invalidParams, `There is no prompt ${JSON.stringify(params.name)}.`);
  const text = prompt.write(argumentsOf(params));
  return {
    description: prompt.definition.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function argumentsOf(params: Params): Record<string, unknown> {
  const args = params.arguments ?? {};
  if (isObject(args)) return args;
  throw new RpcError(rpcCodes.invalidParams, 'The arguments must be an object.');
}
