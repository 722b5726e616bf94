import type { IncomingMessage } from 'node:http';

import type { RestSettings } from '../../../settings/rest-settings.ts';

/** Token of the field Prefer (RFC 7240) by which a client gets the members in any case. */
const PREFERENCE = 'record-details';

/**
 * True if records have members in addition to those of Kura: because of the settings, or because the client prefers them. Strict
 * clients do not send the preference.
 */
export function showsDetails(
  { headers: { prefer } }: Pick<IncomingMessage, 'headers'>,
  { recordDetails }: Pick<RestSettings, 'recordDetails'>,
): boolean {
  if (recordDetails || prefer === undefined) return recordDetails;
  const preferences = [prefer].flat().join(',').split(',');
  return preferences.some((preference) => preference.split(';')[0]?.trim().toLowerCase() === PREFERENCE);
}
