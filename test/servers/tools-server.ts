/** Default tools that change or reveal the server itself: counters, its tool list, its resources, its end. */

import { ToolFailure } from './call.ts';
import { liveResource } from './content.ts';
import { isDict } from './rpc.ts';
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
      description: "Changes the server's lists, above all that of its tools, and tells the clients.",
      parameters: {
        add: named('The name of a tool to add.'),
        remove: named('The name of a tool to remove.'),
        describe: named('The name of a tool to describe anew.'),
        text: { type: 'string', description: 'The new description.', default: '' },
        patch: { type: 'object', description: 'A tool name and definition members to replace.', default: {} },
        prompt: named('The name of a prompt to add.'),
        resource: named('The address of a resource to add.'),
        quiet: { type: 'boolean', description: 'Whether to tell nobody.', default: false },
      },
    },
    (call) => {
      // Clients may fill in the defaults of the schema, so an empty string means the same as none.
      const word = (name: string) => String(call.args[name] ?? '');
      const { patch, quiet } = call.args;
      const [prompt, resource] = [word('prompt'), word('resource')];
      const description = word('text') || 'Changed while running.';
      if (word('add')) addTool(call.server, word('add'), description);
      if (word('remove')) call.server.tools.delete(word('remove'));
      if (word('describe')) patchTool(call.server, word('describe'), { description });
      if (isDict(patch) && patch.name) patchTool(call.server, String(patch.name), patch);
      if (prompt) call.server.prompts.push({ name: prompt });
      if (resource) call.server.resources.set(resource, { uri: resource, name: resource });
      if (quiet !== true) call.server.listChanged(prompt ? 'prompts' : resource ? 'resources' : 'tools');
      return json([...call.server.tools.keys()]);
    },
  );
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
