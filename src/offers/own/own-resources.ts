/** The gateway's own resources and templates as they are listed. */

import { cutAtWord } from '../../base/text.ts';
import { visibleServers } from '../../tools/tools.ts';
import type { OfferDefinition } from '../offers.ts';
import type { OwnView } from './own-view.ts';

const json = 'application/json';
/** Characters of the names of servers that fail, where they are told in passing. */
const failingNamed = 200;

/** In the order of their URIs. */
export function listResources(view: OwnView): OfferDefinition[] {
  return [
    {
      uri: 'toolcrib://overview',
      name: 'overview',
      title: 'About this gateway',
      description: 'The servers and tools here, and how to find and call them. Read this first.',
      mimeType: 'text/plain',
      annotations: { audience: ['assistant'], priority: 0.9 },
    },
    {
      uri: 'toolcrib://servers',
      name: 'servers',
      title: 'Servers',
      description: `All servers with their state, number of tools and last change.${failingIn(view)}`,
      mimeType: json,
      annotations: { audience: ['user', 'assistant'], priority: 0.5 },
    },
    {
      uri: 'toolcrib://tools',
      name: 'tools',
      title: 'Index of tools',
      description:
        'The key and first sentence of every tool; a long index comes in pages, each with the address of the next.',
      mimeType: json,
      annotations: { audience: ['assistant'], priority: 0.4 },
    },
  ];
}

/** Those of the catalog, in the order of their texts; that of results comes before them. */
export const catalogTemplates: readonly OfferDefinition[] = [
  {
    uriTemplate: 'toolcrib://server/{name}',
    name: 'server',
    title: 'One server',
    description: 'A server: its state, instructions, resources and prompts.',
    mimeType: json,
    annotations: { audience: ['user', 'assistant'], priority: 0.5 },
  },
  {
    uriTemplate: 'toolcrib://server/{name}/tools',
    name: 'server-tools',
    title: 'The tools of a server',
    description: 'The key and first sentence of every tool of one server.',
    mimeType: json,
    annotations: { audience: ['assistant'], priority: 0.5 },
  },
  {
    uriTemplate: 'toolcrib://server/{name}/types',
    name: 'server-types',
    title: 'The types of a server',
    description: 'TypeScript declarations of the tools of one server, for programs that call them.',
    mimeType: 'application/typescript',
    annotations: { audience: ['assistant'], priority: 0.4 },
  },
  {
    uriTemplate: 'toolcrib://tool/{server}/{tool}',
    name: 'tool',
    title: 'One tool',
    description: 'The whole definition of a tool with its schemas. Names are percent-encoded.',
    mimeType: json,
    annotations: { audience: ['assistant'], priority: 0.6 },
  },
];

/** The description of the list names failing servers, so that nobody has to read it for that. */
function failingIn({ door, principal }: OwnView): string {
  const { catalog } = door.layers;
  const names = visibleServers(catalog.snapshot, principal)
    .map(({ spec }) => spec.name)
    .filter((name) => catalog.failing.has(name));
  return names.length === 0 ? '' : ` Failing now: ${cutAtWord(names.join(', '), failingNamed)}.`;
}
