/** How long a link may take to open: the usual time, but with a package runner only from the server's first message on. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';

export interface PatienceOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** The same until the first message, where a package runner starts the server. */
  readonly installTimeoutMs: number;
  readonly transport: { readonly runner?: string | undefined };
}

interface ConnectPatience {
  /** Aborts when the time is up, with why. */
  readonly signal: AbortSignal;
  /** The longest time that it can take. */
  readonly timeoutMs: number;
  /** The server sent a message. */
  onMessage(): void;
  end(): void;
}

export function connectPatience(options: PatienceOptions): ConnectPatience {
  const { clock, connectTimeoutMs, installTimeoutMs, transport } = options;
  const late = new AbortController();
  const giveUp = (error: (options: PatienceOptions) => GatewayError) => () => late.abort(error(options));
  // A download that is cut off can leave a broken installation behind.
  let isInstalling = transport.runner !== undefined;
  const timeoutMs = isInstalling ? installTimeoutMs : connectTimeoutMs;
  let timer = clock.after(timeoutMs, giveUp(isInstalling ? installTimeout : connectTimeout));
  return {
    signal: late.signal,
    timeoutMs,
    onMessage() {
      if (!isInstalling) return;
      isInstalling = false;
      timer.cancel();
      timer = clock.after(connectTimeoutMs, giveUp(connectTimeout));
    },
    end() {
      isInstalling = false;
      timer.cancel();
    },
  };
}

function connectTimeout({ server, connectTimeoutMs }: PatienceOptions): GatewayError {
  const what = `Server "${server}" did not finish connecting within ${connectTimeoutMs / 1000} s.`;
  return new GatewayError('TIMEOUT', what, {
    hint: `Raise "connect.timeoutMs" if it needs longer; "toolcrib doctor" shows what it printed.`,
    data: { reason: 'connect-timeout' },
  });
}

function installTimeout({ server, transport, installTimeoutMs }: PatienceOptions): GatewayError {
  const what = `Server "${server}" sent nothing within ${installTimeoutMs / 1000} s: ${transport.runner} was still installing it, or it hangs.`;
  return new GatewayError('TIMEOUT', what, {
    hint: `Raise "connect.installTimeoutMs" if it needs longer; "toolcrib doctor" shows what it printed.`,
    data: { reason: 'install-timeout' },
  });
}
