import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { grantRecords } from '../plant/grant.ts';

const ROOT = '/services/session/v1';
const MAXIMUM_BYTES = 8192;
// Room for a recovery code with blanks.
const MAXIMUM_CODE_LENGTH = 64;

// Other members of a body are ignored, as clients of Kura expect.
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
  .describe('A second factor has to be set up before the password opens anything else; absent: it has not');
const authenticationResponse = z
  .strictObject({
    passwordChangeNeeded: z.boolean(),
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    message: z.string().optional(),
  })
  .meta({ id: 'AuthenticationResponse' });
// The operation refuses a missing member in the same way as an empty one.
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
    grants: grantRecords.optional().describe('Absent when the identity has none, and without details'),
  })
  .meta({ id: 'IdentityInfo' });
const ownSession = z
  .strictObject({
    secondFactorEnrolmentNeeded: enrolmentNeeded,
    sessionSecondsLeft: z
      .int()
      .optional()
      .describe('Seconds until the session ends unless it is used; absent without one'),
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
  access: 'ANYBODY',
  isLogin: true,
  refusals: [401],
  audit: 'LOGIN',
  response: { status: 200, schema: authenticationResponse },
} as const;

/** Opens a session for a password. */
export const logInByPassword = endpoint({
  ...login,
  path: `${ROOT}/login/password`,
  summary: 'Opens a session by password',
  request: { ...jsonBody(usernamePassword, MAXIMUM_BYTES), mayHoldNul: true },
});

/** Opens a session for a client certificate. */
export const logInByCertificate = endpoint({
  ...login,
  path: `${ROOT}/login/certificate`,
  summary: 'Opens a session by the client certificate of the connection',
});

/** Gives the XSRF token, which requests of a session carry. */
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

/** Replaces the password of the identity whose session it is. */
export const changeOwnPassword = endpoint({
  method: 'POST',
  path: `${ROOT}/changePassword`,
  isOfSpecification: true,
  summary: 'Replaces the password of the identity and ends all its sessions',
  access: 'ANY_IDENTITY',
  audit: 'PASSWORD_CHANGE',
  isOpenToLockedSessions: true,
  request: { ...jsonBody(passwordChangeRequest, MAXIMUM_BYTES), mayHoldNul: true },
  response: { status: 204 },
});

/** Shows who sends the request. */
export const readOwnIdentity = endpoint({
  method: 'GET',
  path: `${ROOT}/currentIdentity`,
  isOfSpecification: true,
  summary: 'Shows the identity of the request',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
  isStatus: true,
  response: { status: 200, schema: identityInfo },
});

/** Shows how long the session lasts. */
export const readOwnSession = endpoint({
  method: 'GET',
  path: `${ROOT}/_own`,
  summary: 'Shows how long the session of the request lasts, without using it',
  access: 'ANY_IDENTITY',
  isSessionQuery: true,
  isNoUseOfSession: true,
  isStatus: true,
  response: { status: 200, schema: ownSession },
});

/** Shows how one may log in. */
export const readLoginMethods = endpoint({
  method: 'GET',
  path: `${ROOT}/authenticationInfo`,
  isOfSpecification: true,
  summary: 'Shows which login methods are available',
  access: 'ANYBODY',
  isStatus: true,
  response: { status: 200, schema: authenticationInfo },
});

export type IdentityInfo = Shape<typeof identityInfo>;
