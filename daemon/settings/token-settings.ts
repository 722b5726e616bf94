import path from 'node:path';
import { createFault, createIssue, createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { SETTINGS_FAULTS } from './fault-sentences.ts';

import { z } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';

/** Signature algorithms of tokens; `none` and HMAC are excluded on purpose. */
export const TOKEN_ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** Maximum clock skew tolerance of a verification service. */
export const MAXIMUM_CLOCK_SKEW_SECONDS = 3600;

const MAXIMUM_SECONDS = 31_536_000;
const duration = z.int().min(1).max(MAXIMUM_SECONDS);
const target = z.string().max(64).default('');
// Also the name of a directory.
const pid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    sayReason(createReason(SETTINGS_FAULTS, 'EXPECTED_SERVICE_NAME', {})),
  )
  .describe('Name of the service: letters, digits and . _ -, beginning with a letter or digit');
const issuer = z.string().min(1).max(255);
const file = z
  .string()
  .max(4096)
  .refine((name) => path.isAbsolute(name), sayReason(createReason(BASE_FAULTS, 'EXPECTED_PATH', {})));

/** Token settings in the section `rest`. */
export const jwtSettingsShape = {
  jwtAuthenticationEnabled: z
    .boolean()
    .default(false)
    .describe('Token endpoints (404 if disabled) and bearer tokens (rejected if disabled)'),
  tokenIssuingServiceTarget: target.describe('pid of the issuing service; empty: the first one'),
  tokenVerificationServiceTarget: target.describe('pid of the verification service; empty: the first one'),
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
    .describe('Seconds for which used refresh tokens are stored after their expiry; at least the clock skew'),
  jwtUsedRefreshTokensPersistent: z
    .boolean()
    .default(false)
    .describe('Stores used refresh tokens on disk, so that a restart does not make them valid again'),
};
export type JwtSettings = Readonly<z.infer<z.ZodObject<typeof jwtSettingsShape>>>;

const issuingService = z
  .strictObject({
    pid,
    issuer: issuer.default('penstock').describe('Claim iss of the tokens'),
    maximumTokenLifetimeSeconds: duration
      .default(3600)
      .describe('Maximum lifetime of a token, whatever is requested'),
    algorithm: z
      .enum(TOKEN_ALGORITHMS)
      .default('ES256')
      .describe(
        'ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA from 2048 bits), EdDSA (Ed25519); must match the key',
      ),
    privateKeyFile: file
      .nullable()
      .default(null)
      .describe(
        'Signing key, PEM without passphrase, mode 0600 or 0400; requires certificateFile; null: generated at first use',
      ),
    certificateFile: file
      .nullable()
      .default(null)
      .describe('Certificate of the signing key, PEM; the first one in the file is used'),
  })
  .superRefine(({ privateKeyFile, certificateFile }, context) => {
    if ((privateKeyFile === null) === (certificateFile === null)) return;
    const [given, missing] =
      privateKeyFile === null ? ['certificateFile', 'privateKeyFile'] : ['privateKeyFile', 'certificateFile'];
    context.addIssue(createIssue([given], createReason(SETTINGS_FAULTS, 'EXPECTED_WITH', { key: missing })));
  });
export type TokenIssuingService = Readonly<z.infer<typeof issuingService>>;

const trustedCertificate = z.union(
  [
    z.strictObject({ issuingService: pid }),
    z.strictObject({ file }),
    z.strictObject({ pem: z.string().max(65_536) }),
  ],
  sayReason(createReason(SETTINGS_FAULTS, 'EXPECTED_SIGNER', {})),
);
export type TrustedCertificate = Readonly<z.infer<typeof trustedCertificate>>;

const verificationService = z.strictObject({
  pid,
  trustedCertificates: z
    .array(trustedCertificate)
    .max(32)
    .default([{ issuingService: 'local' }])
    .describe('Accepted signers: an issuing service, or the certificates in a file or text'),
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
    .describe('Maximum difference between the clocks of issuer and gateway'),
  requireValidCertificate: z
    .boolean()
    .default(true)
    .describe('Accepts certificates only within their validity period'),
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

/** Settings relevant to tokens; the same object while unchanged. */
export interface TokenSettings {
  readonly rest: JwtSettings;
  readonly tokenIssuingServices: readonly TokenIssuingService[];
  readonly tokenVerificationServices: readonly TokenVerificationService[];
}

/** Returns the service of a target; the first one if the target is empty. */
export function findService<Service extends { readonly pid: string }>(
  services: readonly Service[],
  wanted: string,
): Service | undefined {
  return wanted === '' ? services[0] : services.find((service) => service.pid === wanted);
}

/**
 * Checks the consistency of the token settings.
 *
 * @returns all errors with their paths in the managed document
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
      : [createFault([section, index, 'pid'], createReason(BASE_FAULTS, 'USED_TWICE', { name }))],
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
            createFault(
              ['tokenVerificationServices', service, 'trustedCertificates', index, 'issuingService'],
              createReason(SETTINGS_FAULTS, 'ISSUING_SERVICE_UNKNOWN', { service: trusted.issuingService }),
            ),
          ],
    ),
  );
}

function listShortRetention({ rest, tokenVerificationServices }: TokenSettings): readonly Fault[] {
  const service = findService(tokenVerificationServices, rest.tokenVerificationServiceTarget);
  // A used token removed while the tolerance still accepts it could be replayed.
  if (service === undefined || rest.jwtUsedRefreshTokenRetentionSeconds >= service.clockSkewToleranceSeconds)
    return [];
  const values = { bound: service.clockSkewToleranceSeconds, service: service.pid };
  const reason = createReason(SETTINGS_FAULTS, 'RETENTION_TOO_SHORT', values);
  return [createFault(['rest', 'jwtUsedRefreshTokenRetentionSeconds'], reason)];
}
