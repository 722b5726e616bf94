// The interface `identity/v2` of Eclipse Kura, with its objects, statuses and spelling.
import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';

const ROOT = '/services/identity/v2';
const ACCESS = 'rest.identity';
const MAXIMUM_BYTES = 65_536;

const PARTS = ['AdditionalConfigurations', 'AssignedPermissions', 'PasswordConfiguration'] as const;

const filledName = z.string().regex(/\S/, 'expected a name');
const nameRequest = z.looseObject({ name: filledName }).meta({ id: 'KuraName' });
const permission = z.strictObject({ name: z.string() }).meta({ id: 'KuraPermission' });
const identityName = z.strictObject({ name: z.string() }).meta({ id: 'KuraIdentityName' });
const permissionRequest = z.looseObject({ name: z.string() }).meta({ id: 'KuraPermissionRequest' });
const permissionsRequest = z
  .looseObject({ permissions: z.array(permissionRequest).max(256) })
  .meta({ id: 'KuraPermissionsRequest' });
const passwordRequest = z
  .looseObject({
    passwordChangeNeeded: z.boolean(),
    passwordAuthEnabled: z.boolean(),
    password: z
      .string()
      .regex(/^\S*$/, 'expected a password without white space')
      .meta({ writeOnly: true })
      .optional(),
  })
  .meta({ id: 'KuraPasswordRequest' });
const additionalRequest = z.looseObject({ pid: z.string() }).meta({ id: 'KuraAdditionalRequest' });
const additionsRequest = z
  .looseObject({ configurations: z.array(additionalRequest).max(256) })
  .meta({ id: 'KuraAdditionsRequest' });
const configurationRequest = z
  .looseObject({
    identity: nameRequest,
    permissionConfiguration: permissionsRequest.optional(),
    passwordConfiguration: passwordRequest.optional(),
    additionalConfigurations: additionsRequest.optional(),
  })
  .meta({ id: 'KuraIdentityRequest' });
const partsRequest = z
  .looseObject({
    identity: nameRequest,
    configurationComponents: z.array(z.enum(PARTS)).max(PARTS.length).optional(),
  })
  .meta({ id: 'KuraIdentityPartsRequest' });
const permissions = z
  .strictObject({ permissions: z.array(permission) })
  .meta({ id: 'KuraPermissionConfiguration' });
const passwordState = z
  .strictObject({ passwordChangeNeeded: z.boolean(), passwordAuthEnabled: z.boolean() })
  .meta({ id: 'KuraPasswordConfiguration' });
const additions = z
  .strictObject({
    configurations: z.array(z.never()).describe('Always empty: nothing extends identities'),
  })
  .meta({ id: 'KuraAdditionalConfigurations' });
const configuration = z
  .strictObject({
    identity: identityName,
    permissionConfiguration: permissions.optional(),
    passwordConfiguration: passwordState.optional(),
    additionalConfigurations: additions.optional(),
  })
  .meta({ id: 'KuraIdentity' });
const requirements = z
  .strictObject({
    passwordMinimumLength: z.int(),
    digitsRequired: z.boolean(),
    specialCharactersRequired: z.boolean(),
    bothCasesRequired: z.boolean(),
  })
  .meta({ id: 'KuraPasswordRequirements' });

const common = { access: ACCESS, isOfSpecification: true } as const;
const named = {
  ...common,
  request: jsonBody(nameRequest, MAXIMUM_BYTES),
  response: { status: 200 },
} as const;

/** Creates an identity without password and permissions. */
export const createKuraIdentity = endpoint({
  ...named,
  method: 'POST',
  path: `${ROOT}/identities`,
  summary: 'Creates an identity without password and permissions',
  audit: 'IDENTITY_CREATED',
  refusals: [409],
});

/** Changes parts of an identity. */
export const changeKuraIdentity = endpoint({
  ...common,
  method: 'PUT',
  path: `${ROOT}/identities`,
  summary: 'Changes an identity; omitted parts stay unchanged',
  audit: 'IDENTITY_CHANGED',
  refusals: [409],
  request: jsonBody(configurationRequest, MAXIMUM_BYTES),
  response: { status: 200 },
});

/** Deletes an identity. */
export const deleteKuraIdentity = endpoint({
  ...named,
  method: 'DELETE',
  path: `${ROOT}/identities`,
  summary: 'Deletes an identity',
  audit: 'IDENTITY_REMOVED',
  refusals: [409],
});

/** Lists the identities with all parts. */
export const listKuraIdentities = endpoint({
  ...common,
  method: 'GET',
  path: `${ROOT}/identities`,
  summary: 'Lists the identities',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(configuration) },
});

/** Shows an identity with the parts that the request names. */
export const readKuraIdentity = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/identities/byName`,
  summary: 'Shows one identity',
  request: jsonBody(partsRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: configuration },
});

/** Shows what a new identity would have. */
export const readDefaultKuraIdentity = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/identities/default/byName`,
  summary: 'Shows what a new identity would have',
  request: jsonBody(partsRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: configuration },
});

/** Checks the change of an identity without making it. */
export const validateKuraIdentity = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/identities/validate`,
  summary: 'Checks the change of an identity, which need not exist',
  request: jsonBody(configurationRequest, MAXIMUM_BYTES),
  response: { status: 200 },
});

/** Lists the assignable permissions. */
export const listKuraPermissions = endpoint({
  ...common,
  method: 'GET',
  path: `${ROOT}/definedPermissions`,
  summary: 'Lists the assignable permissions',
  isStatus: true,
  response: { status: 200, schema: z.array(permission) },
});

/** Defines a permission. */
export const createKuraPermission = endpoint({
  ...named,
  method: 'POST',
  path: `${ROOT}/permissions`,
  summary: 'Defines a permission, which gives access to nothing of the gateway',
  audit: 'PERMISSIONS_CHANGED',
  refusals: [409],
});

/** Deletes a permission and takes it from every identity. */
export const deleteKuraPermission = endpoint({
  ...named,
  method: 'DELETE',
  path: `${ROOT}/permissions`,
  summary: 'Deletes a defined permission and takes it from every identity',
  audit: 'PERMISSIONS_CHANGED',
  refusals: [409],
});

/** Returns the password requirements; the path has the spelling of Kura. */
export const readKuraRequirements = endpoint({
  method: 'GET',
  path: `${ROOT}/passwordStrenghtRequirements`,
  isOfSpecification: true,
  summary: 'Returns the requirements for a new password',
  access: 'PUBLIC',
  isStatus: true,
  response: { status: 200, schema: requirements },
});
