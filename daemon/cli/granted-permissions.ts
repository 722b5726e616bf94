/** What a bundle may use, as the gateway reports it. */
export interface GrantedPermissions {
  readonly permissions?: readonly string[] | undefined;
  /** `any`: its authentication providers may name any identity. */
  readonly identities?: string | undefined;
}

/** Formats what a bundle may use, in one line. */
export function formatPermissions({ permissions = [], identities }: GrantedPermissions): string {
  return [...permissions, ...(identities === undefined ? [] : [`identities: ${identities}`])].join(', ');
}
