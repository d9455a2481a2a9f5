/** Operations on the gateway as a whole. */

import { z } from 'zod';
import { chooseSurface } from '../endpoint/endpoint.ts';
import { examine, type Finding } from './examine.ts';
import { type GatewayFacts, operation } from './operation.ts';

export interface Diagnosis {
  readonly gateway: GatewayFacts;
  readonly surface: { readonly surface: string; readonly reason: string };
  readonly findings: readonly Finding[];
}

export const gatewayOperations = {
  'gateway.status': operation({
    summary: 'What is running, where, and with which data',
    input: z.strictObject({}),
    async run({ context }): Promise<GatewayFacts> {
      return context.about();
    },
  }),
  'gateway.doctor': operation({
    summary: 'What is wrong and what to do about it',
    input: z.strictObject({ connect: z.boolean().default(true) }),
    async run({ context, input, principal }): Promise<Diagnosis> {
      return {
        gateway: context.about(),
        surface: chooseSurface('auto', context.catalog.snapshot, principal),
        findings: await examine(context, input.connect),
      };
    },
  }),
};
