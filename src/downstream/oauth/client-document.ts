/** The gateway as a client that authorization servers can look up: the address of its description, and what stands there. */

import type { JsonObject } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import { callbackPath } from './redirect-uri.ts';

const documentPath = '/oauth/client.json';

type Settings = Config['oauth'];

/** A description of the gateway that authorization servers can fetch. */
export interface ClientDocument {
  readonly url: string;
  /** Ours names one address that sign-ins come back to; what the owner's names is not known here. */
  readonly isOurs: boolean;
}

/** null: there is none, and the gateway has to be registered wherever it signs in. */
export function documentOf(settings: Settings): ClientDocument | null {
  if (settings.clientMetadataUrl !== null) return { url: settings.clientMetadataUrl, isOurs: false };
  if (settings.publicUrl === null) return null;
  return { url: `${originOf(settings.publicUrl)}${documentPath}`, isOurs: true };
}

/** Where browsers come back to. `address`: where the gateway listens; null while it does not. */
export function callbackOf(settings: Settings, address: string | null): string | null {
  if (settings.publicUrl !== null) return `${originOf(settings.publicUrl)}${callbackPath}`;
  if (address === null) return null;
  const { port } = new URL(address);
  // Without https only this machine may be the end of a sign-in, whatever the gateway listens on besides.
  return `http://127.0.0.1:${port || '80'}${callbackPath}`;
}

/** null where the gateway has no address of its own to show it at. */
export function describeClient(settings: Settings): JsonObject | null {
  if (settings.publicUrl === null) return null;
  const origin = originOf(settings.publicUrl);
  return {
    client_id: `${origin}${documentPath}`,
    client_name: 'Toolcrib',
    client_uri: origin,
    redirect_uris: [`${origin}${callbackPath}`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  };
}

function originOf(publicUrl: string): string {
  return publicUrl.replace(/\/+$/, '');
}
