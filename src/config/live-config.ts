/** The config in use: replaced by every good edit of its file, kept through every bad one. */

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { SecretLookup } from './expand-env.ts';
import type { ConfigLocation } from './find-config.ts';
import { type Config, type ConfigPlaces, type LoadedConfig, loadConfig, parseConfig } from './load-config.ts';
import { readJsonc } from './read-jsonc.ts';
import { TrustedConfigs } from './trusted-configs.ts';
import { type ConfigWatch, watchConfig } from './watch-config.ts';

/** Sections that are in use as they were at the start. */
const readAtStart = ['listen', 'store'] as const;

export class LiveConfig {
  /** Another config is in use. */
  readonly changed = new Signal<Config>();
  #location: ConfigLocation;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #atStart: Config;
  #loaded: LoadedConfig;
  #problem: string | null = null;
  #watch: ConfigWatch | undefined;

  private constructor(location: ConfigLocation, clock: Clock, log: Log, loaded: LoadedConfig) {
    this.#location = location;
    this.#clock = clock;
    this.#log = log;
    this.#atStart = loaded.config;
    this.#loaded = loaded;
  }

  /** Throws CONFIG_INVALID when the file cannot be used: there is nothing to fall back on yet. */
  static async load(location: ConfigLocation, clock: Clock, log: Log): Promise<LiveConfig> {
    return new LiveConfig(location, clock, log, await loadConfig(location));
  }

  get current(): Config {
    return this.#loaded.config;
  }

  get file(): string | null {
    return this.#loaded.file;
  }

  get places(): ConfigPlaces {
    return this.#loaded.places;
  }

  get warnings(): readonly string[] {
    return [...this.#loaded.warnings, ...this.#waitingForRestart];
  }

  get #waitingForRestart(): readonly string[] {
    const changed = readAtStart.filter((key) => !isDeepStrictEqual(this.current[key], this.#atStart[key]));
    return changed.map((key) => `"${key}" in the config was changed. Restart the gateway to apply it.`);
  }

  /** Of the settings as they are written, without those that each replica has for itself. */
  get sharedFingerprint(): string {
    const { file, bytes } = this.#loaded.text;
    // It was read as an object before.
    const written = file === null ? {} : (readJsonc(file, bytes).value as object);
    const own: readonly string[] = [...readAtStart, '$schema'];
    const shared = Object.entries(written).filter(([key]) => !own.includes(key));
    return fingerprintOf(Object.fromEntries(shared));
  }

  /** Why the last edit was not taken over; null when it was. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads secrets from now on; to be called before anybody uses a server of the file. */
  useSecrets(secrets: SecretLookup): void {
    this.#location = { ...this.#location, secrets };
    this.#loaded = parseConfig(this.#loaded.text, this.#location);
  }

  /** Secrets have other values now. */
  renew(): void {
    this.#loaded = parseConfig(this.#loaded.text, this.#location);
    this.changed.emit(this.current);
  }

  /**
   * Follows the file from now on; a change since it was loaded is noticed too. It is always the same file: a config decides
   * which programs run, so one that turns up in the current folder later must not replace it.
   */
  watch(): void {
    const { dataDir } = this.#location;
    const { isByFolder } = this.#loaded.text;
    const location = this.file === null ? { ...this.#location, cwd: dataDir } : { ...this.#location, path: this.file };
    this.#watch ??= watchConfig({
      ...location,
      clock: this.#clock,
      since: this.#loaded,
      onChange: (loaded) => {
        this.#loaded = loaded;
        this.#problem = null;
        if (loaded.file === null) this.#log.info('The config file is gone; the defaults are in use');
        else this.#log.info('The config was changed and is in use', { file: loaded.file });
        for (const warning of this.#waitingForRestart) this.#log.warn(warning);
        if (isByFolder) void this.#trust(loaded);
        this.changed.emit(loaded.config);
      },
      onError: (error) => {
        this.#problem = messageOf(error);
        this.#log.warn('The config file has a mistake; the config from before stays in use', { error: this.#problem });
      },
    });
  }

  /** A file that was trusted at the start and is edited while it is in use: the edit is its owner's, and the next start needs no question. */
  async #trust({ file, text }: LoadedConfig): Promise<void> {
    if (file === null) return;
    try {
      await new TrustedConfigs(this.#location.dataDir).add(text, new Date(this.#clock.now()));
    } catch (error) {
      this.#log.warn('The changed config could not be recorded as trusted; the next start will ask', {
        error: messageOf(error),
      });
    }
  }

  close(): void {
    this.#watch?.close();
  }
}
