/** The configuration of the gateway: one file, validated and watched, and the limits that are no settings. This is the front of the folder. */

export { parseServer } from './build-server.ts';
export { type ConfigPowers, powersOf, type WrittenSetting } from './config-powers.ts';
export { dangerousVariables, refuseDangerousVariables } from './dangerous-env.ts';
export { isSecretName, type SecretLookup } from './expand-env.ts';
export { type ConfigLocation, type ConfigText, candidateFiles, folderConfig, readConfigText } from './find-config.ts';
export type { ConfigIssue } from './issues.ts';
export { limits } from './limits.ts';
export { LiveConfig } from './live-config.ts';
export { type Config, inspectConfig, type LoadedConfig, loadConfig } from './load-config.ts';
export {
  noProject,
  type ProjectSearch,
  type ProjectSettings,
  parseProject,
  projectSearches,
  type SurfaceName,
  surfaceNames,
} from './project-schema.ts';
export { readJsonc } from './read-jsonc.ts';
export { type AgentName, configJsonSchema } from './schema.ts';
export { isLegalName, legalName } from './server-names.ts';
export {
  categoryNames,
  type Permission,
  permissions as permissionNames,
  type UpgradePolicy,
  upgradePolicies,
} from './server-schema.ts';
export { secretsOf } from './server-secrets.ts';
export {
  type HttpSpec,
  hasSameLinks,
  inheritedVariables,
  type OAuthSettings,
  type ServerSpec,
  type StdioSpec,
  sameServer,
} from './server-spec.ts';
export type { IssuerSettings } from './settings.ts';
export { TrustedConfigs } from './trusted-configs.ts';
export { watchConfig } from './watch-config.ts';
