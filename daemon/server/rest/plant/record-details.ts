import type { IncomingMessage } from 'node:http';

import type { RestSettings } from '../../../settings/rest-settings.ts';
import { hasPreference } from '../../http/preference.ts';

/** Token of the field Prefer (RFC 7240) by which a client gets the members in any case. */
const PREFERENCE = 'record-details';

/**
 * True if records have members in addition to those of Kura: because of the settings, or because the client prefers them. Strict
 * clients do not send the preference.
 */
export function showsDetails(
  request: Pick<IncomingMessage, 'headers'>,
  { recordDetails }: Pick<RestSettings, 'recordDetails'>,
): boolean {
  return recordDetails || hasPreference(request, PREFERENCE);
}
