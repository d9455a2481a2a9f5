/** Every check that is built, in the order of the scoreboard. */

import { misrouted } from './bad-inputs/b12-misrouted.ts';
import { oversize } from './bad-inputs/b21-oversize.ts';
import { jsonBombs } from './bad-inputs/b23-json-bombs.ts';
import { schemaBombs } from './bad-inputs/b24-schema-bombs.ts';
import { prototypeKeys } from './bad-inputs/b25-prototype-keys.ts';
import type { Check } from './check.ts';
import { crashMidCall } from './faults/s01-crash-mid-call.ts';
import { hang } from './faults/s02-hang.ts';
import { garbage } from './faults/s04-garbage.ts';
import { hugeResults } from './faults/s05-huge-results.ts';
import { listChangedStorm } from './faults/s10-list-changed-storm.ts';
import { killGateway } from './faults/s15-kill-gateway.ts';
import { agentDrops } from './faults/s20-agent-drops.ts';
import { drain } from './faults/s21-drain.ts';
import { lateAndDouble } from './own/x01-late-and-double.ts';

export const checks: readonly Check[] = [
  ...[crashMidCall, hang, garbage, hugeResults, listChangedStorm, killGateway, agentDrops, drain],
  ...[misrouted, oversize, jsonBombs, schemaBombs, prototypeKeys],
  lateAndDouble,
];
