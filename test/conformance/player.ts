/**
 * Plays the client scenarios of the conformance suite in this process. The suite starts a program for each of them; that is a small
 * one which hands the scenario over, because loading a gateway every time costs far more than the scenario.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { readScenario, type Scenario } from './scenario-client.ts';

/** Performs one scenario at the suite's mock server; rejects where it cannot. */
export type PlayScenario = (url: string, scenario: Scenario) => Promise<void>;

export interface Player extends AsyncDisposable {
  /** A shell command; the suite appends the URL of its mock server. */
  readonly command: string;
}

const orderSchema = z.object({ url: z.string(), environment: z.record(z.string(), z.string()) });

export async function openPlayer(play: PlayScenario): Promise<Player> {
  const server = createServer(async (request, response) => {
    try {
      const { url, environment } = orderSchema.parse(JSON.parse(await text(request)));
      await play(url, readScenario(environment));
      response.end();
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    command: `"${process.execPath}" "${fileURLToPath(new URL('./relay-scenario.js', import.meta.url))}" http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
    },
  };
}
