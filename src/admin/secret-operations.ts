/** Operations on secrets: set and removed by name, and never read. */

import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { leastSecretChars } from '../base/redact.ts';
import { type AdminContext, operation } from './operation.ts';

const name = z.string().min(1);

interface SecretReport {
  readonly name: string;
  /** `missing`: something refers to it, but nobody set it. `unreadable`: it is damaged, or a replica with another key sealed it. */
  readonly state: 'set' | 'missing' | 'unreadable';
  readonly setAt: string | null;
  /** Servers that refer to it, and "telemetry.headers" where the config does so there. */
  readonly usedBy: readonly string[];
}

export const secretOperations = {
  'secrets.list': operation({
    summary: 'The names of all secrets, when they were set and what uses them',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<SecretReport[]> {
      const names = new Set([
        ...context.secrets.names,
        ...context.registry.specs.flatMap(({ secrets }) => secrets),
        ...context.config().telemetrySecrets,
      ]);
      return [...names].sort().map((each) => describeSecret(context, each));
    },
  }),
  'secrets.set': operation({
    summary: 'Set a secret; servers that refer to it connect with the new value',
    input: z.strictObject({ name, value: z.string() }),
    async run({ context, input }): Promise<SecretReport & { readonly isMasked: boolean }> {
      await context.secrets.set(input.name, input.value);
      await context.registry.settled();
      return { ...describeSecret(context, input.name), isMasked: input.value.length >= leastSecretChars };
    },
  }),
  'secrets.remove': operation({
    summary: 'Remove a secret',
    input: z.strictObject({ name, force: z.boolean().default(false) }),
    async run({ context, input }): Promise<SecretReport> {
      const { usedBy } = describeSecret(context, input.name);
      if (context.secrets.describe(input.name) === undefined) {
        const [best] = nearest(input.name, context.secrets.names, 1);
        const hint = best === undefined ? '"toolcrib secret list" shows all secrets.' : `Did you mean "${best}"?`;
        throw new GatewayError('USAGE', `There is no secret "${input.name}".`, { hint });
      }
      if (usedBy.length > 0 && !input.force)
        throw new GatewayError('USAGE', `Secret "${input.name}" is in use by ${usedBy.join(', ')} and was kept.`, {
          hint: 'Remove the references first, or use --force: servers that need it then stop working.',
          data: { usedBy },
        });
      await context.secrets.remove(input.name);
      await context.registry.settled();
      return describeSecret(context, input.name);
    },
  }),
};

function describeSecret({ secrets, registry, config }: AdminContext, wanted: string): SecretReport {
  const known = secrets.describe(wanted);
  const state = known === undefined ? 'missing' : known.isReadable ? 'set' : 'unreadable';
  return {
    name: wanted,
    state,
    setAt: known === undefined ? null : new Date(known.setAt).toISOString(),
    usedBy: [
      ...registry.specs.filter((spec) => spec.secrets.includes(wanted)).map((spec) => spec.name),
      ...(config().telemetrySecrets.includes(wanted) ? ['telemetry.headers'] : []),
    ],
  };
}
