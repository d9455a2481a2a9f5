/** Default tools that change or reveal the server itself: counters, its tool list, its resources, its end. */

import { ToolFailure } from './call.ts';
import { liveResource } from './content.ts';
import { type Dict, isDict } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import { defineTool, json, READ_ONLY, type Tool, text } from './tool.ts';

export function serverTools(): Tool[] {
  return [...countingTools(), mutateTool(), touchTool(), whoamiTool(), crashTool()];
}

function countingTools(): Tool[] {
  return [
    defineTool(
      {
        name: 'count',
        description: 'Counts its calls: a side effect.',
        more: { annotations: { idempotentHint: false } },
      },
      (call) => text(String(++call.server.counter)),
    ),
    defineTool({ name: 'read_count', description: 'Says how often `count` ran.', more: READ_ONLY }, (call) =>
      text(String(call.server.counter)),
    ),
  ];
}

function whoamiTool(): Tool {
  return defineTool({ name: 'whoami', description: 'Names the server and its process.', more: READ_ONLY }, (call) =>
    json({ name: call.server.settings.name, pid: process.pid }),
  );
}

function crashTool(): Tool {
  return defineTool({ name: 'crash', description: 'Ends the process without an answer.' }, (call) =>
    call.server.crash('the crash tool was called'),
  );
}

function touchTool(): Tool {
  return defineTool({ name: 'touch', description: 'Changes the live resource and tells its subscribers.' }, (call) => {
    const { resources, settings } = call.server;
    const uri = liveResource(settings.name);
    const resource = resources.get(uri);
    if (resource === undefined) throw new ToolFailure('This server has no live resource.');
    const revision = Number(resource.text?.split(' ')[1]) + 1;
    resources.set(uri, { ...resource, text: `revision ${revision}` });
    call.server.resourceUpdated(uri);
    return text(`revision ${revision}`);
  });
}

function mutateTool(): Tool {
  const named = (description: string) => ({ type: 'string', description, default: '' });
  return defineTool(
    {
      name: 'mutate',
      description: 'Adds, removes or changes tools of this server; clients are notified.',
      parameters: {
        add: named('The name of a tool to add.'),
        remove: named('The name of a tool to remove.'),
        describe: named('The name of a tool to describe anew.'),
        text: { type: 'string', description: 'The new description.', default: '' },
        patch: { type: 'object', description: 'A tool name and definition members to replace.', default: {} },
        prompt: named('The name of a prompt to add.'),
        patchPrompt: { type: 'object', description: 'A prompt name and members to replace.', default: {} },
        patchResource: { type: 'object', description: 'A resource address and members to replace.', default: {} },
        resource: named('The address of a resource to add.'),
        quiet: { type: 'boolean', description: 'Whether list_changed is left out.', default: false },
      },
    },
    (call) => {
      // Clients may fill in the defaults of the schema, so an empty string means the same as none.
      const word = (name: string) => String(call.args[name] ?? '');
      const { patch, patchPrompt, patchResource, quiet } = call.args;
      const [prompt, resource] = [word('prompt'), word('resource')];
      const description = word('text') || 'Changed while running.';
      if (word('add')) addTool(call.server, word('add'), description);
      if (word('remove')) call.server.tools.delete(word('remove'));
      if (word('describe')) patchTool(call.server, word('describe'), { description });
      if (isDict(patch) && patch.name) patchTool(call.server, String(patch.name), patch);
      if (prompt) call.server.prompts.push({ name: prompt });
      if (resource) call.server.resources.set(resource, { uri: resource, name: resource });
      if (isDict(patchPrompt) && patchPrompt.name) changePrompt(call.server, patchPrompt);
      if (isDict(patchResource) && patchResource.uri) changeResource(call.server, patchResource);
      if (quiet !== true) call.server.listChanged(kindOfChange(call.args));
      return json([...call.server.tools.keys()]);
    },
  );
}

function kindOfChange({ prompt, patchPrompt, resource, patchResource }: Dict): 'tools' | 'prompts' | 'resources' {
  const isGiven = (value: unknown) => (isDict(value) ? Object.keys(value).length > 0 : Boolean(value));
  if (isGiven(prompt) || isGiven(patchPrompt)) return 'prompts';
  return isGiven(resource) || isGiven(patchResource) ? 'resources' : 'tools';
}

function changePrompt(server: ServerState, members: Dict): void {
  const at = server.prompts.findIndex(({ name }) => name === members.name);
  const prompt = server.prompts[at];
  if (prompt === undefined) throw new ToolFailure(`There is no prompt "${String(members.name)}".`);
  server.prompts[at] = { ...prompt, ...members };
}

function changeResource(server: ServerState, members: Dict): void {
  const uri = String(members.uri);
  const resource = server.resources.get(uri);
  if (resource === undefined) throw new ToolFailure(`There is no resource "${uri}".`);
  server.resources.set(uri, { ...resource, ...members });
}

function addTool(server: ServerState, name: string, description: string): void {
  server.tools.set(
    name,
    defineTool({ name, description }, () => text(`${name} ran`)),
  );
}

function patchTool(server: ServerState, name: string, members: Readonly<Record<string, unknown>>): void {
  const tool = server.tools.get(name);
  if (tool === undefined) throw new ToolFailure(`There is no tool "${name}".`);
  server.tools.set(name, { ...tool, definition: { ...tool.definition, ...members, name } });
}
