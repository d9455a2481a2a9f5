/** The JSON that describes one test server: its shape, its defaults, and a check that refuses misspelt keys. */

import type { Dict } from './rpc.ts';

export type Transport = 'stdio' | 'http' | 'sse';
export type Era = 'legacy' | 'modern';

/** A tool as it is listed, plus how it behaves: `runAs` names a default or rare tool, `respond` is returned word for word. */
export interface ToolSpec {
  readonly name: string;
  readonly respond?: Dict;
  readonly runAs?: string;
  readonly [member: string]: unknown;
}

/** A resource as it is listed, plus what reading it gives. */
export interface ResourceSpec {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** A template with one `{variable}`; `text` may use that variable too, and `values` are its completions. */
export interface TemplateSpec {
  readonly uriTemplate: string;
  readonly name: string;
  readonly text?: string;
  readonly values?: readonly string[];
}

/** A prompt as it is listed; `text` may use `{argument}`, and `values` on an argument are its completions. */
export interface PromptSpec {
  readonly name: string;
  readonly description?: string;
  readonly text?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly values?: readonly string[];
  }[];
}

export const JUNK_KINDS = ['banner', 'npm', 'json', 'binary', 'utf8', 'bom', 'crlf', 'long'] as const;
export type JunkKind = (typeof JUNK_KINDS)[number];

/** One step of an HTTP status script; status 200 lets the request through and counts it. */
export interface StatusStep {
  readonly status: number;
  /** How many requests this step answers; 1 by default. */
  readonly times?: number | 'always';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Only requests whose JSON-RPC method is this one; others pass without counting. */
  readonly rpc?: string;
}

/** Ways to misbehave, freely combined. A number where a boolean is allowed means: only after that many went well. */
export interface Modes {
  readonly startDelayMs?: number;
  /** The exit code of a server that never opens. */
  readonly exitAtStart?: number;
  readonly crashAfterMs?: number;
  readonly hangAtInitialize?: boolean;
  /** A legacy server hangs at the probe too. */
  readonly hangAtDiscover?: boolean;
  /** The version to claim instead of the one agreed on; `true` is one that never existed. */
  readonly noInitializeResponseVersion?: boolean | string;
  readonly hangAtList?: boolean | number;
  readonly failList?: boolean | number;
  /** Every resources/list fails; tools are listed. */
  readonly failResources?: boolean;
  readonly emptyListAfter?: number;
  /** Every page brings new tools and a new cursor. */
  readonly endlessPages?: boolean;
  /** The cursor of the second page is empty. */
  readonly emptyCursor?: boolean;
  /** Every page is the same and so is its cursor. */
  readonly repeatedCursor?: boolean;
  /** Starts with the first client that can hear it; `changing` makes every notification true. */
  readonly listChangedStorm?: { readonly count: number; readonly overMs: number; readonly changing?: boolean };
  /** Every tools/list sends list_changed before it answers. */
  readonly listChangedOnList?: boolean;
  /** The tool runs, then the process ends instead of answering. */
  readonly crashMidCall?: boolean | number;
  readonly halfJsonThenExit?: boolean | number;
  /** This many bytes of text on top of every tool result. */
  readonly hugeResult?: number;
  readonly oddMessages?: boolean;
  /** One more tool is listed whose schema is nested so deep. */
  readonly deepSchema?: number;
  /** Every call is answered twice. */
  readonly doubleReply?: boolean;
  /** A call that was cancelled is answered all the same. */
  readonly answerCancelled?: boolean;
  /** Everything that comes in is journalled word for word. */
  readonly journalRaw?: boolean;
  /** All kinds of litter, or those named; `bom` alone stands right before the first message. */
  readonly junkStdout?: boolean | readonly JunkKind[];
  /** 3 bytes at a time by default; without a delay a slow reader may still see several slices at once. */
  readonly splitWrites?: boolean | { readonly bytes?: number; readonly delayMs?: number };
  readonly twoMessagesPerWrite?: boolean;
  /** One line holds the value of this environment variable, `TEST_SECRET` by default. */
  readonly stderrNoise?: boolean | { readonly secretEnv?: string };
  readonly ignoreSigterm?: boolean;
  readonly ignoreStdinEnd?: boolean;
  readonly forkGrandchild?: 'same-group' | 'own-group';
  /** The grandchild inherits stdout and stderr, so that they stay open after the server's death. */
  readonly grandchildHoldsPipes?: boolean;
  readonly httpStatus?: readonly StatusStep[];
  /** The tool runs, then the stream ends without its answer: for the first `count` calls, or all. */
  readonly closeStreamEarly?: boolean | { readonly count?: number; readonly how?: 'end' | 'destroy' | 'mid-event' };
  /** All sessions are forgotten once, after this many messages. */
  readonly sessionLossAfter?: number;
}

export interface ServerSpec {
  readonly name?: string;
  /** The name that it gives itself; without it, a test server of its name. */
  readonly title?: string;
  /** Its own version; 1.0.0 by default. */
  readonly version?: string;
  readonly transport?: Transport;
  readonly port?: number;
  readonly era?: Era | 'dual';
  /** The only version of its era that the server speaks; without it, every known one. */
  readonly protocolVersion?: string;
  readonly instructions?: string;
  readonly tools?: 'default' | readonly ToolSpec[];
  /** This many generated tools; alone they replace the default ones. */
  readonly toolCount?: number;
  readonly resources?: 'default' | readonly ResourceSpec[];
  readonly templates?: 'default' | readonly TemplateSpec[];
  readonly prompts?: 'default' | readonly PromptSpec[];
  readonly pageSize?: number;
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
  /** HTTP answers: a JSON object where nothing else has to be said (`auto`), or always an event stream. */
  readonly responses?: 'auto' | 'sse';
  /** HTTP: the bearer token without which every request gets 401. */
  readonly bearer?: string;
  readonly modes?: Modes;
  readonly journal?: string;
}

/** A spec with its defaults filled in. */
export interface Settings extends ServerSpec {
  readonly name: string;
  readonly transport: Transport;
  readonly port: number;
  readonly era: Era | 'dual';
  readonly tools: 'default' | readonly ToolSpec[];
  readonly toolCount: number;
  readonly resources: 'default' | readonly ResourceSpec[];
  readonly templates: 'default' | readonly TemplateSpec[];
  readonly prompts: 'default' | readonly PromptSpec[];
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
  readonly responses: 'auto' | 'sse';
  readonly modes: Modes;
}

const KEYS = [
  ...[
    'name',
    'version',
    'transport',
    'port',
    'era',
    'protocolVersion',
    'instructions',
    'tools',
    'toolCount',
    'resources',
  ],
  ...['templates', 'prompts', 'pageSize', 'ttlMs', 'cacheScope', 'responses', 'bearer', 'modes', 'journal', 'title'],
];

const ALL: readonly Transport[] = ['stdio', 'http', 'sse'];
const STDIO: readonly Transport[] = ['stdio'];

/** Every mode with the transports it has a meaning on; the type keeps this list complete. */
const MODE_TRANSPORTS: Readonly<Record<keyof Modes, readonly Transport[]>> = {
  startDelayMs: ALL,
  exitAtStart: ALL,
  crashAfterMs: ALL,
  hangAtInitialize: ALL,
  hangAtDiscover: ['stdio', 'http'],
  noInitializeResponseVersion: ALL,
  hangAtList: ALL,
  failList: ALL,
  failResources: ALL,
  emptyListAfter: ALL,
  endlessPages: ALL,
  emptyCursor: ALL,
  repeatedCursor: ALL,
  listChangedStorm: ALL,
  listChangedOnList: ALL,
  crashMidCall: ALL,
  halfJsonThenExit: STDIO,
  hugeResult: ALL,
  oddMessages: ALL,
  deepSchema: ALL,
  doubleReply: STDIO,
  answerCancelled: STDIO,
  journalRaw: ['stdio', 'http'],
  junkStdout: STDIO,
  splitWrites: STDIO,
  twoMessagesPerWrite: STDIO,
  stderrNoise: ALL,
  ignoreSigterm: ALL,
  ignoreStdinEnd: ALL,
  forkGrandchild: ALL,
  grandchildHoldsPipes: ALL,
  httpStatus: ['http', 'sse'],
  closeStreamEarly: ['http', 'sse'],
  sessionLossAfter: ['http'],
};

/**
 * Fills in defaults. Throws on an unknown key or on a mode that means nothing on this transport: a fault that
 * silently does not happen would make a test pass for the wrong reason.
 */
export function parseSpec(spec: ServerSpec): Settings {
  for (const key of Object.keys(spec)) {
    if (!KEYS.includes(key)) throw new Error(`Unknown key "${key}" in the test server's JSON.`);
  }
  const transport = spec.transport ?? 'stdio';
  const modes = spec.modes ?? {};
  for (const mode of Object.keys(modes)) {
    const transports = Object.hasOwn(MODE_TRANSPORTS, mode) ? MODE_TRANSPORTS[mode as keyof Modes] : undefined;
    if (transports === undefined) throw new Error(`Unknown mode "${mode}" in the test server's JSON.`);
    if (!transports.includes(transport)) throw new Error(`Mode "${mode}" means nothing over ${transport}.`);
  }
  const era = spec.era ?? 'legacy';
  if (transport === 'sse' && era !== 'legacy') throw new Error('The HTTP+SSE transport exists in the legacy era only.');
  return {
    ...spec,
    name: spec.name ?? 'test-server',
    transport,
    port: spec.port ?? 0,
    era,
    tools: spec.tools ?? (spec.toolCount === undefined ? 'default' : []),
    toolCount: spec.toolCount ?? 0,
    resources: spec.resources ?? 'default',
    templates: spec.templates ?? 'default',
    prompts: spec.prompts ?? 'default',
    ttlMs: spec.ttlMs ?? 0,
    cacheScope: spec.cacheScope ?? 'private',
    responses: spec.responses ?? 'auto',
    modes,
  };
}

/** True if a fault strikes now: always when `true`, after `done` successes when a number, never when absent. */
export function strikes(mode: boolean | number | undefined, done: number): boolean {
  return mode === true || (typeof mode === 'number' && done >= mode);
}
