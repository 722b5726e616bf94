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
    secondFactorCode: secondFactorCode.optional().describe('As in a login: a recovery code is accepted too'),
  })
  .meta({ id: 'PasswordAndSecondFactorCode' });
const secondFactorStatus = z
  .strictObject({
    secondFactorEnabled: z.boolean().describe('The password is accepted with a code only'),
    secondFactorRequired: z.boolean().describe('The password opens nothing before a second factor is set up'),
    recoveryCodesLeft: z.int(),
  })
  .meta({ id: 'SecondFactorStatus' });
const newSecret = z
  .strictObject({
    secret: z.string().describe('Base32, to be typed into an authenticator app; shown once'),
    uri: z.string().describe('The same as otpauth URI, to be shown as a QR code'),
  })
  .meta({ id: 'SecondFactorSecret' });
const recoveryCodes = z
  .strictObject({ recoveryCodes: z.array(z.string()).describe('Each works once; shown once') })
  .meta({ id: 'RecoveryCodes' });

/** Shows the second factor of the identity of the request. */
export const readSecondFactor = endpoint({
  method: 'GET',
  path: ROOT,
  summary: 'Shows whether the identity of the request has a second factor',
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

/** Makes a secret. */
export const beginSecondFactor = endpoint({
  ...change,
  path: `${ROOT}/begin`,
  summary: 'Makes a secret for a second factor, which one of its codes puts in force',
  isOpenForEnrolment: true,
  request: { ...jsonBody(passwordProof, MAXIMUM_BYTES), mayHoldNul: true },
  response: { status: 200, schema: newSecret },
});

/** Puts the secret in force. */
export const confirmSecondFactor = endpoint({
  ...change,
  path: `${ROOT}/confirm`,
  summary: 'Puts the secret in force, shows recovery codes and ends all sessions of the identity',
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

/** Ends the second factor. */
export const removeSecondFactor = endpoint({
  ...proved,
  path: `${ROOT}/remove`,
  summary: 'Ends the second factor and all sessions of the identity',
  response: { status: 204 },
});

export type SecondFactorSecret = Shape<typeof newSecret>;
