/**
 * The conformance suite's client leg with a gateway in the middle: starts one in front of the suite's mock server and
 * acts out the scenario at the gateway's transparent door, so that what the suite judges is the gateway's other side.
 */

import { startGateway } from '../kit/gateway.ts';
import { playScenario, type Scenario } from './scenario-client.ts';

export async function playThroughGateway(url: string, scenario: Scenario): Promise<void> {
  const gateway = await startGateway({ upstreamUrl: url });
  try {
    await playScenario(gateway.url, scenario);
  } finally {
    await gateway.close();
  }
}
