/** `toolcrib add`: registers a server, connects to it and shows what it offers. */

import { resolve } from 'node:path';
import { GatewayError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { visibleLine } from '../../../base/visible.ts';
import { defineCommand } from '../command.ts';
import { allowEnvFlag } from '../confirm.ts';
import { tellProgress } from '../progress.ts';
import { readTools, toolsFlag } from '../read-settings.ts';
import { renderAdded } from '../render-server.ts';
import { withAdmin } from '../with-admin.ts';

export const add = defineCommand({
  name: 'add',
  isOrder: true,
  summary: 'Add a server, connect to it and print its tools',
  description: `Toolcrib saves the server in the data folder. Values can refer to \${ENV_NAME}, \${ENV_NAME:-default} and \${secret:NAME} (see: toolcrib secret set). A server that is unreachable stays registered, and Toolcrib tries it again.`,
  usage: 'NAME -- COMMAND ARGS… | NAME URL',
  args: {
    name: { summary: 'A name for the server' },
    target: { summary: 'The URL of the server, or after "--" the command that starts it', isVariadic: true },
  },
  flags: {
    env: { value: 'K=V', isRepeatable: true, summary: 'An environment variable of the command' },
    'allow-env': allowEnvFlag,
    cwd: { value: 'DIR', summary: 'The folder in which the command is started; the current one unless given' },
    header: { value: 'K:V', isRepeatable: true, summary: 'A header to send to the URL' },
    sse: { summary: 'The URL speaks the older HTTP+SSE transport' },
    tools: toolsFlag,
    project: { value: 'NAME', isRepeatable: true, summary: 'A project that it belongs to' },
  },
  examples: [
    {
      line: 'add files -- npx -y @modelcontextprotocol/server-filesystem .',
      meaning: 'A server that is started by a command.',
    },
    {
      line: `add linear https://mcp.linear.app/mcp --header 'Authorization: Bearer \${secret:LINEAR_KEY}'`,
      meaning: 'A remote server; set its key first: toolcrib secret set LINEAR_KEY',
    },
  ],
  async run({ args, flags, context }) {
    const own = buildSpec(args.target, flags, context.host.cwd);
    const tools = readTools(flags.tools);
    const spec = {
      ...own,
      ...(flags.project.length > 0 && { projects: [...flags.project] }),
      ...(tools && { tools }),
    };
    const added = await withAdmin(context, ({ admin }) =>
      tellProgress(context.notes, waitingFor(args.name, args.target), () =>
        admin.run('servers.add', { name: args.name, spec, allowEnv: flags['allow-env'] }),
      ),
    );
    return renderAdded(added, context);
  },
});

/** The target of `add` without its arguments, which may hold secrets. */
function waitingFor(name: string, [first = '']: readonly string[]): string {
  const isUrl = /^https?:\/\//i.test(first);
  return visibleLine(`${isUrl ? 'Connecting to' : `Starting ${first} for`} ${name} and waiting for its tools`);
}

interface SpecFlags {
  readonly env: readonly string[];
  readonly cwd: string | undefined;
  readonly header: readonly string[];
  readonly sse: boolean;
}

/** The server as a member of `mcpServers`. Throws USAGE where flags do not fit the kind of server. */
export function buildSpec(target: readonly string[], flags: SpecFlags, cwd: string): JsonObject {
  const [first = '', ...rest] = target;
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0) {
      throw new GatewayError('USAGE', `Unexpected argument after the URL: "${rest[0]}".`, {
        hint: 'Write: toolcrib add NAME URL',
      });
    }
    if (flags.env.length > 0 || flags.cwd !== undefined) {
      throw new GatewayError('USAGE', '--env and --cwd are for servers that are started by a command, not for a URL.', {
        hint: 'To send a key to a URL, use --header K:V.',
      });
    }
    return {
      url: first,
      ...(flags.sse ? { type: 'sse' } : {}),
      ...(flags.header.length > 0 ? { headers: readPairs('--header', flags.header, ':') } : {}),
    };
  }
  // A URL with a slip in it would otherwise be started as a program.
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|www\.|[a-z\d.-]+:\d+(?:\/|$))/i.test(first)) {
    const address = first.replace(/^[^:]*:\/+/, '');
    throw new GatewayError('USAGE', `"${first}" is not the URL of a server: it must begin with http:// or https://.`, {
      hint: `Did you mean "https://${address}" or "http://${address}"?`,
    });
  }
  if (flags.header.length > 0 || flags.sse) {
    throw new GatewayError('USAGE', '--header and --sse are for a URL, not for a command.', {
      hint: 'A URL begins with http:// or https://.',
    });
  }
  return {
    // The gateway may run in another folder.
    command: /^\.{1,2}[\\/]/.test(first) ? resolve(cwd, first) : first,
    args: rest,
    ...(flags.env.length > 0 ? { env: readPairs('--env', flags.env, '=') } : {}),
    // Paths in the arguments mean what they mean where they are typed.
    cwd: resolve(cwd, flags.cwd ?? '.'),
  };
}

function readPairs(flag: string, pairs: readonly string[], sign: string): JsonObject {
  const values: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf(sign);
    // The pair itself is not repeated: its value may be a secret.
    if (at <= 0) {
      throw new GatewayError('USAGE', `${flag} takes a name and a value with "${sign}" between them.`, {
        hint: `For example: ${flag} ${sign === '=' ? 'KEY=value' : `'Accept: text/plain'`}`,
      });
    }
    const value = pair.slice(at + 1);
    values[pair.slice(0, at).trim()] = sign === ':' ? value.trim() : value;
  }
  return values;
}
