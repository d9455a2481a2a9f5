/** The checks of a program, printed one line each as they are made: what, how long, what was seen. */

export interface Seen {
  /** The finding of the check, in a few words. */
  readonly note?: string;
  /** Measured where the check is more than the time it took. */
  readonly ms?: number;
}

const columns = { what: 70, ms: 8 };

export class Checks {
  #passed = 0;
  readonly #failed: string[] = [];
  #section = '';

  section(title: string): void {
    this.#section = title;
    console.info(`\n${title}`);
  }

  /** Tells a figure that nothing depends on. */
  note(text: string): void {
    console.info(`  ${text}`);
  }

  /** Makes a check: it fails by throwing. Resolves with true when it holds, so that what builds on it can be left out. */
  async that(what: string, look: () => Promise<Seen | string | undefined>): Promise<boolean> {
    const since = performance.now();
    try {
      const seen = await look();
      const { note = '', ms = performance.now() - since } = typeof seen === 'string' ? { note: seen } : (seen ?? {});
      this.#passed += 1;
      print('✓', what, ms, note);
      return true;
    } catch (error) {
      this.#failed.push(`${this.#section}: ${what}`);
      print('✗', what, performance.now() - since, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Prints the sum and sets the exit code of the process. */
  finish(): void {
    const all = this.#passed + this.#failed.length;
    console.info(`\n${this.#passed} of ${all} checks hold.`);
    for (const what of this.#failed) console.info(`✗ ${what}`);
    if (this.#failed.length > 0 || all === 0) process.exitCode = 1;
  }
}

function print(mark: string, what: string, ms: number, note: string): void {
  // Short looks take no time worth reporting.
  const time = (ms < 1 ? '' : `${Math.round(ms)} ms`).padStart(columns.ms);
  console.info(`${mark} ${what.padEnd(columns.what)} ${time}  ${note}`.trimEnd());
}
