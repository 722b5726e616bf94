import { createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { BoundedReads } from '../../../../daemon/base/file/bounded-reads.ts';
import { makeTokenSigner } from '../../../../daemon/security/certificate/certificate-issuer.ts';
import type { KeyPair, SigningKeyType } from '../../../../daemon/security/certificate/certificate-issuer.ts';
import type { Identity } from '../../../../daemon/security/identity/identity.ts';
import {
  findService,
  jwtSettingsShape,
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../../../../daemon/settings/token-settings.ts';
import type {
  JwtSettings,
  TokenAlgorithm,
  TokenIssuingService,
  TokenSettings,
} from '../../../../daemon/settings/token-settings.ts';
import { z } from '../../../../daemon/base/schema.ts';
import { createBearerProvider } from '../../../../daemon/security/token/bearer-provider.ts';
import { KeyStore } from '../../../../daemon/security/token/key-store.ts';
import { MemoryUsedTokenStore } from '../../../../daemon/security/token/memory-used-token-store.ts';
import { TokenRefresh } from '../../../../daemon/security/token/refresh.ts';
import type { Replay } from '../../../../daemon/security/token/refresh.ts';
import { TokenIssuer } from '../../../../daemon/security/token/token-issuer.ts';
import { TokenVerifier } from '../../../../daemon/security/token/token-verifier.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { createIdentities } from '../identity/identity-fixture.ts';

/** The start of the clock of the fixture: a whole second. */
export const NOW_MS = 1_800_000_000_000;
export const NOW_SECONDS = NOW_MS / 1000;

export const ACCESS = '/token/jwt/v1/access';
export const REFRESH = '/token/jwt/v1/refresh';

/** The issuer whose certificate comes from a file. */
export const FOREIGN_ISSUER = 'plant';

const made = new Map<string, Promise<KeyPair>>();

/** Returns a key that signs tokens; created once per process and name. */
export function getTokenSigner(
  name: string,
  keyType: SigningKeyType = 'P-256',
  nowMs = NOW_MS,
): Promise<KeyPair> {
  const key = `${name} ${keyType} ${nowMs}`;
  const pair = made.get(key) ?? makeTokenSigner({ commonName: name, keyType, nowMs });
  made.set(key, pair);
  return pair;
}

/** The claims of a valid access token of the gateway, with changes; undefined omits a claim. */
export function claimsFor(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    iss: 'penstock',
    sub: 'scada',
    aud: ACCESS,
    iat: NOW_SECONDS,
    nbf: NOW_SECONDS,
    exp: NOW_SECONDS + 60,
    jti: 'a',
    ...changes,
  };
}

export function encode(part: string | object): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Signs any given header and payload with node:crypto; text is used unchanged. */
export function forge(
  pair: Pick<KeyPair, 'privateKey'>,
  payload: string | object,
  header: string | object = { alg: 'ES256' },
  algorithm: TokenAlgorithm = 'ES256',
): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signInput(input, pair.privateKey, algorithm).toString('base64url')}`;
}

function signInput(input: string, privateKey: string, algorithm: TokenAlgorithm): Buffer {
  const key = createPrivateKey(privateKey);
  const bytes = Buffer.from(input);
  switch (algorithm) {
    case 'ES256':
      return signBytes('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'ES384':
      return signBytes('sha384', bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'RS256':
      return signBytes('sha256', bytes, key);
    case 'PS256':
      return signBytes('sha256', bytes, { key, padding: 6, saltLength: 32 });
    case 'EdDSA':
      return signBytes(null, bytes, key);
  }
}

/** The public key of a pair, PEM. */
export function publicKeyOf(pair: KeyPair): string {
  return createPublicKey(pair.certificate).export({ type: 'spki', format: 'pem' }).toString();
}

/** Sections of the configuration as a user writes them. */
export interface TokenSections {
  readonly rest?: Partial<JwtSettings>;
  readonly tokenIssuingServices?: unknown;
  readonly tokenVerificationServices?: unknown;
}

const jwtSchema = z.strictObject(jwtSettingsShape);

export function parseSettings(sections: TokenSections = {}): TokenSettings {
  return {
    rest: jwtSchema.parse(sections.rest ?? {}),
    tokenIssuingServices: tokenIssuingServicesSchema.parse(sections.tokenIssuingServices),
    tokenVerificationServices: tokenVerificationServicesSchema.parse(sections.tokenVerificationServices),
  };
}

/** Writes a pair as files of the configuration. */
export function writePair(directory: string, name: string, pair: KeyPair) {
  const files = {
    privateKeyFile: path.join(directory, `${name}.key`),
    certificateFile: path.join(directory, `${name}.crt`),
  };
  writeFileSync(files.privateKeyFile, pair.privateKey);
  chmodSync(files.privateKeyFile, 0o600);
  writeFileSync(files.certificateFile, pair.certificate);
  return files;
}

export interface TokenFixtureOptions {
  /** Inserts something between the parts and the issuer, such as a failure. */
  readonly wrapIssuer?: (issuer: TokenIssuer) => Pick<TokenIssuer, 'issue'>;
  readonly maximumLedgerBytes?: number;
}

/**
 * Connects the real parts of the module, with keys that are created once per process: `own` signs for the service of the
 * gateway, `foreign` for an external issuer whose certificate is trusted. The identity `scada` exists.
 */
export async function createTokenFixture(
  t: Pick<TestContext, 'after'>,
  { wrapIssuer = (issuer) => issuer, maximumLedgerBytes }: TokenFixtureOptions = {},
) {
  const directory = createTemporaryDirectory(t);
  const clock = new ManualClock(NOW_MS);
  const logger = createMemoryLogger();
  const [own, foreign] = await Promise.all([getTokenSigner('own'), getTokenSigner('foreign')]);
  const ownFiles = writePair(directory, 'own', own);
  const foreignFiles = writePair(directory, 'foreign', foreign);

  const verification = {
    pid: 'local',
    trustedCertificates: [{ issuingService: 'local' }, { file: foreignFiles.certificateFile }],
    trustedIssuers: ['penstock', FOREIGN_ISSUER],
  };
  const issuing = { pid: 'local', ...ownFiles };
  let sections: TokenSections = {
    rest: { jwtAuthenticationEnabled: true },
    tokenIssuingServices: [issuing],
    tokenVerificationServices: [verification],
  };
  let current = parseSettings(sections);
  const settings = () => current;
  /** Changes sections of the configuration. */
  const set = (changes: TokenSections): void => {
    sections = { ...sections, ...changes, rest: { ...sections.rest, ...changes.rest } };
    current = parseSettings(sections);
  };

  const identities = createIdentities(clock);
  const createIdentity = (name = 'scada'): Identity =>
    identities.create({ name, permissions: ['rest.assets'], passwordChangeNeeded: false });
  const reads = new BoundedReads(clock);
  const keys = new KeyStore({ dataDirectory: directory, clock, logger, reads });
  const verifier = new TokenVerifier({ keys, settings, clock, logger, reads });
  const issuer = wrapIssuer(new TokenIssuer({ keys, settings, clock }));
  const retentionSeconds = () => current.rest.jwtUsedRefreshTokenRetentionSeconds;
  const ledger = new MemoryUsedTokenStore({
    clock,
    retentionSeconds,
    ...(maximumLedgerBytes === undefined ? {} : { maximumBytes: maximumLedgerBytes }),
  });
  const replays: Replay[] = [];
  const tokenRefresh = new TokenRefresh({ verifier, issuer, ledger, identities });
  const refresh = async (text: string) =>
    (await tokenRefresh.refresh(text, (replay) => replays.push(replay))).pair;
  const provider = createBearerProvider({ verifier, identities, settings, logger });
  createIdentity();
  return {
    directory,
    clock,
    logger,
    own,
    ownFiles,
    foreign,
    foreignFiles,
    issuing,
    verification,
    settings,
    identities,
    createIdentity,
    keys,
    verifier,
    issuer,
    ledger,
    replays,
    refresh,
    tokenRefresh,
    provider,
    set,
    setVerification: (changes: object) =>
      set({ tokenVerificationServices: [{ ...verification, ...changes }] }),
    /** The active issuing service. */
    service: (): TokenIssuingService => {
      const service = findService(current.tokenIssuingServices, current.rest.tokenIssuingServiceTarget);
      if (service === undefined) throw new Error('no issuing service matches the target');
      return service;
    },
    /** Sends an Authorization field with a bearer token. */
    authenticate: async (token: string, field = `Bearer ${token}`) =>
      provider.authenticate({
        remoteAddress: '192.0.2.1',
        authorization: field,
        isXsrfExempt: false,
        isOpenToLockedSessions: false,
        header: () => undefined,
      }),
  };
}
