/**
 * The authorization scenarios of the conformance suite with a gateway in the middle: what the suite judges is how the gateway
 * signs in to its server. The owner is played here: whenever the server asks for a sign-in, a browser without a window does it.
 */

import * as z from 'zod';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { visit } from '../kit/oauth-browser.ts';
import { connect, type Scenario } from './scenario-client.ts';

/** The name that the suite expects of clients that describe themselves by a document. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';
/** More than any scenario needs; the suite counts too. */
const MOST_SIGN_INS = 3;

const knownClientSchema = z.object({ client_id: z.string(), client_secret: z.string(), issuer: z.string() });

export async function signInThroughGateway(url: string, scenario: Scenario): Promise<void> {
  await using gateway = await openTestGateway({
    servers: { upstream: { url, ...knownClient(scenario) } },
    // The suite's servers are on this machine, under another port each.
    config: { access: { privateHosts: ['localhost'] }, oauth: { clientMetadataUrl: DOCUMENT } },
    isAuthOff: true,
  });
  for (let signIns = 0; !(await use(gateway, scenario)); signIns += 1) {
    if (signIns === MOST_SIGN_INS) throw new Error(`The server is not content after ${MOST_SIGN_INS} sign-ins.`);
    await signIn(gateway);
  }
}

/** The suite's client that was registered beforehand, as its owner would write it down. */
function knownClient({ context }: Scenario): Record<string, unknown> {
  const reading = knownClientSchema.safeParse(context);
  if (!reading.success) return {};
  const { client_id: clientId, client_secret: clientSecret, issuer } = reading.data;
  return { oauth: { clientId, clientSecret, issuer } };
}

/** Lists and calls everything; false when the server wants a sign-in first. */
async function use({ gateway, url }: TestGateway, { revision }: Scenario): Promise<boolean> {
  const [listing] = await gateway.admin.run('servers.refresh', { name: 'upstream', force: true });
  if (await isAsked({ gateway })) return false;
  if (listing?.error) throw new Error(listing.error);
  const client = await connect(`${url}/servers/upstream/mcp?names=plain`, revision);
  try {
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const result = await client.callTool({ name, arguments: {} });
      if (await isAsked({ gateway })) return false;
      if (result.isError) throw new Error(JSON.stringify(result.content));
    }
    return true;
  } finally {
    await client.close();
  }
}

async function isAsked({ gateway }: Pick<TestGateway, 'gateway'>): Promise<boolean> {
  const [row] = await gateway.admin.run('servers.signIns', {});
  return row?.state === 'needed' || row?.state === 'more-rights';
}

async function signIn({ gateway }: TestGateway): Promise<void> {
  const { address } = await gateway.admin.run('servers.signIn', { name: 'upstream' });
  const { status, text } = await visit(address);
  if (status !== 200) throw new Error(`The sign-in ended with HTTP ${status}: ${text}`);
}
