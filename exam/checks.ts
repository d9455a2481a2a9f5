/** Every check that is built, in the order of the scoreboard. */

import { routes } from './bad-inputs/b01-routes.ts';
import { hosts } from './bad-inputs/b02-hosts.ts';
import { crossSite } from './bad-inputs/b03-cross-site.ts';
import { forgedTokens } from './bad-inputs/b04-forged-tokens.ts';
import { challenges } from './bad-inputs/b05-challenges.ts';
import { conformanceServer } from './bad-inputs/b06-conformance-server.ts';
import { conformanceClient } from './bad-inputs/b07-conformance-client.ts';
import { headerMismatch } from './bad-inputs/b08-headers.ts';
import { nothingCrosses } from './bad-inputs/b09-nothing-crosses.ts';
import { consentTheft } from './bad-inputs/b10-consent-theft.ts';
import { theft } from './bad-inputs/b11-theft.ts';
import { misrouted } from './bad-inputs/b12-misrouted.ts';
import { tenantMatrix } from './bad-inputs/b13-tenants.ts';
import { deniedEverywhere } from './bad-inputs/b14-denied-everywhere.ts';
import { secretsAtRest } from './bad-inputs/b15-secrets-at-rest.ts';
import { canaries } from './bad-inputs/b16-canaries.ts';
import { poisonedTools } from './bad-inputs/b17-poisoned-tools.ts';
import { rugPull } from './bad-inputs/b18-rug-pull.ts';
import { shadowing } from './bad-inputs/b19-shadowing.ts';
import { hostileWords } from './bad-inputs/b20-hostile-results.ts';
import { oversize } from './bad-inputs/b21-oversize.ts';
import { compression } from './bad-inputs/b22-compression.ts';
import { jsonBombs } from './bad-inputs/b23-json-bombs.ts';
import { schemaBombs } from './bad-inputs/b24-schema-bombs.ts';
import { prototypeKeys } from './bad-inputs/b25-prototype-keys.ts';
import { ssrf } from './bad-inputs/b26-ssrf.ts';
import { injection } from './bad-inputs/b27-injection.ts';
import { fuzz } from './bad-inputs/b28-fuzz.ts';
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
import { shortOrders } from './own/x02-short-orders.ts';
import { laterPulls } from './own/x03-later-pulls.ts';
import { strangeFiles } from './own/x04-strange-files.ts';
import { unaskedStarts } from './own/x05-unasked-starts.ts';
import { undecided } from './own/x06-undecided.ts';

export const checks: readonly Check[] = [
  ...[crashMidCall, hang, garbage, hugeResults, listChangedStorm, killGateway, agentDrops, drain],
  ...[routes, hosts, crossSite, forgedTokens, challenges, headerMismatch, nothingCrosses, consentTheft, theft],
  ...[
    conformanceServer,
    conformanceClient,
    misrouted,
    tenantMatrix,
    deniedEverywhere,
    secretsAtRest,
    canaries,
    poisonedTools,
    rugPull,
    shadowing,
    hostileWords,
    oversize,
    compression,
    jsonBombs,
    schemaBombs,
    prototypeKeys,
    ssrf,
    injection,
    fuzz,
  ],
  ...[lateAndDouble, shortOrders, laterPulls, strangeFiles, unaskedStarts, undecided],
];
