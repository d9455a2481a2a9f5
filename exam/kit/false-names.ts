/** Loaded into the gateway under examination: names of the outside world that lead inside, as a hostile name server would have it. */

import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/** Public to look at; by what their name server says, this machine and its neighbours. */
export const falseNames: Readonly<Record<string, readonly LookupAddress[]>> = {
  'inner.example': [{ address: '127.0.0.1', family: 4 }],
  'inner-six.example': [{ address: '::1', family: 6 }],
  'mapped.example': [{ address: '::ffff:127.0.0.1', family: 6 }],
  'metadata.example': [{ address: '169.254.169.254', family: 4 }],
  'several.example': [
    { address: '10.0.0.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
};

const real = dns.lookup;

function lookup(hostname: string, options: unknown, callback?: unknown): void {
  const found = Object.hasOwn(falseNames, hostname) ? falseNames[hostname] : undefined;
  const [first] = found ?? [];
  const done = (typeof options === 'function' ? options : callback) as (...answer: unknown[]) => void;
  if (found === undefined || first === undefined) return Reflect.apply(real, dns, [hostname, options, callback]);
  const isAll = typeof options === 'object' && options !== null && 'all' in options && options.all === true;
  process.nextTick(() => (isAll ? done(null, found) : done(null, first.address, first.family)));
}

if (process.env.EXAM_FALSE_NAMES === 'yes') {
  dns.lookup = lookup as typeof dns.lookup;
  syncBuiltinESMExports();
}
