/** A port of this machine that nobody may be sent to: it counts who comes. */

import { type AddressInfo, createServer } from 'node:net';

export interface CanaryPort extends AsyncDisposable {
  readonly port: number;
  /** Connections so far. */
  visits(): number;
}

export async function openCanary(): Promise<CanaryPort> {
  let visits = 0;
  const listener = createServer((socket) => {
    visits += 1;
    socket.on('error', () => {});
    socket.destroy();
  });
  // Both families, by one listener.
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    visits: () => visits,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void listener.close(() => resolve())),
  };
}
