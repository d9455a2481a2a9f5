/**
 * The conformance suite's client leg with a gateway in the middle: starts one in front of the suite's mock server and
 * acts out the scenario at the gateway's transparent door, so that what the suite judges is the gateway's other side.
 */

import { startGateway } from '../kit/gateway.ts';
import { playScenario, type Scene } from './scenario-client.ts';

export async function playThroughGateway(url: string, scene: Scene): Promise<void> {
  const gateway = await startGateway({ upstreamUrl: url });
  try {
    await playScenario(gateway.url, scene);
  } finally {
    await gateway.close();
  }
}
