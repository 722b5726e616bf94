/** Where the identities are. */
export const IDENTITY_ROOT = '/services/identity/v1';
