/** One member of `mcpServers`: the gateway's own keys, and those that other agents write into the same form. */

import { z } from 'zod';
import {
  choiceSchema,
  flag,
  listSchema,
  mapSchema,
  milliseconds,
  prose,
  section,
  wholeNumber,
  word,
} from './schema-parts.ts';

export const permissions = ['allow', 'ask', 'deny'] as const;
export type Permission = (typeof permissions)[number];

/** The policies for risky changes of definitions: they wait, pass with a mark, or pass. */
export const upgradePolicies = ['hold', 'mark', 'allow'] as const;
export type UpgradePolicy = (typeof upgradePolicies)[number];

/** The categories of tools; the search finds out which one fits. */
export const categoryNames = [
  'file_operations',
  'git',
  'github',
  'messaging',
  'calendar',
  'email',
  'database',
  'api',
  'shell',
  'search',
  'auth',
  'notification',
  'browser',
  'documents',
  'ai',
  'monitoring',
  'cloud',
  'payments',
  'crm',
  'media',
  'other',
] as const;
export type CategoryName = (typeof categoryNames)[number];

/** Every spelling of a transport that agents use, and what it means. */
export const transportKinds = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  'http-stream': 'http',
  remote: 'http',
  sse: 'sse',
} as const;

type Spelling = keyof typeof transportKinds;
// Object.keys loses the key type of an object literal.
const spellings = Object.keys(transportKinds) as [Spelling, ...Spelling[]];

const transportType = () => choiceSchema(spellings, ['stdio', 'http', 'streamable-http', 'sse']).optional();
const text = () => z.string({ error: 'a string' });
const toolNames = () => listSchema(word('the name of a tool', 256), 'a list of tool names');
/** Agents differ in whether numbers and truth values may stand in an environment; a program sees text either way. */
const envValue = z.union([text(), z.number(), z.boolean()], { error: 'a string' });

/** The members of a server's `oauth` that mean something here, and what each means; `build-transport.ts` checks them. */
export const oauthMembers = {
  clientId: 'The client that was registered for Toolcrib, where it cannot register itself.',
  clientSecret: 'Its secret, best as a reference to a variable.',
  scopes: 'The scopes to ask for, instead of those the server names.',
  scope: 'The same as "scopes".',
  issuer: 'The authorization server that the client is registered with: it is used nowhere else.',
} as const;

/** Open, because other agents write members of their own into it. */
const oauth = z.looseObject(
  Object.fromEntries(
    Object.entries(oauthMembers).map(([key, description]) => [key, z.unknown().optional().describe(description)]),
  ),
);

/**
 * Only shapes are checked here. What a string must hold is checked where the transport is built, which can tell a mistake
 * of the file from a variable that the environment lacks.
 */
const ownShape = {
  command: text().optional().describe('The program to start.'),
  args: listSchema(text(), 'a list of strings').optional().describe('Its arguments.'),
  env: mapSchema(envValue, 'an object of strings').optional().describe('Its environment variables.'),
  cwd: text()
    .optional()
    .describe('The folder it runs in, relative to this file; the folder of this file unless given.'),
  url: text().optional().describe('The address of a remote server.'),
  headers: mapSchema(text(), 'an object of strings')
    .optional()
    .describe('HTTP headers that are sent with each request.'),
  oauth: z
    .union([flag(), oauth], { error: 'an object with "clientId" and the like, or false' })
    .optional()
    .describe('How to sign in, where the server itself does not say it all. false: never.'),
  type: transportType().describe(
    'The transport, where it does not follow from "command" or "url"; "sse" for old servers.',
  ),
  enabled: flag().optional().describe('false: keep the server here without using it.'),
  title: prose(256).optional().describe('A name for people.'),
  description: prose(4_096).optional().describe('The purpose of the server.'),
  projects: listSchema(word('the name of a project', 128), 'a list of project names')
    .optional()
    .describe('Projects it belongs to.'),
  tools: toolNames()
    .nullable()
    .optional()
    .describe('The only tools that are shown; "*" stands for any characters. null: all.'),
  permissions: mapSchema(choiceSchema(permissions), 'an object from tool names to "allow", "ask" or "deny"')
    .optional()
    .describe(
      'The permission of a tool: "allow", "ask" a person first, or "deny". "*" in a name stands for any characters; the narrowest name counts.',
    ),
  timeoutMs: milliseconds(1).nullable().optional().describe('Time for one call, instead of calls.timeoutMs.'),
  cacheTtlMs: milliseconds(0).optional().describe('How long results of read-only tools are used again. 0: never.'),
  idleMs: milliseconds(0)
    .nullable()
    .optional()
    .describe('Idle time before the link closes, instead of connect.idleMs.'),
  maxConcurrent: wholeNumber(1, 1_024).optional().describe('Calls that run at once.'),
  perSession: flag().optional().describe('Give each agent session a server of its own (browsers, shells).'),
  upgrades: choiceSchema(upgradePolicies)
    .nullable()
    .optional()
    .describe('Policy for risky changes of its definitions; overrides access.upgrades.'),
  category: choiceSchema(categoryNames)
    .optional()
    .describe('The category of its tools, if Toolcrib finds the wrong one.'),
  categories: mapSchema(choiceSchema(categoryNames), 'an object from tool names to categories')
    .optional()
    .describe('The categories of single tools.'),
  aliases: mapSchema(word('the name of a tool', 256), 'an object from new names to tool names')
    .optional()
    .describe('Further names for tools of this server.'),
};

function foreign<T extends z.ZodType>(schema: T, description: string) {
  return schema.meta({ description, deprecated: true });
}

/** Keys of other agents that mean something here as well. */
const translatedShape = {
  disabled: foreign(flag().optional(), 'true: the same as "enabled": false.'),
  transport: foreign(transportType(), 'The same as "type".'),
  transportType: foreign(transportType(), 'The same as "type".'),
  httpUrl: foreign(text().optional(), 'The same as "url".'),
  serverUrl: foreign(text().optional(), 'The same as "url".'),
  includeTools: foreign(toolNames().optional(), 'The same as "tools".'),
  excludeTools: foreign(toolNames().optional(), 'Tools whose permission is "deny".'),
  disabledTools: foreign(toolNames().optional(), 'Tools whose permission is "deny".'),
};

const useOwnTimeout = 'its unit differs between agents; write "timeoutMs" instead';
const usePermissions = 'whether a call needs approval is set by "permissions"';

/** Keys of other agents that are left out with a warning, and why. */
export const ignoredKeys = {
  alwaysAllow: usePermissions,
  autoApprove: usePermissions,
  trust: usePermissions,
  timeout: useOwnTimeout,
  initTimeout: useOwnTimeout,
  networkTimeout: useOwnTimeout,
  envFile: 'files of variables are not read; write the variables into "env"',
  auth: 'sign-in to remote servers is found out from the server itself',
  authProviderType: 'sign-in to remote servers is found out from the server itself',
  headersHelper: 'headers are not made by a program; write them into "headers"',
  watchPaths: 'servers are not restarted when their files change',
  dev: 'servers are not restarted when their files change',
  sandboxEnabled: 'servers are not run in a sandbox',
  gallery: 'it is of no use to the gateway',
  version: 'it is of no use to the gateway',
  icon: 'it is of no use to the gateway',
  metadata: 'it is of no use to the gateway',
} as const;

// Object.keys loses the key type of an object literal.
export const ignoredNames = Object.keys(ignoredKeys) as (keyof typeof ignoredKeys)[];

const ignoredShape = Object.fromEntries(
  ignoredNames.map((key) => [key, foreign(z.unknown().optional(), `Ignored: ${ignoredKeys[key]}.`)]),
) as Record<keyof typeof ignoredKeys, z.ZodOptional<z.ZodUnknown>>; // fromEntries forgets which keys it was given

export const serverSchema = section({ ...ownShape, ...translatedShape, ...ignoredShape }, Object.keys(ownShape));

/** A server as it was written, its shape checked. */
export type ServerInput = z.output<typeof serverSchema>;
