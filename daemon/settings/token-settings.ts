import path from 'node:path';

import { z } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';

/** Algorithms that may sign a token; `none` and every HMAC are left out on purpose. */
export const TOKEN_ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** The largest difference of clocks that a verification service can be told to tolerate. */
export const MAXIMUM_CLOCK_SKEW_SECONDS = 3600;

const MAXIMUM_SECONDS = 31_536_000;
const duration = z.int().min(1).max(MAXIMUM_SECONDS);
const target = z.string().max(64).default('');
// Also the name of a directory.
const pid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected letters, digits, dots, hyphens and underscores, at most 64',
  );
const issuer = z.string().min(1).max(255);
const file = z
  .string()
  .max(4096)
  .refine((name) => path.isAbsolute(name), 'expected an absolute path');

/** The keys of the section `rest` that are about tokens. */
export const jwtSettingsShape = {
  jwtAuthenticationEnabled: z.boolean().default(false).describe('Token endpoints and bearer tokens'),
  tokenIssuingServiceTarget: target.describe(
    'pid of the issuing service that is used; empty: the only or first one',
  ),
  tokenVerificationServiceTarget: target.describe(
    'pid of the verification service that is used; empty: the only or first one',
  ),
  jwtAccessTokenDurationSeconds: duration
    .default(60)
    .describe('Lifetime of access tokens; capped by the maximum of the issuing service'),
  jwtRefreshTokenDurationSeconds: duration
    .default(900)
    .describe('Lifetime of refresh tokens; capped by the maximum of the issuing service'),
  jwtUsedRefreshTokenRetentionSeconds: z
    .int()
    .min(0)
    .max(MAXIMUM_SECONDS)
    .default(300)
    .describe('A used refresh token is remembered for so long after its expiry; at least the clock skew'),
  jwtUsedRefreshTokensPersistent: z
    .boolean()
    .default(false)
    .describe('Used refresh tokens are kept on disk, so that they stay used over a restart'),
};
export type JwtSettings = Readonly<z.infer<z.ZodObject<typeof jwtSettingsShape>>>;

const issuingService = z
  .strictObject({
    pid,
    issuer: issuer.default('penstock').describe('Claim iss of the tokens'),
    maximumTokenLifetimeSeconds: duration.default(3600).describe('No token lives longer, whatever is asked'),
    algorithm: z.enum(TOKEN_ALGORITHMS).default('ES256').describe('Has to suit the key'),
    privateKeyFile: file
      .nullable()
      .default(null)
      .describe('Signing key, PEM without passphrase, mode 0600; null: made by the gateway at first use'),
    certificateFile: file.nullable().default(null).describe('Certificate of the signing key, PEM'),
  })
  .superRefine(({ privateKeyFile, certificateFile }, context) => {
    if ((privateKeyFile === null) === (certificateFile === null)) return;
    const [given, missing] =
      privateKeyFile === null ? ['certificateFile', 'privateKeyFile'] : ['privateKeyFile', 'certificateFile'];
    context.addIssue({ code: 'custom', path: [given], message: `expected ${missing} as well` });
  });
export type TokenIssuingService = Readonly<z.infer<typeof issuingService>>;

const trustedCertificate = z.union(
  [
    z.strictObject({ issuingService: pid }),
    z.strictObject({ file }),
    z.strictObject({ pem: z.string().max(65_536) }),
  ],
  'expected issuingService, file or pem',
);
export type TrustedCertificate = Readonly<z.infer<typeof trustedCertificate>>;

const verificationService = z.strictObject({
  pid,
  trustedCertificates: z
    .array(trustedCertificate)
    .max(32)
    .default([{ issuingService: 'local' }])
    .describe(
      'Whose signatures count: those of an issuing service, or of the certificates in a file or text',
    ),
  trustedIssuers: z
    .array(issuer)
    .max(64)
    .default([])
    .describe('Accepted values of the claim iss; empty: any'),
  clockSkewToleranceSeconds: z
    .int()
    .min(0)
    .max(MAXIMUM_CLOCK_SKEW_SECONDS)
    .default(30)
    .describe('How far the clocks of issuer and gateway may differ'),
  requireValidCertificate: z
    .boolean()
    .default(true)
    .describe('A certificate counts within its period of validity only'),
});
export type TokenVerificationService = Readonly<z.infer<typeof verificationService>>;

/** Services that sign tokens. */
export const tokenIssuingServicesSchema = z
  .array(issuingService)
  .max(16)
  .prefault([{ pid: 'local' }]);

/** Services that verify tokens. */
export const tokenVerificationServicesSchema = z
  .array(verificationService)
  .max(16)
  .prefault([
    { pid: 'local', trustedCertificates: [{ issuingService: 'local' }], trustedIssuers: ['penstock'] },
  ]);

/** Everything that tokens depend on; the same object as long as nothing of it has changed. */
export interface TokenSettings {
  readonly rest: JwtSettings;
  readonly tokenIssuingServices: readonly TokenIssuingService[];
  readonly tokenVerificationServices: readonly TokenVerificationService[];
}

/** Returns the service that a target names; the first one when the target is empty. */
export function findService<Service extends { readonly pid: string }>(
  services: readonly Service[],
  wanted: string,
): Service | undefined {
  return wanted === '' ? services[0] : services.find((service) => service.pid === wanted);
}

/**
 * Compares the token settings with each other.
 *
 * @returns every fault, with its path from the top of the managed document
 */
export function checkTokenSettings(settings: TokenSettings): readonly Fault[] {
  return [
    ...listRepeatedPids(settings, 'tokenIssuingServices'),
    ...listRepeatedPids(settings, 'tokenVerificationServices'),
    ...listUnknownReferences(settings),
    ...listShortRetention(settings),
  ];
}

type ServiceSection = 'tokenIssuingServices' | 'tokenVerificationServices';

function listRepeatedPids(settings: TokenSettings, section: ServiceSection): readonly Fault[] {
  const pids = settings[section].map((service) => service.pid);
  return pids.flatMap((name, index) =>
    pids.indexOf(name) === index
      ? []
      : [{ path: [section, index, 'pid'], message: `the pid ${name} is given twice` }],
  );
}

function listUnknownReferences({
  tokenIssuingServices,
  tokenVerificationServices,
}: TokenSettings): readonly Fault[] {
  const known = new Set(tokenIssuingServices.map((service) => service.pid));
  return tokenVerificationServices.flatMap(({ trustedCertificates }, service) =>
    trustedCertificates.flatMap((trusted, index) =>
      !('issuingService' in trusted) || known.has(trusted.issuingService)
        ? []
        : [
            {
              path: ['tokenVerificationServices', service, 'trustedCertificates', index, 'issuingService'],
              message: `there is no ${trusted.issuingService} among the tokenIssuingServices`,
            },
          ],
    ),
  );
}

function listShortRetention({ rest, tokenVerificationServices }: TokenSettings): readonly Fault[] {
  const service = findService(tokenVerificationServices, rest.tokenVerificationServiceTarget);
  // A token forgotten while the tolerance still lets it pass could be used again.
  if (service === undefined || rest.jwtUsedRefreshTokenRetentionSeconds >= service.clockSkewToleranceSeconds)
    return [];
  return [
    {
      path: ['rest', 'jwtUsedRefreshTokenRetentionSeconds'],
      message: `expected at least ${service.clockSkewToleranceSeconds}, the clockSkewToleranceSeconds of ${service.pid}`,
    },
  ];
}
