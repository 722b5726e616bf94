import type { Grant } from '../../../interface/plant/grant.ts';
import type { UserConfig, UserConfigRequest } from '../../../interface/security/identities.ts';

/** Form state of a grant. */
export interface TypedGrant {
  readonly assets: string;
  readonly channels: string;
  readonly isRead: boolean;
  readonly isWrite: boolean;
  /** Value of a datetime-local field, in the browser's time zone. */
  readonly until: string;
  readonly reason: string;
}

/** Form state of an identity. */
export interface TypedIdentity {
  readonly userName: string;
  readonly password: string;
  readonly isPasswordEnabled: boolean;
  readonly isChangeNeeded: boolean;
  readonly isFactorRequired: boolean;
  readonly permissions: readonly string[];
  readonly grants: readonly TypedGrant[];
}

export const EMPTY_GRANT: TypedGrant = {
  assets: '',
  channels: '',
  isRead: true,
  isWrite: false,
  until: '',
  reason: '',
};

/** Returns the form state of an identity, or of a new one. */
export function toTyped(identity: UserConfig | undefined): TypedIdentity {
  return {
    userName: identity?.userName ?? '',
    password: '',
    isPasswordEnabled: identity?.passwordAuthEnabled ?? true,
    isChangeNeeded: identity?.passwordChangeNeeded ?? true,
    isFactorRequired: identity?.secondFactorRequired ?? false,
    permissions: identity?.permissions ?? [],
    grants: (identity?.grants ?? []).map((grant) => ({
      assets: grant.assets.join(', '),
      channels: grant.channels?.join(', ') ?? '',
      isRead: grant.operations.includes('READ'),
      isWrite: grant.operations.includes('WRITE'),
      until: grant.until === undefined ? '' : toLocalField(Date.parse(grant.until)),
      reason: grant.reason ?? '',
    })),
  };
}

/** Returns the request body: for an existing identity, only the changed fields. */
export function toRequest(typed: TypedIdentity, before: UserConfig | undefined): UserConfigRequest {
  const former = toTyped(before);
  const isNew = before === undefined;
  const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
  return {
    userName: typed.userName.trim(),
    ...(typed.password === '' ? {} : { password: typed.password }),
    ...(isNew || typed.isPasswordEnabled !== former.isPasswordEnabled
      ? { passwordAuthEnabled: typed.isPasswordEnabled }
      : {}),
    ...((isNew && typed.isPasswordEnabled) || (!isNew && typed.isChangeNeeded !== former.isChangeNeeded)
      ? { passwordChangeNeeded: typed.isChangeNeeded }
      : {}),
    ...(typed.isFactorRequired === former.isFactorRequired
      ? {}
      : { secondFactorRequired: typed.isFactorRequired }),
    ...(isNew || !isSame(typed.permissions.toSorted(), former.permissions.toSorted())
      ? { permissions: [...typed.permissions] }
      : {}),
    ...(isSame(typed.grants, former.grants) ? {} : { grants: typed.grants.map(toGrant) }),
  };
}

function toGrant(typed: TypedGrant): Grant {
  const channels = split(typed.channels);
  return {
    assets: split(typed.assets),
    ...(channels.length === 0 ? {} : { channels }),
    operations: [
      ...(typed.isRead ? (['READ'] as const) : []),
      ...(typed.isWrite ? (['WRITE'] as const) : []),
    ],
    ...(typed.until === '' ? {} : { until: new Date(typed.until).toISOString() }),
    ...(typed.reason.trim() === '' ? {} : { reason: typed.reason.trim() }),
  };
}

function split(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function toLocalField(ms: number): string {
  const shiftMs = new Date(ms).getTimezoneOffset() * 60_000;
  const isWholeMinute = ms % 60_000 === 0;
  return new Date(ms - shiftMs).toISOString().slice(0, isWholeMinute ? 16 : 19);
}

/** Path of the identities. */
export const IDENTITY_ROOT = '/services/identity/v1';
