import { InvalidRequest, NotFound } from '../../../base/errors.ts';
import type { SliceClock } from '../../../base/slices.ts';
import type { BodyOf, ResultOf } from '../../../interface/endpoint.ts';
import {
  changeKuraIdentity,
  createKuraIdentity,
  createKuraPermission,
  deleteKuraIdentity,
  deleteKuraPermission,
  listKuraIdentities,
  listKuraPermissions,
  readDefaultKuraIdentity,
  readKuraIdentity,
  readKuraRequirements,
  validateKuraIdentity,
} from '../../../interface/kura/identities.ts';
import type { IdentityAdministration } from '../../../security/identity/identity-administration.ts';
import type { IdentityStore } from '../../../security/identity/identity-store.ts';
import type { Identity } from '../../../security/identity/identity.ts';
import type { PermissionAdministration } from '../../../security/identity/permission-administration.ts';
import type { PasswordStrength } from '../../../settings/rest-settings.ts';
import { emptyOk, ok, okForEach } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';

type Record = ResultOf<typeof readKuraIdentity>;
type Request = BodyOf<typeof changeKuraIdentity>;
type Part = NonNullable<BodyOf<typeof readKuraIdentity>['configurationComponents']>[number];
type Described = Pick<Identity, 'name' | 'permissions' | 'passwordChangeNeeded' | 'passwordHash'>;

interface KuraIdentityRouteParts {
  readonly identities: Pick<IdentityStore, 'find' | 'get' | 'list'>;
  readonly administration: IdentityAdministration;
  readonly permissions: PermissionAdministration;
  readonly passwordStrength: () => PasswordStrength;
  readonly clock: SliceClock;
}

const ALL_PARTS: readonly Part[] = [
  'AdditionalConfigurations',
  'AssignedPermissions',
  'PasswordConfiguration',
];
// Runs of letters and digits.
const NAME = /^(?=.{3,255}$)[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*$/;

/** Creates the endpoints of identities as Kura has them in `identity/v2`. */
export function createKuraIdentityRoutes(parts: KuraIdentityRouteParts): readonly Route[] {
  return [...createReadRoutes(parts), ...createChangeRoutes(parts), ...createPermissionRoutes(parts)];
}

function createReadRoutes({ identities, passwordStrength, clock }: KuraIdentityRouteParts): readonly Route[] {
  return [
    implement(listKuraIdentities, () =>
      okForEach(identities.list(), (each) => toRecord(each, ALL_PARTS), clock),
    ),
    implement(readKuraIdentity, ({ body: { identity, configurationComponents } }) =>
      ok(toRecord(identities.get(identity.name), configurationComponents)),
    ),
    implement(readDefaultKuraIdentity, ({ body: { identity, configurationComponents } }) => {
      const fresh = { name: identity.name, permissions: [], passwordChangeNeeded: false };
      return ok(toRecord(fresh, configurationComponents));
    }),
    implement(readKuraRequirements, () => ok(toRequirements(passwordStrength()))),
  ];
}

function createChangeRoutes({
  identities,
  administration,
  permissions,
}: KuraIdentityRouteParts): readonly Route[] {
  return [
    implement(createKuraIdentity, async (call) => {
      const { name } = call.body;
      if (identities.find(name) === undefined) refuseName(name);
      await administration.create({ name }, callerOf(call));
      call.auditAnnotation = { details: [{ userName: name }] };
      return emptyOk();
    }),
    implement(changeKuraIdentity, async (call) => {
      const request = toRequest(call.body);
      const before = identities.find(request.name);
      if (before !== undefined) {
        const event = request.permissions === undefined ? 'IDENTITY_CHANGED' : 'PERMISSIONS_CHANGED';
        call.auditAnnotation = { event, details: [describeChange(request, before)] };
      }
      refuseParts(call.body, permissions);
      await administration
        .change(request, callerOf(call))
        .catch((error: unknown) => Promise.reject(asInvalid(error)));
      return emptyOk();
    }),
    implement(validateKuraIdentity, async ({ body }) => {
      refuseParts(body, permissions);
      await administration.validate(toRequest(body));
      return emptyOk();
    }),
    implement(deleteKuraIdentity, async (call) => {
      const { name } = call.body;
      const before = identities.find(name);
      if (before !== undefined) call.auditAnnotation = { details: [{ userName: name, ...rightsOf(before) }] };
      await administration.remove(name, callerOf(call));
      return emptyOk();
    }),
  ];
}

function createPermissionRoutes({ permissions }: KuraIdentityRouteParts): readonly Route[] {
  return [
    implement(listKuraPermissions, () => ok(permissions.list().map((name) => ({ name })))),
    implement(createKuraPermission, (call) => {
      const { name } = call.body;
      permissions.define(name);
      call.auditAnnotation = { details: [{ permission: name, isDefined: true }] };
      return emptyOk();
    }),
    implement(deleteKuraPermission, (call) => {
      const { name } = call.body;
      permissions.remove(name, callerOf(call));
      call.auditAnnotation = { details: [{ permission: name, isDefined: false }] };
      return emptyOk();
    }),
  ];
}

function refuseName(name: string): void {
  if (NAME.test(name)) return;
  const detail = 'expected a name of 3 to 255 letters and digits, joined by single periods or underscores';
  throw new InvalidRequest({ code: 'IDENTITY_NAME_INVALID', detail });
}

function refuseParts(
  { permissionConfiguration, additionalConfigurations }: Request,
  permissions: PermissionAdministration,
): void {
  permissions.refuseUnknown(permissionConfiguration?.permissions.map(({ name }) => name) ?? []);
  const [other] = additionalConfigurations?.configurations ?? [];
  if (other === undefined) return;
  const detail = `additionalConfigurations: nothing with the pid ${JSON.stringify(other.pid.slice(0, 100))} extends identities`;
  throw new InvalidRequest({ code: 'BODY_INVALID', detail });
}

/** Kura answers 400 for an identity that does not exist where it is changed. */
function asInvalid(error: unknown): unknown {
  if (!(error instanceof NotFound) || error.code !== 'IDENTITY_NOT_FOUND') return error;
  return new InvalidRequest({ code: error.code, detail: error.detail, cause: error });
}

function toRequest({ identity, permissionConfiguration, passwordConfiguration }: Request) {
  const { passwordChangeNeeded, passwordAuthEnabled, password } = passwordConfiguration ?? {};
  return {
    name: identity.name,
    permissions: permissionConfiguration?.permissions.map(({ name }) => name),
    passwordChangeNeeded,
    isPasswordEnabled: passwordAuthEnabled,
    // Kura does not use a password if passwordAuthEnabled is false.
    password: passwordAuthEnabled === false ? undefined : password,
  };
}

/** Describes a change for the audit, without the password. */
function describeChange(
  { name, permissions, passwordChangeNeeded, isPasswordEnabled, password }: ReturnType<typeof toRequest>,
  before: Identity,
) {
  return {
    userName: name,
    ...(password === undefined
      ? {}
      : { passwordChange: before.passwordHash === undefined ? 'set' : 'changed' }),
    ...(isPasswordEnabled === undefined ? {} : { passwordAuthEnabled: isPasswordEnabled }),
    ...(passwordChangeNeeded === undefined ? {} : { passwordChangeNeeded }),
    ...(permissions === undefined ? {} : { permissions: permissions.join(', '), ...rightsOf(before) }),
  };
}

function rightsOf({ permissions }: Identity) {
  return { permissionsBefore: permissions.join(', ') };
}

function toRecord(identity: Described, parts: readonly Part[] = []): Record {
  const { name, permissions, passwordChangeNeeded, passwordHash } = identity;
  return {
    identity: { name },
    ...(parts.includes('AssignedPermissions')
      ? { permissionConfiguration: { permissions: permissions.map((each) => ({ name: each })) } }
      : {}),
    ...(parts.includes('PasswordConfiguration')
      ? { passwordConfiguration: { passwordChangeNeeded, passwordAuthEnabled: passwordHash !== undefined } }
      : {}),
    ...(parts.includes('AdditionalConfigurations')
      ? { additionalConfigurations: { configurations: [] } }
      : {}),
  };
}

function toRequirements({
  minimumLength,
  requireDigits,
  requireSpecialCharacters,
  requireBothCases,
}: PasswordStrength): ResultOf<typeof readKuraRequirements> {
  return {
    passwordMinimumLength: minimumLength,
    digitsRequired: requireDigits,
    specialCharactersRequired: requireSpecialCharacters,
    bothCasesRequired: requireBothCases,
  };
}
