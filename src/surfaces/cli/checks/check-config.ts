/** Looks at the config file: which one is used, and everything that is wrong with it. */

import type { HealthFinding } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { ConfigIssue, ConfigLocation } from '../../../config/config.ts';

const subject = 'config';

export async function checkConfig(location: ConfigLocation): Promise<HealthFinding[]> {
  const { candidateFiles, inspectConfig } = await import('../../../config/config.ts');
  try {
    const { file, warnings } = await inspectConfig(location);
    const looked = candidateFiles(location).join(', ');
    const message = file === null ? `There is no config file (looked for ${looked}).` : `The config ${file} is valid.`;
    const notes = warnings.map((warning): HealthFinding => ({ severity: 'note', subject, message: warning }));
    return [{ severity: 'ok', subject, message }, ...notes];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return issueLines(error).map((message) => ({
      severity: 'problem',
      subject,
      message,
      hint: 'Correct it, then check it: toolcrib config check',
    }));
  }
}

/** Without a gateway that has read its config already, a command would use this one. */
export async function checkTrust(location: ConfigLocation): Promise<HealthFinding[]> {
  const { loadConfig } = await import('../../../config/config.ts');
  try {
    await loadConfig(location);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A mistake in it is a finding of its own.
    if (error.code !== 'CONFIG_INVALID')
      return [{ severity: 'problem', subject, message: error.message, hint: error.hint }];
  }
  return [];
}

/** Every mistake as `file:line:column: sentence`. */
export function issueLines(error: GatewayError): string[] {
  return error.message.split('\n').filter((line) => line !== '');
}

/** The same for programs. */
export function issuesOf(error: GatewayError): readonly ConfigIssue[] {
  const issues = error.data?.issues;
  return Array.isArray(issues) ? issues : [];
}
