import { z } from '../base/schema.ts';
import { noContent, ok } from '../http/answer.ts';
import { formatExpiredCookie } from '../http/cookie.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { SecondFactorEnrolment } from '../identity/second-factor/enrolment.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { callerOf } from './caller.ts';
import { getOwnSession } from './own-session.ts';

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

interface SecondFactorRouteParts {
  readonly enrolment: SecondFactorEnrolment;
  readonly sessions: SessionStore;
}

const shared = {
  access: 'ANY_IDENTITY',
  isAvailable: (rest: RestSettings) => rest.sessionBasedAuthenticationEnabled,
} as const;
const forEnrolment = { ...shared, isOpenForEnrolment: true } as const;

/** Creates the endpoints by which an identity sets up and ends the second factor of its password. */
export function createSecondFactorRoutes(parts: SecondFactorRouteParts): readonly Route[] {
  return [...createEnrolmentRoutes(parts), ...createChangeRoutes(parts)];
}

function createEnrolmentRoutes({ enrolment, sessions }: SecondFactorRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...forEnrolment,
      method: 'GET',
      path: ROOT,
      summary: 'Shows whether the identity of the request has a second factor',
      response: { status: 200, schema: secondFactorStatus },
      handle(context) {
        const { isActive, isRequired, recoveryCodesLeft } = enrolment.status(callerOf(context).identity);
        return ok({
          secondFactorEnabled: isActive,
          secondFactorRequired: isRequired,
          recoveryCodesLeft,
        });
      },
    }),
    defineRoute({
      ...forEnrolment,
      method: 'POST',
      path: `${ROOT}/begin`,
      summary: 'Makes a secret for a second factor, which one of its codes puts in force',
      audit: 'SECOND_FACTOR_CHANGE',
      refusals: [409],
      request: { ...jsonBody(passwordProof, MAXIMUM_BYTES), mayHoldNul: true },
      response: { status: 200, schema: newSecret },
      async handle(context) {
        const { identityName, id: sessionId } = getOwnSession(context, sessions);
        const { body, remoteAddress } = context;
        return ok(await enrolment.begin({ identityName, sessionId, ...body, remoteAddress }));
      },
    }),
    defineRoute({
      ...forEnrolment,
      method: 'POST',
      path: `${ROOT}/confirm`,
      summary: 'Puts the secret in force, shows recovery codes and ends all sessions of the identity',
      audit: 'SECOND_FACTOR_CHANGE',
      refusals: [409],
      request: jsonBody(codeProof, MAXIMUM_BYTES),
      response: { status: 200, schema: recoveryCodes },
      handle(context) {
        const { identityName, id: sessionId } = getOwnSession(context, sessions);
        const codes = enrolment.confirm({ identityName, sessionId, ...context.body });
        return ok({ recoveryCodes: [...codes] }, { 'Set-Cookie': formatExpiredCookie(context.isSecure) });
      },
    }),
  ];
}

function createChangeRoutes({ enrolment, sessions }: SecondFactorRouteParts): readonly Route[] {
  const change = {
    ...shared,
    method: 'POST',
    audit: 'SECOND_FACTOR_CHANGE',
    refusals: [409],
    request: { ...jsonBody(bothProofs, MAXIMUM_BYTES), mayHoldNul: true },
  } as const;
  return [
    defineRoute({
      ...change,
      path: `${ROOT}/renewRecoveryCodes`,
      summary: 'Replaces the recovery codes',
      response: { status: 200, schema: recoveryCodes },
      async handle(context) {
        const { identityName } = getOwnSession(context, sessions);
        const { body, remoteAddress } = context;
        const codes = await enrolment.renewRecoveryCodes({ identityName, ...body, remoteAddress });
        return ok({ recoveryCodes: [...codes] });
      },
    }),
    defineRoute({
      ...change,
      path: `${ROOT}/remove`,
      summary: 'Ends the second factor and all sessions of the identity',
      response: { status: 204 },
      async handle(context) {
        const { identityName } = getOwnSession(context, sessions);
        const { body, remoteAddress, isSecure } = context;
        await enrolment.remove({ identityName, ...body, remoteAddress });
        return noContent({ 'Set-Cookie': formatExpiredCookie(isSecure) });
      },
    }),
  ];
}
