/** How long a package runner has been installing a server, and how long others wait for that. */

import { abortable } from '../base/abortable.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Config, ServerSpec } from '../config/config.ts';
import { packageRunnerOf } from './package-runner.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Transport } from './transport.ts';

export class InstallWatch {
  readonly #server: string;
  readonly #runner: string | undefined;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #transport: () => Transport | undefined;

  /** `transport`: that of the last start. */
  constructor(
    spec: ServerSpec,
    { clock, connect }: { readonly clock: Clock; readonly connect: Config['connect'] },
    transport: () => Transport | undefined,
  ) {
    this.#server = spec.name;
    this.#runner = spec.transport.kind === 'stdio' ? packageRunnerOf(spec.transport) : undefined;
    this.#clock = clock;
    this.#waitMs = connect.timeoutMs;
    this.#transport = transport;
  }

  /** Since when, in milliseconds; undefined where nothing is being installed. */
  get ms(): number | undefined {
    const transport = this.#transport();
    return transport instanceof StdioTransport ? transport.installingMs : undefined;
  }

  /** The result of the work; trouble where an installation keeps it waiting for too long. The installation goes on. */
  async inTime<T>(work: Promise<T>, withinMs = Number.POSITIVE_INFINITY): Promise<T> {
    if (this.#runner === undefined) return work;
    const late = new AbortController();
    const look = (): Timer =>
      this.#clock.after(Math.min(withinMs, this.#waitMs), () => {
        const { ms } = this;
        if (ms === undefined) timer = look();
        else late.abort(this.#stillInstalling(ms));
      });
    let timer = look();
    return abortable(work, late.signal).finally(() => timer.cancel());
  }

  #stillInstalling(ms: number): GatewayError {
    const what = `Server "${this.#server}" is still being installed (${Math.floor(ms / 1000)} s so far).`;
    return new GatewayError('SERVER_NOT_RUNNING', what, {
      hint: `${this.#runner} downloads a server before its first start; "toolcrib list" shows when that is done.`,
      data: { reason: 'installing', installingMs: ms },
    });
  }
}
