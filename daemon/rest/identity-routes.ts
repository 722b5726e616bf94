import type { AuditDetail } from '../audit/audit-event.ts';
import { Conflict, InvalidRequest } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import type { IdentityAdministration } from '../identity/identity-administration.ts';
import { formatGrants } from '../identity/grant.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import { ADMIN_PERMISSION } from '../identity/permission.ts';
import type { PasswordStrength, RestSettings } from '../settings/rest-settings.ts';
import { ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { digestEntityTag, isMeantFor } from '../http/entity-tag.ts';
import { defineRoute } from '../http/route.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { callerOf } from './caller.ts';
import { grantRecords, toGrantRecords } from './grant-json.ts';
import { showsDetails } from './record-details.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';

const ROOT = '/services/identity/v1';
const MAXIMUM_BYTES = 65_536;
// Ten thousand grants of some channels each, with a reason.
const MAXIMUM_CHANGE_BYTES = 8 * 1_048_576;

const passwordRequirements = z
  .strictObject({
    passwordMinimumLength: z.int(),
    passwordRequireDigits: z.boolean(),
    passwordRequireSpecialChars: z.boolean(),
    passwordRequireBothCases: z.boolean(),
  })
  .meta({ id: 'PasswordRequirements' });
const identityRecord = z
  .strictObject({
    userName: z.string(),
    passwordAuthEnabled: z.boolean(),
    passwordChangeNeeded: z.boolean(),
    secondFactorEnabled: z
      .boolean()
      .optional()
      .describe('The password is accepted with a code only; absent without details'),
    secondFactorRequired: z
      .boolean()
      .optional()
      .describe('The password opens nothing before a second factor is set up; absent without details'),
    permissions: z.array(z.string()),
    grants: grantRecords.optional().describe('Absent without details'),
  })
  .meta({ id: 'UserConfig' });
const identityList = z.strictObject({ userConfig: z.array(identityRecord) }).meta({ id: 'UserConfigList' });
const definedPermissions = z
  .strictObject({ permissions: z.array(z.string()) })
  .meta({ id: 'DefinedPermissions' });
const identityRequest = z
  .strictObject({
    userName: z.string(),
    password: z.string().meta({ writeOnly: true }).optional(),
    passwordAuthEnabled: z.boolean().optional(),
    passwordChangeNeeded: z.boolean().optional(),
    secondFactorEnabled: z.boolean().optional().describe('False removes the second factor'),
    secondFactorRequired: z.boolean().optional(),
    permissions: z.array(z.string()).max(256).optional(),
    grants: grantRecords.optional(),
  })
  .meta({ id: 'UserConfigRequest' });
// Other members of the record are ignored.
const identityName = z.looseObject({ userName: z.string() }).meta({ id: 'UserName' });

type IdentityBody = z.infer<typeof identityRequest>;

interface IdentityRouteParts {
  readonly identities: Pick<IdentityStore, 'find' | 'get' | 'list'>;
  readonly administration: IdentityAdministration;
  readonly passwordStrength: () => PasswordStrength;
  readonly rest: () => Pick<RestSettings, 'recordDetails'>;
  /** Every endpoint of the gateway; their permissions can be assigned. */
  readonly routes: () => readonly Pick<Route, 'access'>[];
}

/** Creates the endpoints that manage identities. */
export function createIdentityRoutes(parts: IdentityRouteParts): readonly Route[] {
  return [...createReadRoutes(parts), ...createChangeRoutes(parts)];
}

/** Returns the permissions that can be assigned: that of each endpoint and the one that implies all, sorted by name. */
function listDefinedPermissions(routes: readonly Pick<Route, 'access'>[]): readonly string[] {
  const permissions = routes.map(({ access }) => access).filter((access) => access.startsWith('rest.'));
  return [...new Set([ADMIN_PERMISSION, ...permissions])].sort();
}

function createReadRoutes({
  identities,
  passwordStrength,
  rest,
  routes,
}: IdentityRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${ROOT}/passwordRequirements`,
      summary: 'Shows the requirements for a new password',
      access: 'ANYBODY',
      response: { status: 200, schema: passwordRequirements },
      handle: () => ok(toRequirements(passwordStrength())),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/definedPermissions`,
      summary: 'Lists the permissions',
      access: 'rest.identity',
      response: { status: 200, schema: definedPermissions },
      handle: () => ok({ permissions: listDefinedPermissions(routes()) }),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/identities`,
      summary: 'Lists the identities',
      access: 'rest.identity',
      response: { status: 200, schema: identityList },
      handle({ request }) {
        const toShown = showsDetails(request, rest()) ? toRecord : toPlainRecord;
        return ok({ userConfig: identities.list().map(toShown) });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/identities/byName`,
      summary: 'Shows one identity',
      access: 'rest.identity',
      isNullAbsent: true,
      request: jsonBody(identityName, MAXIMUM_BYTES),
      response: { status: 200, schema: identityRecord },
      handle({ body, request }) {
        const identity = identities.get(body.userName);
        const toShown = showsDetails(request, rest()) ? toRecord : toPlainRecord;
        return ok(toShown(identity), { ETag: tagOf(identity) });
      },
    }),
  ];
}

function createChangeRoutes({ identities, administration }: IdentityRouteParts): readonly Route[] {
  const request = jsonBody(identityRequest, MAXIMUM_CHANGE_BYTES);
  const removal = {
    method: 'DELETE',
    summary: 'Deletes an identity',
    access: 'rest.identity',
    audit: 'IDENTITY_REMOVED',
    refusals: [409],
    isNullAbsent: true,
    request: jsonBody(identityName, MAXIMUM_BYTES),
    response: { status: 200 },
    async handle(context: RequestContext<z.infer<typeof identityName>>): Promise<Answer> {
      const { userName } = context.body;
      // An unknown name may be a password in the wrong field.
      const before = identities.find(userName);
      if (before !== undefined) context.auditNote = { details: [{ userName, ...describeRights(before) }] };
      await administration.remove(userName, callerOf(context));
      return empty();
    },
  } as const;
  return [
    defineRoute({
      method: 'POST',
      path: `${ROOT}/identities`,
      summary: 'Creates an identity',
      access: 'rest.identity',
      audit: 'IDENTITY_CREATED',
      isNullAbsent: true,
      request,
      response: { status: 200 },
      async handle(context) {
        const { body } = context;
        const created = await administration
          .create(toRequest(body), callerOf(context))
          .catch((error: unknown) => Promise.reject(asInvalidName(error)));
        context.auditNote = { details: [describeChange(body)] };
        return empty({ ETag: tagOf(created) });
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${ROOT}/identities`,
      summary: 'Changes an identity; what is left out stays',
      access: 'rest.identity',
      audit: 'IDENTITY_CHANGED',
      refusals: [409],
      condition: 'OPTIONAL',
      isNullAbsent: true,
      request,
      response: { status: 200 },
      async handle(context) {
        const { body, request: message } = context;
        const before = identities.find(body.userName);
        if (before !== undefined) {
          const isOfRights = body.permissions !== undefined || body.grants !== undefined;
          const event = isOfRights ? 'PERMISSIONS_CHANGED' : 'IDENTITY_CHANGED';
          context.auditNote = { event, details: [describeChange(body, before)] };
        }
        const isWanted = (present: Identity): boolean => isMeantFor(message, tagOf(present));
        const change = { ...toRequest(body), isMeantFor: isWanted };
        return empty({ ETag: tagOf(await administration.change(change, callerOf(context))) });
      },
    }),
    defineRoute({ ...removal, path: `${ROOT}/identities` }),
    defineRoute({ ...removal, path: `${ROOT}/identities/byName` }),
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

/** Returns an answer without a body, as Kura gives it. */
function empty(headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, headers: { 'Content-Length': '0', ...headers } };
}

/** Returns the error for a name that exists as one of the request, as which clients of Kura know it. */
function asInvalidName(error: unknown): unknown {
  if (!(error instanceof Conflict) || error.code !== 'IDENTITY_EXISTS') return error;
  return new InvalidRequest({ code: error.code, detail: error.detail, cause: error });
}

// The revision tells a new password.
function tagOf(identity: Identity): string {
  return digestEntityTag([identity.id, identity.credentialsRevision, toRecord(identity)]);
}

function describeRights({ permissions, grants = [] }: Identity) {
  return { permissionsBefore: permissions.join(', '), grantsBefore: formatGrants(grants) };
}

/** Tells what becomes of the password, never the password. */
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
function toPlainRecord({
  name,
  passwordHash,
  passwordChangeNeeded,
  permissions,
}: Identity): z.infer<typeof identityRecord> {
  return {
    userName: name,
    passwordAuthEnabled: passwordHash !== undefined,
    passwordChangeNeeded,
    permissions: [...permissions],
  };
}

function toRecord(identity: Identity): z.infer<typeof identityRecord> {
  const { hasSecondFactor = false, secondFactorRequired = false, grants = [] } = identity;
  const { permissions, ...head } = toPlainRecord(identity);
  return {
    ...head,
    secondFactorEnabled: hasSecondFactor,
    secondFactorRequired,
    permissions,
    grants: toGrantRecords(grants),
  };
}

function toRequirements({
  minimumLength,
  requireDigits,
  requireSpecialCharacters,
  requireBothCases,
}: PasswordStrength): z.infer<typeof passwordRequirements> {
  return {
    passwordMinimumLength: minimumLength,
    passwordRequireDigits: requireDigits,
    passwordRequireSpecialChars: requireSpecialCharacters,
    passwordRequireBothCases: requireBothCases,
  };
}
