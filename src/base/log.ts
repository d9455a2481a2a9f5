/** The log: one JSON object a line on stderr (or short lines on a terminal), secrets masked, control characters escaped. JSON names the request that it is about. */

import { currentRequest } from './ids.ts';
import { redact, redactText } from './redact.ts';
import { printable, printableJson } from './text.ts';

export const ownLogLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof ownLogLevels)[number];

export interface Log {
  debug(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: 'json' | 'line';
  readonly write: (line: string) => void;
  readonly now: () => number;
}

export function createLog(options: LogOptions): Log {
  const least = ownLogLevels.indexOf(options.level);
  const at =
    (level: LogLevel) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      if (ownLogLevels.indexOf(level) < least) return;
      options.write(`${render(options, level, event, fields)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** One log that writes to each of these. */
export function joinLogs(...logs: readonly Log[]): Log {
  const at =
    (level: keyof Log) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      for (const log of logs) log[level](event, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

function render(options: LogOptions, level: LogLevel, event: string, fields: Record<string, unknown>): string {
  const safe = redact(fields) as Record<string, unknown>;
  const message = redactText(event);
  if (options.format === 'json') {
    const { id: requestId, traceId } = currentRequest() ?? {};
    return printableJson({
      time: new Date(options.now()).toISOString(),
      level,
      event: message,
      requestId,
      traceId,
      ...safe,
    });
  }
  return logLine(level, message, safe);
}

/** One entry as people read it. */
export function logLine(level: string, event: string, fields: Record<string, unknown>): string {
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const sign = level === 'error' ? '✗ ' : level === 'warn' ? '! ' : '';
  return printable(`${sign}${event}${rest ? `  (${rest})` : ''}`);
}
