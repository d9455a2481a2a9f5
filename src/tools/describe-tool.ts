/** One tool in words or in full: its parameters, figures and alternatives. */

import type { Principal } from '../access/access.ts';
import { firstSentence, givenText } from '../base/text.ts';
import { signatureOf } from '../caller/caller.ts';
import { findAlternatives } from './find-alternatives.ts';
import type { FindLayer, Uses } from './layers.ts';
import { awaitTool, type ToolAddress } from './resolve-tool.ts';
import { describeMetrics, metricsOf } from './tool-metrics.ts';

/** Others for the same purpose that a full description names. */
const alternativesNamed = 3;

export async function toolInfo(
  layers: Uses<FindLayer>,
  principal: Principal,
  address: ToolAddress,
  isFull: boolean,
): Promise<Record<string, unknown>> {
  const tool = await awaitTool(layers, principal, address);
  const { key, server, name, definition, fingerprint } = tool;
  const text = givenText(definition.description);
  const head = { toolKey: key, toolName: name, serverName: server };
  if (!isFull) return { ...head, description: firstSentence(text), parameters: signatureOf(definition.inputSchema) };
  const metrics = metricsOf(layers, tool);
  return {
    ...head,
    category: layers.search.categoryOf(tool),
    fingerprint,
    definition,
    ...(metrics && { metrics: describeMetrics(metrics, principal) }),
    alternatives: findAlternatives(layers, principal, { toolKey: key }, alternativesNamed).map(
      ({ toolKey, similarity, reason }) => ({ toolKey, similarity, reason }),
    ),
  };
}
