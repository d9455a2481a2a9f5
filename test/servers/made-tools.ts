/** Generates any number of distinct tools that read like those of real servers, the same ones for the same name. */

import type { Dict } from './rpc.ts';
import { defineTool, pretend, type Tool } from './tool.ts';

const DOMAINS: readonly (readonly [string, readonly string[]])[] = [
  ['code hosting', ['repository', 'pull_request', 'branch', 'commit', 'release', 'review']],
  ['issue tracking', ['issue', 'sprint', 'milestone', 'label', 'backlog', 'epic']],
  ['calendar', ['event', 'meeting', 'invitation', 'room', 'reminder', 'attendee']],
  ['mail', ['message', 'thread', 'draft', 'mailbox', 'attachment', 'filter']],
  ['database', ['table', 'row', 'index', 'view', 'schema', 'migration']],
  ['payments', ['invoice', 'refund', 'customer', 'subscription', 'payout', 'dispute']],
  ['weather', ['forecast', 'station', 'alert', 'observation', 'radar_image', 'tide']],
  ['files', ['file', 'folder', 'share_link', 'revision', 'comment', 'permission']],
  ['monitoring', ['dashboard', 'metric', 'incident', 'monitor', 'log_query', 'trace']],
  ['sales', ['lead', 'contact', 'deal', 'quote', 'pipeline', 'campaign']],
  ['travel', ['flight', 'hotel', 'booking', 'itinerary', 'fare', 'airport']],
  ['kubernetes', ['pod', 'deployment', 'node', 'namespace', 'secret', 'job']],
];

interface Verb {
  readonly word: string;
  readonly says: (noun: string, domain: string) => string;
  readonly parameters: Readonly<Record<string, Dict>>;
  readonly more?: Dict;
}

const ID = { id: { type: 'string', description: 'Its identifier.' } };
const STATUS = {
  type: 'object',
  properties: { id: { type: 'string' }, status: { type: 'string', enum: ['open', 'closed'] } },
  required: ['id', 'status'],
};

const VERBS: readonly Verb[] = [
  {
    word: 'list',
    says: (noun, domain) => `Lists every ${noun} of the ${domain} account, newest first.`,
    parameters: { limit: { type: 'integer', description: 'At most this many.', default: 20 } },
    more: { annotations: { readOnlyHint: true } },
  },
  {
    word: 'get',
    says: (noun, domain) => `Gives one ${noun} from ${domain} by its identifier.`,
    parameters: ID,
    more: { annotations: { readOnlyHint: true }, outputSchema: STATUS },
  },
  {
    word: 'create',
    says: (noun, domain) => `Creates a ${noun} in ${domain}.`,
    parameters: {
      title: { type: 'string', description: 'Its title.' },
      tags: { type: 'array', items: { type: 'string' }, description: 'Words to find it by.', default: [] },
    },
  },
  {
    word: 'update',
    says: (noun, domain) => `Changes fields of an existing ${noun} in ${domain}.`,
    parameters: { ...ID, fields: { type: 'object', description: 'The new values by field.' } },
  },
  {
    word: 'delete',
    says: (noun, domain) => `Deletes a ${noun} from ${domain}; this cannot be undone.`,
    parameters: ID,
    more: { annotations: { destructiveHint: true } },
  },
  {
    word: 'search',
    says: (noun, domain) => `Searches ${domain} for a ${noun} matching the words.`,
    parameters: { query: { type: 'string', description: 'The words.' } },
    more: { annotations: { readOnlyHint: true } },
  },
];

/** Tools `0..count-1` of the endless row that belongs to this server's name. */
export function madeTools(server: string, count: number, from = 0): Tool[] {
  const shift = [...server].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1009, 7);
  return Array.from({ length: count }, (_, index) => madeTool(server, shift, from + index));
}

function madeTool(server: string, shift: number, index: number): Tool {
  const perDomain = VERBS.length * 6;
  const [domain, nouns] = at(DOMAINS, shift + Math.floor(index / perDomain));
  const noun = at(nouns, Math.floor(index / VERBS.length));
  const verb = at(VERBS, index);
  const round = Math.floor(index / (perDomain * DOMAINS.length));
  const name = `${verb.word}_${noun}${round === 0 ? '' : `_v${round + 1}`}`;
  const description = verb.says(noun.replaceAll('_', ' '), domain);
  const { parameters, more = {} } = verb;
  const tool: Tool = defineTool({ name, description, parameters, more }, (call) =>
    pretend(server, tool.definition, call.args),
  );
  return tool;
}

function at<Item>(items: readonly Item[], index: number): Item {
  // Never undefined: the lists are not empty and the index is taken modulo their length.
  return items[index % items.length] as Item;
}
