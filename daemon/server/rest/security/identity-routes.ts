import type { AuditDetail } from '../../../security/audit/audit-event.ts';
import { Conflict, InvalidRequest } from '../../../base/errors.ts';
import { mapInSlices, runInSlices } from '../../../base/slices.ts';
import type { SliceClock } from '../../../base/slices.ts';
import type { IdentityAdministration } from '../../../security/identity/identity-administration.ts';
import { formatGrants } from '../../../security/identity/grant.ts';
import type { IdentityStore } from '../../../security/identity/identity-store.ts';
import type { Identity } from '../../../security/identity/identity.ts';
import type { PasswordStrength, RestSettings } from '../../../settings/rest-settings.ts';
import { emptyOk, ok, okInSlices } from '../../http/answer.ts';
import { digestEntityTag, matchesEntityTag } from '../../http/entity-tag.ts';
import { implement } from '../../http/implement.ts';
import type { CallOf } from '../../http/implement.ts';
import type { BodyOf, ResultOf } from '../../../interface/endpoint.ts';
import {
  changeIdentity,
  createIdentity,
  deleteIdentity,
  deleteIdentityByName,
  listIdentities,
  listPermissions,
  readIdentity,
  readPasswordRequirements,
} from '../../../interface/security/identities.ts';
import { callerOf } from '../caller.ts';
import { showsDetails } from '../plant/record-details.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Route } from '../../http/route.ts';

type IdentityBody = BodyOf<typeof createIdentity>;
type IdentityRecord = ResultOf<typeof readIdentity>;

interface IdentityRouteParts {
  readonly identities: Pick<IdentityStore, 'find' | 'get' | 'list'>;
  readonly administration: IdentityAdministration;
  readonly passwordStrength: () => PasswordStrength;
  readonly rest: () => Pick<RestSettings, 'recordDetails'>;
  /** Lists the permissions that can be assigned. */
  readonly permissions: { list(): readonly string[] };
  readonly clock: SliceClock;
}

/** Creates the endpoints that manage identities. */
export function createIdentityRoutes(parts: IdentityRouteParts): readonly Route[] {
  return [...createReadRoutes(parts), ...createChangeRoutes(parts)];
}

function createReadRoutes({
  identities,
  passwordStrength,
  rest,
  permissions,
  clock,
}: IdentityRouteParts): readonly Route[] {
  const chooseRecord = ({ request }: Pick<RequestContext, 'request'>) =>
    showsDetails(request, rest()) ? toRecord : toPlainRecord;
  return [
    implement(readPasswordRequirements, () => ok(toRequirements(passwordStrength()))),
    implement(listPermissions, () => ok({ permissions: [...permissions.list()] })),
    implement(listIdentities, async (call) => {
      const userConfig = await runInSlices(mapInSlices(identities.list(), chooseRecord(call)), clock);
      return okInSlices({ userConfig: [...userConfig] }, clock);
    }),
    implement(readIdentity, (call) => {
      const identity = identities.get(call.body.userName);
      return ok(chooseRecord(call)(identity), { ETag: tagOf(identity) });
    }),
  ];
}

function createChangeRoutes({ identities, administration }: IdentityRouteParts): readonly Route[] {
  const remove = async (call: CallOf<typeof deleteIdentity | typeof deleteIdentityByName>) => {
    const { userName } = call.body;
    // An unknown name may be a password in the wrong field.
    const before = identities.find(userName);
    if (before !== undefined) call.auditAnnotation = { details: [{ userName, ...describeRights(before) }] };
    await administration.remove(userName, callerOf(call));
    return emptyOk();
  };
  return [
    implement(createIdentity, async (call) => {
      const { body } = call;
      const created = await administration
        .create(toRequest(body), callerOf(call))
        .catch((error: unknown) => Promise.reject(asInvalidName(error)));
      call.auditAnnotation = { details: [describeChange(body)] };
      return emptyOk({ ETag: tagOf(created) });
    }),
    implement(changeIdentity, async (call) => {
      const { body, request } = call;
      const before = identities.find(body.userName);
      if (before !== undefined) {
        const isOfRights = body.permissions !== undefined || body.grants !== undefined;
        const event = isOfRights ? 'PERMISSIONS_CHANGED' : 'IDENTITY_CHANGED';
        call.auditAnnotation = { event, details: [describeChange(body, before)] };
      }
      const isWanted = (present: Identity): boolean => matchesEntityTag(request, tagOf(present));
      // A literal, so that the compiler refuses an unknown key.
      const changed = await administration.change({ ...toRequest(body), matches: isWanted }, callerOf(call));
      return emptyOk({ ETag: tagOf(changed) });
    }),
    implement(deleteIdentity, remove),
    implement(deleteIdentityByName, remove),
  ];
}

function toRequest({ userName, passwordAuthEnabled, secondFactorEnabled, ...others }: IdentityBody) {
  return {
    name: userName,
    isPasswordEnabled: passwordAuthEnabled,
    isSecondFactorEnabled: secondFactorEnabled,
    ...others,
  };
}

/**
 * Returns the requested change for the audit trail, without the password.
 *
 * @param before the identity as it was; absent: it is created
 */
function describeChange(
  { userName, password, permissions, grants, ...flags }: IdentityBody,
  before?: Identity,
): AuditDetail {
  const former: Readonly<Record<string, unknown>> = before === undefined ? {} : toRecord(before);
  const given: Record<string, boolean> = {};
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    given[key] = value;
    const earlier = former[key];
    if (typeof earlier === 'boolean') given[`${key}Before`] = earlier;
  }
  const rights: Partial<ReturnType<typeof describeRights>> =
    before === undefined ? {} : describeRights(before);
  const { permissionsBefore, grantsBefore } = rights;
  return {
    userName,
    ...describePassword({ password, isEnabled: flags.passwordAuthEnabled }, before),
    ...given,
    ...(permissions === undefined ? {} : { permissions: permissions.join(', ') }),
    ...(permissions === undefined || permissionsBefore === undefined ? {} : { permissionsBefore }),
    ...(grants === undefined ? {} : { grants: formatGrants(grants) }),
    ...(grants === undefined || grantsBefore === undefined ? {} : { grantsBefore }),
  };
}

/** Returns the error for a name that exists as one of the request, as which clients of Kura know it. */
function asInvalidName(error: unknown): unknown {
  if (!(error instanceof Conflict) || error.code !== 'IDENTITY_EXISTS') return error;
  return new InvalidRequest({ code: error.code, detail: error.detail, cause: error });
}

// A new password changes the revision.
function tagOf(identity: Identity): string {
  return digestEntityTag([identity.id, identity.credentialsRevision, toRecord(identity)]);
}

function describeRights({ permissions, grants = [] }: Identity) {
  return { permissionsBefore: permissions.join(', '), grantsBefore: formatGrants(grants) };
}

/** Describes the change of the password without the password. */
function describePassword(
  { password, isEnabled }: { readonly password: string | undefined; readonly isEnabled: boolean | undefined },
  before: Identity | undefined,
): AuditDetail {
  const hadPassword = before?.passwordHash !== undefined;
  if (isEnabled === false) return hadPassword ? { passwordChange: 'removed' } : {};
  if (password === undefined) return {};
  return { passwordChange: hadPassword ? 'changed' : 'set' };
}

/** Returns an identity with the members of Kura alone. */
function toPlainRecord({ name, passwordHash, passwordChangeNeeded, permissions }: Identity): IdentityRecord {
  return {
    userName: name,
    passwordAuthEnabled: passwordHash !== undefined,
    passwordChangeNeeded,
    permissions,
  };
}

function toRecord(identity: Identity): IdentityRecord {
  const { hasSecondFactor = false, secondFactorRequired = false, grants = [] } = identity;
  const { permissions, ...head } = toPlainRecord(identity);
  return {
    ...head,
    secondFactorEnabled: hasSecondFactor,
    secondFactorRequired,
    permissions,
    grants,
  };
}

function toRequirements({
  minimumLength,
  requireDigits,
  requireSpecialCharacters,
  requireBothCases,
}: PasswordStrength): ResultOf<typeof readPasswordRequirements> {
  return {
    passwordMinimumLength: minimumLength,
    passwordRequireDigits: requireDigits,
    passwordRequireSpecialChars: requireSpecialCharacters,
    passwordRequireBothCases: requireBothCases,
  };
}
