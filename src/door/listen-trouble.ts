/** Why the door cannot be opened at an address, and what to do about it. */

import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { isLoopback } from './check-origin.ts';

/** Throws where nobody should be let in at this host. */
export function checkHost(host: string, isAuthOff: boolean): void {
  if (host === '') {
    throw new GatewayError('USAGE', 'The host to listen on is empty, which would mean every address.', {
      hint: 'Name one with --host, for example 127.0.0.1.',
    });
  }
  if (isLoopback(host) || !isAuthOff) return;
  throw new GatewayError('USAGE', `Without authentication the gateway listens on loopback only, not on "${host}".`, {
    hint: 'Leave out --no-auth, or use --host 127.0.0.1.',
  });
}

export function listenTrouble(host: string, port: number, error: Error): GatewayError {
  const code = systemCodeOf(error);
  if (code === 'EADDRINUSE') {
    return new GatewayError('PORT_TAKEN', `Port ${port} on ${host} is already in use.`, {
      hint: 'Choose another one with --port, or 0 for any.',
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new GatewayError('PORT_TAKEN', `Port ${port} on ${host} may not be used.`, {
      hint: 'Choose one above 1023 with --port.',
      cause: error,
    });
  }
  return new GatewayError('USAGE', `The gateway cannot listen on ${host}:${port}: ${error.message}.`, { cause: error });
}
