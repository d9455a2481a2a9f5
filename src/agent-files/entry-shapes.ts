/** The form of an entry in the files of each agent, both ways: read as our settings of a server, and written for the gateway. */

import { isObject, type JsonObject } from '../base/json.ts';

/** An entry in the form of a member of `mcpServers`. */
export interface ReadEntry {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why the server can't run here. */
  readonly reason?: string | undefined;
  /** A file with more variables. */
  readonly envFile?: unknown;
  /** Parts that are left out, as full sentences. */
  readonly notes?: readonly string[] | undefined;
}

/** How an agent reaches the gateway. */
export type WayIn =
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

type Entry = Readonly<Record<string, unknown>>;

export interface EntryShape {
  /** The members that `read` looks at. */
  readonly members: readonly string[];
  /** References in the entry are in our form already. undefined: it is no server. */
  read(entry: Entry): ReadEntry | undefined;
  /** null: the agent can't use this way. */
  write(way: WayIn, name: string): JsonObject | null;
}

interface StandardOptions {
  /** How the agent writes the type of a streamable HTTP server; left out: it writes none. */
  readonly httpType?: string;
  /** Where it writes the address of one. */
  readonly urlKey?: 'url' | 'httpUrl' | 'serverUrl';
  /** A "url" without a type is an HTTP+SSE server. */
  readonly isUrlSse?: boolean;
  readonly canReachUrl?: boolean;
}

const httpTypes: readonly unknown[] = ['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote'];

/** The form that most agents share. */
export function standardEntry(options: StandardOptions): EntryShape {
  const { httpType, urlKey = 'url', isUrlSse = false, canReachUrl = true } = options;
  const kept = 'command args env cwd headers oauth description includeTools excludeTools disabledTools'.split(' ');
  return {
    members: [
      ...kept,
      ...'url httpUrl serverUrl type transport transportType disabled enabled envFile headersHelper'.split(' '),
    ],
    read(entry) {
      const url = entry.url ?? entry.httpUrl ?? entry.serverUrl;
      const type = entry.type ?? entry.transport ?? entry.transportType;
      const isSse = type === 'sse' || (isUrlSse && type === undefined && entry.url !== undefined);
      const isKnown = [undefined, 'stdio', 'sse', ...httpTypes].includes(type);
      return {
        settings: {
          ...pick(entry, kept),
          ...(url !== undefined && { url }),
          ...(url !== undefined && (isSse || httpTypes.includes(type)) && { type: isSse ? 'sse' : 'http' }),
          ...offIf(entry.disabled === true || entry.enabled === false),
        },
        reason: isKnown ? undefined : `its transport ${JSON.stringify(type)} is unknown here`,
        envFile: entry.envFile,
        notes: entry.headersHelper === undefined ? [] : ['Its "headersHelper" program is not run.'],
      };
    },
    write(way) {
      if (way.kind === 'stdio') return stdioEntry(way);
      if (!canReachUrl) return null;
      return { ...(httpType !== undefined && { type: httpType }), [urlKey]: way.url, headers: way.headers };
    },
  };
}

/** `mcp_servers` of Codex: references are names of variables in members of their own. */
export const codexEntry: EntryShape = {
  members: `command args env env_vars cwd url bearer_token_env_var http_headers env_http_headers enabled enabled_tools
    disabled_tools tool_timeout_sec`.split(/\s+/),
  read(entry) {
    const forwarded = Array.isArray(entry.env_vars) ? entry.env_vars : [];
    const names = forwarded
      .map((item) => (isObject(item) ? item.name : item))
      .filter((name) => typeof name === 'string');
    const env = { ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])), ...tableOf(entry.env) };
    const bearer = entry.bearer_token_env_var;
    const headers = {
      ...tableOf(entry.http_headers),
      ...Object.fromEntries(Object.entries(tableOf(entry.env_http_headers)).map(([key, name]) => [key, `\${${name}}`])),
      ...(typeof bearer === 'string' && { Authorization: `Bearer \${${bearer}}` }),
    };
    const seconds = entry.tool_timeout_sec;
    return {
      settings: {
        ...pick(entry, ['command', 'args', 'cwd', 'url']),
        ...unlessEmpty('env', env),
        ...unlessEmpty('headers', headers),
        ...(entry.enabled_tools !== undefined && { tools: entry.enabled_tools }),
        ...(entry.disabled_tools !== undefined && { disabledTools: entry.disabled_tools }),
        ...(typeof seconds === 'number' && { timeoutMs: Math.round(seconds * 1_000) }),
        ...offIf(entry.enabled === false),
      },
    };
  },
  write: (way) => (way.kind === 'stdio' ? stdioEntry(way) : { url: way.url, http_headers: way.headers }),
};

/** `context_servers` of Zed; an older form has the whole command in one object. */
export const zedEntry: EntryShape = {
  members: ['command', 'args', 'env', 'url', 'headers', 'enabled', 'source', 'settings'],
  read(entry) {
    const older = isObject(entry.command) ? entry.command : undefined;
    const command = older === undefined ? pick(entry, ['command', 'args', 'env']) : pick(older, ['args', 'env']);
    const settings = {
      ...command,
      ...(older !== undefined && { command: older.path }),
      ...pick(entry, ['url', 'headers']),
      ...offIf(entry.enabled === false),
    };
    const isOfExtension = entry.source === 'extension' || (entry.settings !== undefined && entry.url === undefined);
    const isBare = entry.command === undefined && entry.url === undefined;
    return isOfExtension && isBare ? { settings, reason: 'an extension of Zed starts it' } : { settings };
  },
  write: (way) => (way.kind === 'stdio' ? stdioEntry(way) : { url: way.url, headers: way.headers }),
};

/** One item of the list `mcpServers` of Continue. */
export const continueEntry: EntryShape = {
  members: ['command', 'args', 'env', 'cwd', 'url', 'type', 'requestOptions'],
  read(entry) {
    const { headers } = tableOf(entry.requestOptions);
    return {
      settings: {
        ...pick(entry, ['command', 'args', 'env', 'cwd', 'url']),
        ...(entry.type === 'sse' && { type: 'sse' }),
        ...(headers !== undefined && { headers }),
      },
    };
  },
  write: (way, name) =>
    way.kind === 'stdio'
      ? { name, ...stdioEntry(way) }
      : { name, type: 'streamable-http', url: way.url, requestOptions: { headers: way.headers } },
};

/** One of the `extensions` of Goose. Those that are part of Goose itself are no servers. */
export const gooseEntry: EntryShape = {
  members: 'type cmd args envs env_keys uri headers enabled available_tools timeout description'.split(' '),
  read(entry) {
    const { type } = entry;
    if (type !== 'stdio' && type !== 'sse' && type !== 'streamable_http') return undefined;
    const keys = Array.isArray(entry.env_keys) ? entry.env_keys.filter((key) => typeof key === 'string') : [];
    // It keeps their values in the keyring of the system.
    const kept = Object.fromEntries(keys.map((key) => [key, `\${secret:${key}}`]));
    const tools =
      Array.isArray(entry.available_tools) && entry.available_tools.length > 0 ? entry.available_tools : null;
    return {
      settings: {
        ...(type === 'stdio'
          ? { command: entry.cmd, ...pick(entry, ['args']), ...unlessEmpty('env', { ...kept, ...tableOf(entry.envs) }) }
          : { url: entry.uri, ...pick(entry, ['headers']), ...(type === 'sse' && { type }) }),
        ...pick(entry, ['description']),
        ...(tools !== null && { tools }),
        ...(typeof entry.timeout === 'number' && { timeoutMs: entry.timeout * 1_000 }),
        ...offIf(entry.enabled === false),
      },
    };
  },
  write(way, name) {
    const shared = { name, description: 'All tools of this machine', enabled: true, timeout: 300 };
    return way.kind === 'stdio'
      ? { ...shared, type: 'stdio', cmd: way.command, args: way.args, envs: way.env }
      : { ...shared, type: 'streamable_http', uri: way.url, headers: way.headers };
  },
};

/** `mcp` of opencode: a command is one list. */
export const openCodeEntry: EntryShape = {
  members: ['type', 'command', 'environment', 'cwd', 'url', 'headers', 'oauth', 'enabled', 'disabled'],
  read(entry) {
    const isOff = offIf(entry.enabled === false || entry.disabled === true);
    if (entry.type === 'remote') return { settings: { ...pick(entry, ['url', 'headers', 'oauth']), ...isOff } };
    if (entry.type !== 'local') return undefined;
    const [command, ...args] = Array.isArray(entry.command) ? entry.command : [entry.command];
    return {
      settings: { command, args, ...pick(entry, ['cwd']), ...unlessEmpty('env', tableOf(entry.environment)), ...isOff },
    };
  },
  write: (way) =>
    way.kind === 'stdio'
      ? { type: 'local', command: [way.command, ...way.args], ...unlessEmpty('environment', way.env) }
      : { type: 'remote', url: way.url, headers: way.headers },
};

function stdioEntry({ command, args, env }: Extract<WayIn, { kind: 'stdio' }>): JsonObject {
  return { command, args, ...unlessEmpty('env', env) };
}

/** The members that are there; null is how some agents write that there is none. */
function pick(entry: Entry, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (entry[key] == null ? [] : [[key, entry[key]]])));
}

function offIf(isOff: boolean): { enabled?: false } {
  return isOff ? { enabled: false } : {};
}

function tableOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function unlessEmpty<V>(key: string, table: Readonly<Record<string, V>>): Record<string, Readonly<Record<string, V>>> {
  return Object.keys(table).length === 0 ? {} : { [key]: table };
}
