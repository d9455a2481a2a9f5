/** The changes of a server's settings that its page sends. */

import type { SurveyedTool } from '../../../../admin/admin.ts';

type Permission = SurveyedTool['permission'];

/** The tools that are exposed after one was switched, by the names that the server has for them. */
export function exposureAfter(
  tools: readonly Pick<SurveyedTool, 'serverName' | 'absence'>[],
  changed: string,
  isOn: boolean,
): string[] {
  const exposed = tools.filter(({ serverName, absence }) => (serverName === changed ? isOn : absence !== 'hidden'));
  return [...new Set(exposed.map(({ serverName }) => serverName))];
}

/** `allow` is the default: it is written down only where a pattern may say otherwise. */
export function permissionAfter(
  permissions: Readonly<Record<string, Permission>>,
  tool: string,
  wanted: Permission,
): Record<string, Permission | null> {
  const hasPattern = Object.keys(permissions).some((name) => name.includes('*'));
  const isDefault = wanted === 'allow' && !hasPattern && Object.hasOwn(permissions, tool);
  return { [tool]: isDefault ? null : wanted };
}
