/** The tools a server offers: the default set, and those its JSON defines. */

import type { ToolSpec } from './spec.ts';
import { pretend, type Tool } from './tool.ts';
import { clientTools } from './tools-client.ts';
import { largeTools } from './tools-large.ts';
import { plainTools } from './tools-plain.ts';
import { rareTools } from './tools-rare.ts';
import { rawTools } from './tools-raw.ts';
import { serverTools } from './tools-server.ts';

export type { Tool } from './tool.ts';

export function defaultTools(): Tool[] {
  return [...plainTools(), ...clientTools(), ...serverTools()];
}

/** A tool from the JSON: as another one runs, with a fixed answer, or answering what it was asked. */
export function toolFromSpec(spec: ToolSpec): Tool {
  const { respond, runAs, ...rest } = spec;
  const definition = { ...rest, name: spec.name, inputSchema: spec.inputSchema ?? { type: 'object' } };
  if (respond !== undefined) return { definition, run: () => respond };
  const models = [...defaultTools(), ...rareTools(), ...largeTools(), ...rawTools()];
  const model = models.find((tool) => tool.definition.name === (runAs ?? spec.name));
  if (runAs !== undefined && model === undefined) throw new Error(`There is no tool "${runAs}" to run as.`);
  return { definition, run: model?.run ?? ((call) => pretend(call.server.settings.name, definition, call.args)) };
}
