/** The opening of a link: finds out which era the server speaks and what it offers, and limits how long that may take. */

import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { implementation } from '../base/own-program.ts';
import { redactedBeginning } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { type Era, latestLegacyVersion, legacyVersions, metaKeys, modernVersion } from '../protocol/eras.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { isRefusedInitialize, modernErrors } from './link-trouble.ts';
import type { Peer } from './peer.ts';

export interface Agreement {
  readonly era: Era;
  readonly version: string;
  readonly serverInfo: Record<string, unknown> | null;
  readonly capabilities: Record<string, unknown>;
  readonly instructions: string | null;
}

interface HandshakeOptions {
  readonly server: string;
  /** `probe`: not known yet. */
  readonly want: Era | 'probe';
  /** The capabilities that we announce. */
  readonly capabilities: Record<string, unknown>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The part of `_meta` that makes a request modern. */
export function envelope(capabilities: Record<string, unknown>, logLevel?: string): Record<string, unknown> {
  return {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientCapabilities]: capabilities,
    [metaKeys.clientInfo]: implementation,
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

export async function shakeHands(peer: Peer, options: HandshakeOptions): Promise<Agreement> {
  if (options.want === 'modern') return discover(peer, options, options.timeoutMs);
  if (options.want === 'legacy') return initialize(peer, options);
  const found = await probe(peer, options);
  if (found === 'legacy') return initialize(peer, options);
  if (found !== 'silent') return found;
  // One that was still starting when it was asked may be modern after all, and says so by refusing.
  return initialize(peer, options).catch((error) =>
    isRefusedInitialize(error) ? discover(peer, options, options.timeoutMs) : Promise.reject(error),
  );
}

/** Asks a server of unknown era. Every unknown error means legacy, silence probably does, an outage means nothing. */
async function probe(peer: Peer, options: HandshakeOptions): Promise<Agreement | 'legacy' | 'silent'> {
  try {
    return await discover(peer, options, Math.min(limits.probeTimeoutMs, options.timeoutMs));
  } catch (error) {
    if (error instanceof RpcError) {
      if (modernErrors.has(error.code) && !offersLegacy(error)) throw error;
      return 'legacy';
    }
    if (error instanceof GatewayError && error.code === 'TIMEOUT') return 'silent';
    if (isEraEvidence(error)) return 'legacy';
    throw error;
  }
}

/** A plain 4xx to an unknown method is how many legacy HTTP servers say no; 401, 403, 429 and 5xx say nothing about eras. */
function isEraEvidence(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const status = error.data?.status;
  return error.data?.reason === 'status' && typeof status === 'number' && status >= 400 && status < 500;
}

/** A modern "unsupported version" that names versions we can initialize with sends us there. */
function offersLegacy(error: RpcError): boolean {
  return supportedVersions(error).some((version) => legacyVersions.includes(version));
}

function supportedVersions(error: unknown): string[] {
  const supported = error instanceof RpcError && isObject(error.data) ? error.data.supported : undefined;
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : [];
}

async function discover(peer: Peer, options: HandshakeOptions, timeoutMs: number): Promise<Agreement> {
  const params: Params = { _meta: envelope(options.capabilities) };
  const ask = () => peer.request({ method: 'server/discover', params, timeoutMs, signal: options.signal });
  // A server may refuse the first contact to say which versions it has; ours among them is an invitation.
  const result = await ask().catch((error) =>
    supportedVersions(error).includes(modernVersion) ? ask() : Promise.reject(error),
  );
  const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
  if (!versions.includes(modernVersion)) {
    throw new RpcError(
      rpcCodes.methodNotFound,
      `Server "${options.server}" does not offer protocol version ${modernVersion}.`,
    );
  }
  const meta = isObject(result._meta) ? result._meta[metaKeys.serverInfo] : undefined;
  return { era: 'modern', version: modernVersion, ...offerOf(result, meta) };
}

async function initialize(peer: Peer, options: HandshakeOptions): Promise<Agreement> {
  const params: Params = {
    protocolVersion: latestLegacyVersion,
    capabilities: options.capabilities,
    clientInfo: implementation,
  };
  const result = await peer
    .request({ method: 'initialize', params, timeoutMs: options.timeoutMs, signal: options.signal })
    .catch((error) => {
      if (!(error instanceof RpcError)) throw error;
      throw new GatewayError(
        'SERVER_NOT_RUNNING',
        `Server "${options.server}" refused to initialize: ${redactedBeginning(messageOf(error), limits.serverWordsChars)}`,
        {
          hint: 'Check that this is an MCP server, and that its URL is that of its MCP endpoint.',
          cause: error,
          data: { reason: 'initialize-refused', rpcCode: error.code },
        },
      );
    });
  const version = result.protocolVersion;
  if (typeof version !== 'string' || !legacyVersions.includes(version)) {
    throw new GatewayError(
      'SERVER_NOT_RUNNING',
      `Server "${options.server}" answered with protocol version ${JSON.stringify(version)}, which Toolcrib does not speak.`,
      {
        data: { reason: 'version' },
      },
    );
  }
  await peer.notify('notifications/initialized', undefined, options.signal);
  return { era: 'legacy', version, ...offerOf(result, result.serverInfo) };
}

function offerOf(result: Result, serverInfo: unknown): Omit<Agreement, 'era' | 'version'> {
  return {
    serverInfo: isObject(serverInfo) ? serverInfo : null,
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    instructions: typeof result.instructions === 'string' ? result.instructions : null,
  };
}

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
