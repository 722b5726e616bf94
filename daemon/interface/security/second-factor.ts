import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const ROOT = '/services/session/v1/secondFactor';
const MAXIMUM_BYTES = 8192;

const currentPassword = z.string().meta({ writeOnly: true });
const secondFactorCode = z
  .string()
  .max(64)
  .meta({ writeOnly: true })
  .describe('Six digits of the authenticator app; white space is ignored');
const passwordProof = z.strictObject({ currentPassword }).meta({ id: 'PasswordProof' });
const codeProof = z.strictObject({ secondFactorCode }).meta({ id: 'SecondFactorCode' });
const bothProofs = z
  .strictObject({
    currentPassword,
    secondFactorCode: secondFactorCode.optional().describe('As in a login; a recovery code is also accepted'),
  })
  .meta({ id: 'PasswordAndSecondFactorCode' });
const secondFactorStatus = z
  .strictObject({
    secondFactorEnabled: z.boolean().describe('The password is accepted only with a code'),
    secondFactorRequired: z
      .boolean()
      .describe('The password grants no access until a second factor is set up'),
    recoveryCodesLeft: z.int(),
  })
  .meta({ id: 'SecondFactorStatus' });
const newSecret = z
  .strictObject({
    secret: z.string().describe('Secret in Base32, for manual entry in an authenticator app; shown once'),
    uri: z.string().describe('The same secret as otpauth URI, for a QR code'),
  })
  .meta({ id: 'SecondFactorSecret' });
const recoveryCodes = z
  .strictObject({ recoveryCodes: z.array(z.string()).describe('Single-use codes; shown once') })
  .meta({ id: 'RecoveryCodes' });

/** Shows the second factor of the identity of the request. */
export const readSecondFactor = endpoint({
  method: 'GET',
  path: ROOT,
  summary: 'Shows the second-factor state of the identity of the request',
  access: 'ANY_IDENTITY',
  isOpenForEnrolment: true,
  isStatus: true,
  response: { status: 200, schema: secondFactorStatus },
});

const change = {
  method: 'POST',
  access: 'ANY_IDENTITY',
  audit: 'SECOND_FACTOR_CHANGE',
  refusals: [409],
} as const;

/** Creates a second-factor secret. */
export const beginSecondFactor = endpoint({
  ...change,
  path: `${ROOT}/begin`,
  summary: 'Creates a second-factor secret, to be activated with one of its codes',
  isOpenForEnrolment: true,
  request: { ...jsonBody(passwordProof, MAXIMUM_BYTES), mayHoldNul: true },
  response: { status: 200, schema: newSecret },
});

/** Activates the second factor. */
export const confirmSecondFactor = endpoint({
  ...change,
  path: `${ROOT}/confirm`,
  summary: 'Activates the second factor, returns recovery codes and ends all sessions of the identity',
  isOpenForEnrolment: true,
  request: jsonBody(codeProof, MAXIMUM_BYTES),
  response: { status: 200, schema: recoveryCodes },
});

const proved = { ...change, request: { ...jsonBody(bothProofs, MAXIMUM_BYTES), mayHoldNul: true } } as const;

/** Replaces the recovery codes. */
export const renewRecoveryCodes = endpoint({
  ...proved,
  path: `${ROOT}/renewRecoveryCodes`,
  summary: 'Replaces the recovery codes',
  response: { status: 200, schema: recoveryCodes },
});

/** Removes the second factor. */
export const removeSecondFactor = endpoint({
  ...proved,
  path: `${ROOT}/remove`,
  summary: 'Removes the second factor and ends all sessions of the identity',
  response: { status: 204 },
});

export type SecondFactorSecret = Shape<typeof newSecret>;
