import { NotPermitted } from '../../base/errors.ts';
import type { BundlePermissions } from '../bundle/bundle-permissions.ts';
import { isCredentialField } from './credential-field.ts';

/**
 * Refuses an authentication provider that needs a permission which its bundle does not have.
 *
 * @param headers names of the header fields that it needs to see, in lower case
 * @throws {NotPermitted} `BUNDLE_PERMISSION_MISSING`, which names the permission and the first field that needs it
 */
export function checkProviderPermissions(
  { authentication, credentials }: BundlePermissions,
  headers: readonly string[],
): void {
  if (!authentication) throw missing('authentication', 'registering an authentication provider');
  const field = credentials ? undefined : headers.find(isCredentialField);
  if (field !== undefined) throw missing('credentials', `reading the header ${field}`);
}

function missing(permission: string, purpose: string): NotPermitted {
  const detail = `${purpose} needs the permission "${permission}" in Penstock-Permissions`;
  return new NotPermitted({ code: 'BUNDLE_PERMISSION_MISSING', detail });
}
