/**
 * The conformance suite's client leg with a gateway in the middle: starts one in front of the suite's mock server and
 * acts out the scenario at the gateway's transparent door, so that what the suite judges is the gateway's other side.
 *
 *   MCP_CONFORMANCE_SCENARIO=tools_call node test/conformance/through-gateway.ts URL
 */

import * as z from 'zod';
import { startGateway } from '../kit/gateway.ts';
import { exitAfterDeadline, playScenario, readScene } from './scenario-client.ts';

exitAfterDeadline();
const gateway = await startGateway({ upstreamUrl: z.string().parse(process.argv[2]) });
try {
  await playScenario(gateway.url, readScene(process.env));
} finally {
  await gateway.close();
}
