/** A page that shows a server on trial, as the gateway sees it: it keeps asking until it is closed. */

import type { Admin, InputOf, OutputOf } from '../../src/admin/admin.ts';
import { stayWithTrial } from '../../src/surfaces/live/live.ts';

export class TrialPage {
  readonly trial: OutputOf<'servers.try'>;
  /** Resolves when the trial has ended while the page was open. */
  readonly ended: Promise<void>;
  /** Acts like closing the tab. */
  readonly close: () => void;

  private constructor(admin: Admin, trial: OutputOf<'servers.try'>) {
    const ended = Promise.withResolvers<void>();
    this.trial = trial;
    this.ended = ended.promise;
    this.close = stayWithTrial(trial, {
      ask: (input, signal) => admin.run('servers.stay', input, signal),
      onEnd: ended.resolve,
    });
  }

  static async open(admin: Admin, input: InputOf<'servers.try'>): Promise<TrialPage> {
    return new TrialPage(admin, await admin.run('servers.try', input));
  }

  keep(admin: Admin, permissions: InputOf<'servers.keep'>['permissions'] = {}): Promise<OutputOf<'servers.keep'>> {
    const { name, trial } = this.trial;
    return admin.run('servers.keep', { name, trial, permissions });
  }
}
