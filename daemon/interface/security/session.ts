import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { grantRecords } from '../plant/grant.ts';

const ROOT = '/services/session/v1';
const MAXIMUM_BYTES = 8192;
// Fits a recovery code with spaces.
const MAXIMUM_CODE_LENGTH = 64;

// Unknown members of a body are ignored, as Kura clients expect.
const usernamePassword = z
  .object({
    username: z.string(),
    password: z.string(),
    secondFactorCode: z
      .string()
      .max(MAXIMUM_CODE_LENGTH)
      .meta({ writeOnly: true })
      .optional()
      .describe('Six digits of the authenticator app, or a recovery code; ignored without a second factor'),
  })
  .meta({ id: 'UsernamePassword' });
const enrolmentNeeded = z
  .literal(true)
  .optional()
  .describe('A second factor must be set up before the password grants access; absent: not required');
const authenticationResponse = z
  .strictObject({
    passwordChangeNeeded: z.boolean(),
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    message: z.string().optional(),
  })
  .meta({ id: 'AuthenticationResponse' });
// The operation rejects a missing member like an empty one.
const passwordChangeRequest = z
  .object({
    currentPassword: z.string().default(''),
    newPassword: z.string().default(''),
  })
  .meta({ id: 'PasswordChangeRequest' });
const identityInfo = z
  .strictObject({
    name: z.string(),
    passwordChangeNeeded: z.boolean(),
    permissions: z.array(z.string()),
    grants: grantRecords.optional().describe('Absent if the identity has none, and without details'),
  })
  .meta({ id: 'IdentityInfo' });
const ownSession = z
  .strictObject({
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    sessionSecondsLeft: z
      .int()
      .optional()
      .describe('Seconds until the session expires if it is not used; absent: no session'),
  })
  .meta({ id: 'OwnSession' });
const authenticationInfo = z
  .strictObject({
    passwordAuthenticationEnabled: z.boolean(),
    certificateAuthenticationEnabled: z.boolean(),
    certificateAuthenticationPorts: z.array(z.int()).optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'AuthenticationInfo' });
const xsrfToken = z.strictObject({ xsrfToken: z.string() }).meta({ id: 'XSRFToken' });

const login = {
  method: 'POST',
  isOfSpecification: true,
  access: 'PUBLIC',
  isLogin: true,
  refusals: [401],
  audit: 'LOGIN',
  response: { status: 200, schema: authenticationResponse },
} as const;

/** Opens a session with a password. */
export const logInByPassword = endpoint({
  ...login,
  path: `${ROOT}/login/password`,
  summary: 'Opens a session with user name and password',
  request: { ...jsonBody(usernamePassword, MAXIMUM_BYTES), mayHoldNul: true },
});

/** Opens a session with a client certificate. */
export const logInByCertificate = endpoint({
  ...login,
  path: `${ROOT}/login/certificate`,
  summary: 'Opens a session with the client certificate of the connection',
});

/** Returns the XSRF token for requests of the session. */
export const readXsrfToken = endpoint({
  method: 'GET',
  path: `${ROOT}/xsrfToken`,
  isOfSpecification: true,
  summary: 'Returns the XSRF token of the session',
  access: 'ANY_IDENTITY',
  isXsrfExempt: true,
  isSessionQuery: true,
  isOpenToLockedSessions: true,
  response: { status: 200, schema: xsrfToken },
});

/** Ends the session of the request. */
export const logOut = endpoint({
  method: 'POST',
  path: `${ROOT}/logout`,
  isOfSpecification: true,
  summary: 'Ends the session',
  access: 'ANY_IDENTITY',
  audit: 'LOGOUT',
  isOpenToLockedSessions: true,
  response: { status: 204 },
});

/** Changes the caller's own password. */
export const changeOwnPassword = endpoint({
  method: 'POST',
  path: `${ROOT}/changePassword`,
  isOfSpecification: true,
  summary: 'Changes the password of the identity and ends all its sessions',
  access: 'ANY_IDENTITY',
  audit: 'PASSWORD_CHANGE',
  isOpenToLockedSessions: true,
  request: { ...jsonBody(passwordChangeRequest, MAXIMUM_BYTES), mayHoldNul: true },
  response: { status: 204 },
});

/** Returns the identity of the request. */
export const readOwnIdentity = endpoint({
  method: 'GET',
  path: `${ROOT}/currentIdentity`,
  isOfSpecification: true,
  summary: 'Returns the identity of the request',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
  isStatus: true,
  response: { status: 200, schema: identityInfo },
});

/** Returns the remaining lifetime of the session. */
export const readOwnSession = endpoint({
  method: 'GET',
  path: `${ROOT}/_own`,
  summary: 'Returns the remaining lifetime of the session without extending it',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
  isSessionNeutral: true,
  isStatus: true,
  response: { status: 200, schema: ownSession },
});

/** Returns the available authentication methods. */
export const readLoginMethods = endpoint({
  method: 'GET',
  path: `${ROOT}/authenticationInfo`,
  isOfSpecification: true,
  summary: 'Returns the available authentication methods',
  access: 'PUBLIC',
  isStatus: true,
  response: { status: 200, schema: authenticationInfo },
});

export type IdentityInfo = Shape<typeof identityInfo>;
