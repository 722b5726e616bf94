import type { IncomingMessage } from 'node:http';

/** True if a client prefers something by the field Prefer (RFC 7240). */
export function hasPreference(
  { headers: { prefer } }: Pick<IncomingMessage, 'headers'>,
  token: string,
): boolean {
  if (prefer === undefined) return false;
  const preferences = [prefer].flat().join(',').split(',');
  return preferences.some((preference) => preference.split(';')[0]?.trim().toLowerCase() === token);
}
