/** Every promised behaviour; the house rules check that each is cited by a test, and that no test cites another. */

import { accessRequirements } from './requirements/access.ts';
import { principalRequirements } from './requirements/access-principals.ts';
import { accessProjectRequirements } from './requirements/access-projects.ts';
import { adviceRequirements } from './requirements/advice.ts';
import { approvalRequirements } from './requirements/approvals.ts';
import { auditRequirements } from './requirements/audit.ts';
import { callRequirements } from './requirements/calls.ts';
import { chainRequirements } from './requirements/chains.ts';
import { commandLineRequirements } from './requirements/command-line.ts';
import { dashboardRequirements } from './requirements/dashboard.ts';
import { dashboardReviewRequirements } from './requirements/dashboard-review.ts';
import { dashboardToolRequirements } from './requirements/dashboard-tools.ts';
import { disclosureRequirements } from './requirements/disclosure.ts';
import { edgeRequirements } from './requirements/edges.ts';
import { eraRequirements } from './requirements/eras.ts';
import { gettingInRequirements } from './requirements/getting-in.ts';
import { issuerRequirements } from './requirements/issuer.ts';
import { linkRequirements } from './requirements/links.ts';
import { liveRequirements } from './requirements/live.ts';
import { managementRequirements } from './requirements/management.ts';
import { offerRequirements } from './requirements/offers.ts';
import { optimizerRequirements } from './requirements/optimizer.ts';
import { optimizerMeasuringRequirements } from './requirements/optimizer-measuring.ts';
import { optimizerPromotionRequirements } from './requirements/optimizer-promotions.ts';
import { replicaRequirements } from './requirements/replicas.ts';
import type { Requirement } from './requirements/requirement.ts';
import { runningRequirements } from './requirements/running.ts';
import { searchRequirements } from './requirements/search.ts';
import { signInRequirements } from './requirements/sign-ins.ts';
import { surfaceRequirements } from './requirements/surfaces.ts';
import { telemetryRequirements } from './requirements/telemetry.ts';
import { trustRequirements } from './requirements/trust.ts';

export const requirements: readonly Requirement[] = [
  ...accessRequirements,
  ...principalRequirements,
  ...accessProjectRequirements,
  ...adviceRequirements,
  ...approvalRequirements,
  ...auditRequirements,
  ...callRequirements,
  ...chainRequirements,
  ...commandLineRequirements,
  ...dashboardRequirements,
  ...dashboardReviewRequirements,
  ...dashboardToolRequirements,
  ...disclosureRequirements,
  ...edgeRequirements,
  ...eraRequirements,
  ...gettingInRequirements,
  ...issuerRequirements,
  ...linkRequirements,
  ...liveRequirements,
  ...managementRequirements,
  ...offerRequirements,
  ...optimizerMeasuringRequirements,
  ...optimizerPromotionRequirements,
  ...optimizerRequirements,
  ...runningRequirements,
  ...replicaRequirements,
  ...searchRequirements,
  ...signInRequirements,
  ...surfaceRequirements,
  ...telemetryRequirements,
  ...trustRequirements,
];
