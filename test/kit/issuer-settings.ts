/** The settings of an issuer of tokens as the config would give them. */

import type { IssuerSettings } from '../../src/config/config.ts';
import { issuerSettingsSchema } from '../../src/config/issuer-schema.ts';

/** `more`: what is special about them. */
export function issuerSettings(more: Partial<IssuerSettings> = {}): IssuerSettings {
  return { ...issuerSettingsSchema.parse({ issuer: 'https://issuer.test' }), ...more };
}
