import { NotPermitted } from '../../base/errors.ts';
import type { BundlePermissions } from '../bundle/bundle-permissions.ts';
import { isCredentialField } from './credential-field.ts';

/**
 * Checks that a bundle has the permissions that its authentication provider needs.
 *
 * @param headers names of the headers that the provider reads, in lower case
 * @throws {NotPermitted} `BUNDLE_PERMISSION_MISSING`, which names the permission and the first header that needs it
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
