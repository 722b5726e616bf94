import type { UserConfig } from '../../api/types.ts';

/** An identity; a gateway without second factors says nothing of them. */
export type ShownIdentity = UserConfig & {
  readonly secondFactorEnabled?: boolean;
  readonly secondFactorRequired?: boolean;
};

export const IDENTITY_ROOT = '/services/identity/v1';
