/** `read_result`: reads on in a large result, for agents that cannot read resources. */

import { GatewayError } from '../base/errors.ts';
import { ownText, parseResultUri, type ResultView, readView, uriOf, viewParameters } from '../results/results.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

export const readResult: MetaTool<'results'> = {
  name: 'read_result',
  kind: 'other',
  auditedAs: 'execution',
  define: () => ({
    name: 'read_result',
    description:
      'Read more of a result that was too large to return at once, by its id or a "Next" address: a page, lines, matches of a text, or the values at a path.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        uri: { type: 'string', description: 'An address from an earlier answer, instead of the id and the others.' },
        page: { type: 'integer', minimum: 1 },
        lines: { type: 'string', description: 'e.g. "10-40"; of JSON, rows.' },
        find: { type: 'string', description: 'Plain text, any case.' },
        path: { type: 'string', description: 'e.g. "$.rows[0:20].name"' },
        part: { type: 'integer', minimum: 0 },
      },
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, agent, args }) {
    const { id, view } = readRequest(args);
    const { text, blob } = await layers.results.read(id, principal.id, view, agent.signal);
    const content: unknown[] = [ownText(text)];
    if (blob) {
      const resource = { uri: uriOf(id), mimeType: blob.mimeType, blob: blob.data };
      content.push({ type: 'resource', resource, annotations: { audience: ['assistant'], priority: 0.3 } });
    }
    return { content };
  },
};

interface ReadRequest {
  readonly id: string;
  readonly view: ResultView;
}

/** Beside an address, other parameters say more exactly what is wanted of it. */
function readRequest(args: Readonly<Record<string, unknown>>): ReadRequest {
  const { id, uri, ...rest } = args;
  const views = readView(rest);
  if (typeof uri === 'string') {
    const wanted = parseResultUri(uri);
    if (wanted) return { id: wanted.id, view: readView({ ...writable(wanted.view), ...rest }) };
    throw new GatewayError('ARGUMENTS_INVALID', 'The "uri" is not the address of a result.', { hint });
  }
  if (typeof id === 'string') return { id, view: views };
  throw new GatewayError('ARGUMENTS_INVALID', 'Which result? "id" is missing.', { hint });
}

const hint = `An address is ${uriOf('ID')}; give "id" or "uri", and one of ${viewParameters.join(', ')}.`;

/** A view as it is given. */
function writable({ lines, ...view }: ResultView): Record<string, unknown> {
  return lines ? { ...view, lines: `${lines.from}-${lines.to}` } : view;
}
