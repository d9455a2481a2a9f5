/** Which servers there are: those of the config file and those added at run time, each enabled or not. */

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { nearest } from '../base/nearest.ts';
import { refuseAsName } from '../base/refuse-as-name.ts';
import {
  type LiveConfig,
  legalName,
  limits,
  parseServer,
  refuseDangerousVariables,
  type SecretLookup,
  type ServerSpec,
} from '../config/config.ts';
import type { Downstream, ServerTrial } from '../downstream/downstream.ts';
import { type ServerStore, type StoreChanges, type StoredServer, StoreFollower } from '../store/store.ts';
import type { Catalog } from './catalog.ts';
import type { JudgedTrial } from './server-trials.ts';

interface RegistryOptions {
  readonly store: ServerStore & StoreChanges;
  readonly downstream: Downstream;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: SecretLookup;
  /** Servers for this run alone. */
  readonly extra: Readonly<Record<string, JsonObject>>;
}

/** Makes the new entry of a server from the old one. */
type EntryChange = (spec: ServerSpec, raw: JsonObject) => JsonObject;

/** A change that was made, and the promise that the links it ended are closed. */
interface Closing {
  readonly closing: Promise<void>;
}

const hidesAdded = 'The config file has a server of the same name as one that was added, which does not count now';

export class Registry {
  readonly #options: RegistryOptions;
  readonly #live: LiveConfig;
  readonly #follower: StoreFollower;
  #stop: () => void = () => {};
  #stored: StoredServer[] = [];
  #switches = new Map<string, boolean>();
  /** Settles when every change that was asked for so far is done: they are made one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(live: LiveConfig, options: RegistryOptions) {
    this.#live = live;
    this.#options = options;
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Servers that other gateways added or changed',
      isMeant: ({ type, isOthers }) => type === 'servers' && isOthers === true,
      read: () => this.#takeOver(),
    });
  }

  async open(): Promise<void> {
    await this.#follower.open(() => this.#read());
    await this.#apply().closing;
    await this.#forgetStrangers();
    this.#connectEarly();
    // Servers that an edit did not change keep running, and calls on those that it did change may finish.
    this.#stop = this.#live.changed.on(() => {
      this.#inTurn(async () => this.#apply(limits.drainGraceMs)).catch((error) =>
        this.#options.log.error('The new config could not be applied', { error }),
      );
      this.#options.catalog.configured.emit();
    });
    this.#live.watch();
  }

  async #read(): Promise<void> {
    const { store } = this.#options;
    const [stored, switches] = await Promise.all([store.listServers(), store.listSwitches()]);
    this.#stored = stored;
    this.#switches = new Map(switches);
  }

  /** Links that go may take their time: what comes next is not to wait for them. */
  async #takeOver(): Promise<void> {
    await this.#order(async () => {
      const before = this.#stored;
      await this.#read();
      const applied = this.#apply(limits.drainGraceMs);
      const { downstream, catalog } = this.#options;
      for (const { name } of before) if (!downstream.spec(name)) catalog.leave(name);
      return applied;
    });
  }

  /** Sign-ins to servers that were deleted from the file while nobody looked. */
  async #forgetStrangers(): Promise<void> {
    const names = [...this.specs, ...this.#stored].map(({ name }) => name);
    try {
      await this.#options.downstream.signIns?.forgetOthers(new Set(names));
    } catch (error) {
      this.#options.log.warn('Sign-ins that belong to no server could not be removed', { error });
    }
  }

  /** Makes a change when those before it are made. Links that go may take their time: only who asked waits for them. */
  async #inTurn(change: () => Promise<Closing>): Promise<void> {
    await (await this.#order(change)).closing;
  }

  #order(change: () => Promise<Closing>): Promise<Closing> {
    const made = this.#changes.then(change);
    // The caller of a change hears of its failure; the next change is made all the same.
    this.#changes = made.catch(() => {});
    return made;
  }

  /** Resolves once every change that was asked for so far is made; links that go may still be closing. */
  async settled(): Promise<void> {
    await this.#changes;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#follower.close();
  }

  /** Connects the servers that the owner wants connected before the first request. */
  #connectEarly(): void {
    const { lazy, preconnect } = this.#live.current.connect;
    for (const spec of this.specs) {
      if (!spec.isEnabled || spec.problem || (lazy && !preconnect.includes(spec.name))) continue;
      this.#options.catalog.refresh(spec.name).catch(() => {});
    }
  }

  /** Servers that were added under a name that the config file has taken since: its entry counts, with its permissions alone. */
  get hidden(): string[] {
    const isOfFile = ({ name }: StoredServer) => this.#options.downstream.spec(name)?.origin === 'file';
    return this.#stored.filter(isOfFile).map(({ name }) => name);
  }

  get specs(): readonly ServerSpec[] {
    return this.#options.downstream.specs();
  }

  /** The spec of a server, or trouble that names the nearest. */
  find(name: string): ServerSpec {
    const spec = this.#options.downstream.spec(name);
    if (spec) return spec;
    const near = nearest(
      name,
      this.specs.map((item) => item.name),
    );
    const hint =
      near.length > 0
        ? `Did you mean ${near.map((item) => `"${item}"`).join(' or ')}?`
        : `"toolcrib list" shows all servers.`;
    throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${name}".`, { hint, data: { nearest: near } });
  }

  /**
   * Registers a server in the form of one `mcpServers` member. `isEnvConfirmed`: a person wants what it sets in the
   * environment, even if that decides what is run. `tried`: keeps the server as its trial showed it.
   */
  async add(key: string, raw: JsonObject, isEnvConfirmed = false, tried?: JudgedTrial): Promise<ServerSpec> {
    const spec = this.#parseNew(key, raw, isEnvConfirmed);
    await this.#inTurn(async () => {
      this.#refuseTaken(spec.name);
      const server = {
        name: spec.name,
        spec: spec.name === key ? raw : { title: key, ...raw },
        addedAt: this.#options.clock.now(),
      };
      await this.#options.store.saveServer(server);
      this.#stored.push(server);
      this.#switches.delete(spec.name);
      return this.#take(spec.name, tried);
    });
    return this.find(spec.name);
  }

  /** The server that `add` would make. */
  previewNew(key: string, raw: JsonObject, isEnvConfirmed: boolean): ServerSpec {
    const spec = this.#parseNew(key, raw, isEnvConfirmed);
    this.#refuseTaken(spec.name);
    return spec;
  }

  #parseNew(key: string, raw: JsonObject, isEnvConfirmed: boolean): ServerSpec {
    refuseAsName('server', key);
    const spec = this.#parse(key, raw, 'store');
    if (spec.transport.kind === 'stdio' && !isEnvConfirmed)
      refuseDangerousVariables(spec.name, Object.keys(spec.transport.env));
    return spec;
  }

  #refuseTaken(name: string): void {
    if (!this.#options.downstream.spec(name)) return;
    throw new GatewayError('NAME_TAKEN', `There is already a server "${name}".`, {
      hint: `Choose another name, or remove it first: toolcrib remove ${name}`,
    });
  }

  /** After a trial, the next listing is compared with the definitions that the trial showed. */
  #take(name: string, tried: JudgedTrial | undefined, graceMs = 0): Closing {
    if (tried?.preview) this.#options.catalog.pins.takeFirst(name, tried.preview.steps);
    return this.#apply(graceMs, tried?.trial);
  }

  /**
   * The server that is reached in the same way as this entry, by the values that references have now; null: none is.
   * `given` are values of secrets that are not kept yet.
   */
  equalTo(key: string, raw: JsonObject, given: ReadonlyMap<string, string>): ServerSpec | null {
    const { env, secrets } = this.#options;
    const lookUp: SecretLookup = (name) => given.get(name) ?? secrets(name);
    const { transport } = parseServer(key, raw, env, 'store', { secrets: lookUp });
    return this.specs.find((spec) => isDeepStrictEqual(spec.transport, transport)) ?? null;
  }

  async remove(name: string): Promise<void> {
    await this.#inTurn(async () => {
      const spec = this.find(name);
      if (spec.origin === 'file') {
        const isExtra = !this.#live.current.servers.has(name);
        const from = isExtra ? 'is there for this run alone' : 'comes from the config file';
        throw new GatewayError('USAGE', `Server "${name}" ${from}.`, {
          hint: `${isExtra ? 'Switch' : 'Delete it there, or switch'} it off: toolcrib disable ${name}`,
        });
      }
      const { signIns } = this.#options.downstream;
      // Read the credential to revoke first: it is deleted with the server. An unreadable one is lost anyway.
      await signIns?.stateOf(spec).catch(() => null);
      await this.#options.store.removeServer(name);
      signIns?.leave(name);
      this.#stored = this.#stored.filter((server) => server.name !== name);
      this.#switches.delete(name);
      const applied = this.#apply();
      // Before the next change, which may add another server under this name.
      await this.#options.catalog.forget(name);
      return applied;
    });
  }

  /** Where a server's entry stands in the config file, as `file:line:column`; null where it was added. */
  positionInFile(name: string): string | null {
    return this.#live.places.servers.get(name) ?? null;
  }

  /**
   * Changes the entry of a server that was added; `change` makes the new one of the old one. `edit` says what to write
   * where the server comes from the config file, in which case it is refused. `tried`: keeps the connection as its trial showed it.
   */
  async set(name: string, change: EntryChange, edit: string, tried?: JudgedTrial): Promise<ServerSpec> {
    await this.#inTurn(async () => {
      const { server } = this.#changed(name, change, edit);
      await this.#options.store.saveServer(server);
      this.#stored = this.#stored.map((other) => (other.name === name ? server : other));
      return this.#take(name, tried, limits.drainGraceMs);
    });
    return this.find(name);
  }

  /** The server as `set` would make it. */
  preview(name: string, change: EntryChange, edit: string): ServerSpec {
    return this.#changed(name, change, edit).spec;
  }

  #changed(name: string, change: EntryChange, edit: string) {
    const stored = this.#storedOf(name);
    if (!stored) throw this.#isOfFile(name, edit);
    const server = { ...stored, spec: change(this.find(name), stored.spec) };
    return { server, spec: this.#parse(name, server.spec, 'store') };
  }

  /** The entry of a server as it was added; null where it comes from the config file. */
  entryOf(name: string): JsonObject | null {
    return this.#storedOf(name)?.spec ?? null;
  }

  /** Undefined where the config file has taken the name. */
  #storedOf(name: string): StoredServer | undefined {
    return this.find(name).origin === 'file' ? undefined : this.#stored.find((server) => server.name === name);
  }

  #isOfFile(name: string, edit: string): GatewayError {
    const position = this.positionInFile(name);
    if (position === null)
      return new GatewayError('USAGE', `Server "${name}" exists for this run only and cannot be changed.`, {
        hint: 'Add it under another name to change it: toolcrib add NAME -- COMMAND ARGS…',
      });
    return new GatewayError('USAGE', `Server "${name}" was not changed: its entry is in the config file, ${position}`, {
      hint: `Write there (no restart needed): ${edit}`,
      data: { place: position },
    });
  }

  async setEnabled(name: string, isEnabled: boolean): Promise<ServerSpec> {
    await this.#inTurn(async () => {
      this.find(name);
      await this.#options.store.saveSwitch(name, isEnabled);
      this.#switches.set(name, isEnabled);
      return this.#apply();
    });
    return this.find(name);
  }

  /** The catalog hears of the new set before old links have finished closing. */
  #apply(graceMs = 0, trial?: ServerTrial): Closing {
    const before = new Set(this.hidden);
    const specs = this.#merge();
    const closing = this.#options.downstream.apply(specs, this.#live.current.connect, graceMs, trial);
    this.#options.catalog.setServers(specs);
    for (const server of this.hidden) if (!before.has(server)) this.#options.log.warn(hidesAdded, { server });
    return { closing };
  }

  #merge(): ServerSpec[] {
    const specs = new Map<string, ServerSpec>(this.#live.current.servers);
    for (const [key, raw] of Object.entries(this.#options.extra)) {
      const spec = this.#parse(key, raw, 'file');
      if (!specs.has(spec.name)) specs.set(spec.name, spec);
    }
    for (const { name, spec } of this.#stored) {
      // A name that the file has since taken belongs to the file; the stored one waits until it is free again.
      if (!specs.has(name)) specs.set(name, this.#parseStored(name, spec));
    }
    return [...specs.values()].map((spec) => {
      const isEnabled = this.#switches.get(spec.name) ?? spec.isEnabled;
      return isEnabled === spec.isEnabled ? spec : { ...spec, isEnabled };
    });
  }

  #parse(name: string, raw: JsonObject, origin: ServerSpec['origin']): ServerSpec {
    const { env, secrets } = this.#options;
    return parseServer(name, raw, env, origin, { secrets });
  }

  /** A stored server that can no longer be read (a variable is gone) is shown with its problem, not lost. */
  #parseStored(name: string, spec: JsonObject): ServerSpec {
    try {
      return this.#parse(name, spec, 'store');
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#options.log.warn('A stored server cannot be used', { server: name, error: problem });
      const bare = this.#parse(legalName(name), { command: 'false', enabled: false }, 'store');
      return { ...bare, isEnabled: true, problem };
    }
  }
}
