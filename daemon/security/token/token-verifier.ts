import type { BoundedReads } from '../../base/file/bounded-reads.ts';
import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings, TokenVerificationService } from '../../settings/token-settings.ts';
import { checkClaims } from './claims.ts';
import type { Claims, TokenKind } from './claims.ts';
import type { KeyStore } from './key-store.ts';
import { isSignedBy } from './signature.ts';
import type { TrustedKey } from './signing-key.ts';
import { createUnavailable, TokenRefused } from './token-error.ts';
import { MAXIMUM_TOKEN_BYTES, readClaims, readToken } from './token-format.ts';
import type { UnverifiedToken } from './token-format.ts';
import { listCandidates, loadTrust } from './trust.ts';
import type { Trust } from './trust.ts';
import { VerifiedTokens } from './verified-tokens.ts';

interface TokenVerifierOptions {
  readonly keys: Pick<KeyStore, 'revision' | 'listTrustedKeys'>;
  /** Returns the same object until the settings change. */
  readonly settings: () => TokenSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reads: BoundedReads;
}

// Minimum interval between attempts to read an unreadable source, so that forged tokens do not trigger reads.
const RETRY_MS = 1000;

/** Settings and keys behind the cached tokens and trust. */
interface Basis {
  readonly settings: TokenSettings;
  readonly keyRevision: number;
  readonly trust: Promise<Trust>;
  /** Monotonic time. */
  readonly loadedAtMs: number;
  isComplete: boolean;
}

/** Verifies tokens with the active verification service; does not check the identity. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #verified = new VerifiedTokens();
  #basis: Basis | undefined;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  /** Finds the cached claims of a verified access token that is still valid; needs no signature check. */
  findCached(text: string): Claims | undefined {
    if (text.length > MAXIMUM_TOKEN_BYTES || !this.#isCurrent(this.#basis)) return undefined;
    return this.#verified.find(text, this.#options.clock.epochMs());
  }

  /**
   * Verifies form, signature and claims, in this order. Keys only come from the settings; nothing is fetched.
   *
   * @throws {TokenRefused}
   * @throws {NotFound} `TOKEN_SERVICE_MISSING` if no verification service matches the target
   * @throws {Unavailable} `TOKEN_SERVICE_UNAVAILABLE` if a possible signer's certificate cannot be read
   */
  async verify(text: string, kind: TokenKind): Promise<Claims> {
    const { settings, clock } = this.#options;
    const service = getVerificationService(settings());
    const token = readToken(text);
    const fields = readClaims(token.payload);
    const basis = this.#getBasis(service);
    const trust = await basis.trust;
    const key = await this.#getSigner(token, trust, service);
    const claims = checkClaims(fields, {
      kind,
      nowMs: clock.epochMs(),
      toleranceSeconds: service.clockSkewToleranceSeconds,
      trustedIssuers: service.trustedIssuers,
      isOwn: trust.ownKids.has(key.kid),
    });
    // A token verified under outdated trust must not be cached under the new trust.
    if (kind === 'access' && basis === this.#basis && this.#isCurrent(basis)) {
      const untilMs = service.requireValidCertificate ? key.notAfterMs : Infinity;
      this.#verified.remember(text, claims, Math.min(claims.validUntilMs, key.trustedUntilMs, untilMs));
    }
    return claims;
  }

  async #getSigner(
    token: UnverifiedToken,
    trust: Trust,
    { requireValidCertificate }: TokenVerificationService,
  ): Promise<TrustedKey> {
    const nowMs = this.#options.clock.epochMs();
    const candidates = listCandidates(trust.keys, token, {
      nowMs,
      isValidityRequired: requireValidCertificate,
    });
    for (const key of candidates) {
      if (await isSignedBy(token, key)) return key;
    }
    if (trust.isComplete) {
      throw new TokenRefused('TOKEN_SIGNATURE_INVALID', 'the token is not signed by a trusted key');
    }
    throw createUnavailable();
  }

  #isCurrent(basis: Basis | undefined): boolean {
    const { settings, keys } = this.#options;
    return basis !== undefined && basis.settings === settings() && basis.keyRevision === keys.revision();
  }

  /** Reloads the trusted keys after a change of settings or keys. */
  #getBasis(service: TokenVerificationService): Basis {
    const { settings, keys, clock, logger, reads } = this.#options;
    const nowMs = clock.monotonicMs();
    const loaded = this.#basis;
    if (loaded !== undefined && this.#isCurrent(loaded)) {
      if (loaded.isComplete || nowMs - loaded.loadedAtMs < RETRY_MS) return loaded;
    }
    this.#verified.clear();
    const current = settings();
    const trust = loadTrust(service, current, { keys, logger, reads });
    const basis: Basis = {
      settings: current,
      keyRevision: keys.revision(),
      trust,
      loadedAtMs: nowMs,
      isComplete: true,
    };
    void trust.then(({ isComplete }) => {
      basis.isComplete = isComplete;
    });
    this.#basis = basis;
    return basis;
  }
}

function getVerificationService({
  rest,
  tokenVerificationServices,
}: TokenSettings): TokenVerificationService {
  const service = findService(tokenVerificationServices, rest.tokenVerificationServiceTarget);
  if (service !== undefined) return service;
  const detail = 'no token verification service matches the target';
  throw new NotFound({ code: 'TOKEN_SERVICE_MISSING', detail });
}
