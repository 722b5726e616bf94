import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { SentBody, Shape } from '../endpoint.ts';
import { grantRecords } from '../plant/grant.ts';

const ROOT = '/services/identity/v1';
const PATH = `${ROOT}/identities`;
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
      .describe('The password is accepted only with a code; absent without details'),
    secondFactorRequired: z
      .boolean()
      .optional()
      .describe('The password grants no access until a second factor is set up; absent without details'),
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
// Unknown members are ignored.
const identityName = z.looseObject({ userName: z.string() }).meta({ id: 'UserName' });

/** Returns the password requirements. */
export const readPasswordRequirements = endpoint({
  method: 'GET',
  path: `${ROOT}/passwordRequirements`,
  summary: 'Returns the requirements for a new password',
  access: 'PUBLIC',
  isStatus: true,
  response: { status: 200, schema: passwordRequirements },
});

/** Lists the assignable permissions. */
export const listPermissions = endpoint({
  method: 'GET',
  path: `${ROOT}/definedPermissions`,
  summary: 'Lists the assignable permissions',
  access: 'rest.identity',
  isStatus: true,
  response: { status: 200, schema: definedPermissions },
});

/** Lists identities. */
export const listIdentities = endpoint({
  method: 'GET',
  path: PATH,
  summary: 'Lists the identities',
  access: 'rest.identity',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: identityList },
});

/** Shows an identity. */
export const readIdentity = endpoint({
  method: 'POST',
  path: `${PATH}/byName`,
  summary: 'Shows one identity',
  access: 'rest.identity',
  isNullAbsent: true,
  request: jsonBody(identityName, MAXIMUM_BYTES),
  response: { status: 200, schema: identityRecord },
});

const request = jsonBody(identityRequest, MAXIMUM_CHANGE_BYTES);

/** Creates an identity. */
export const createIdentity = endpoint({
  method: 'POST',
  path: PATH,
  summary: 'Creates an identity',
  access: 'rest.identity',
  audit: 'IDENTITY_CREATED',
  isNullAbsent: true,
  request,
  response: { status: 200 },
});

/** Changes an identity. */
export const changeIdentity = endpoint({
  method: 'PUT',
  path: PATH,
  summary: 'Changes an identity; omitted members stay unchanged',
  access: 'rest.identity',
  audit: 'IDENTITY_CHANGED',
  refusals: [409],
  condition: 'OPTIONAL',
  isNullAbsent: true,
  request,
  response: { status: 200 },
});

const removal = {
  method: 'DELETE',
  summary: 'Deletes an identity',
  access: 'rest.identity',
  audit: 'IDENTITY_REMOVED',
  refusals: [409],
  isNullAbsent: true,
  request: jsonBody(identityName, MAXIMUM_BYTES),
  response: { status: 200 },
} as const;

/** Deletes an identity. */
export const deleteIdentity = endpoint({ ...removal, path: PATH });

/** Deletes an identity; alternative path used by some Kura clients. */
export const deleteIdentityByName = endpoint({ ...removal, path: `${PATH}/byName` });

export type UserConfig = Shape<typeof identityRecord>;
export type UserConfigRequest = SentBody<typeof createIdentity>;
export type PasswordRequirements = Shape<typeof passwordRequirements>;
