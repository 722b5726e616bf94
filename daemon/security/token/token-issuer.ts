import type { Clock } from '../../base/clock.ts';
import { GatewayError, NotFound } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import type { Identity } from '../identity/identity.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenIssuingService, TokenSettings } from '../../settings/token-settings.ts';
import { AUDIENCES } from './claims.ts';
import type { TokenKind } from './claims.ts';
import type { KeyStore } from './key-store.ts';
import { signClaims } from './signature.ts';
import type { SigningKey } from './signing-key.ts';
import { TokenError } from './token-error.ts';
import { createTokenId } from './token-id.ts';

/** A token pair in the form of the REST API. */
export interface TokenPair {
  readonly tokenType: 'Bearer';
  readonly accessToken: string;
  /** The actual lifetime, which may be shorter than the configured one. */
  readonly accessTokenExpiresInSeconds: number;
  readonly refreshToken: string;
  readonly refreshTokenExpiresInSeconds: number;
}

/** Identity properties in tokens. */
type TokenSubject = Pick<Identity, 'name' | 'tokenRevocation'>;

interface TokenIssuerOptions {
  readonly keys: Pick<KeyStore, 'getSigningKey' | 'revision'>;
  readonly settings: () => TokenSettings;
  readonly clock: Clock;
  /** Default: system randomness. */
  readonly random?: RandomSource;
}

/** Signs tokens; settings and keys are read at each call. */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  /**
   * Issues an access and a refresh token for an identity. They contain its name and its latest token revocation, but no other
   * property.
   *
   * @throws {NotFound} `TOKEN_SERVICE_MISSING` if no issuing service matches the target
   * @throws {TokenError} if an administrator must fix the key
   * @throws {Unavailable} `TOKEN_SERVICE_UNAVAILABLE`
   */
  async issue(identity: TokenSubject): Promise<TokenPair> {
    try {
      return await this.#issue(identity);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      throw new TokenError({
        code: 'TOKEN_SIGNING_FAILED',
        detail: 'cannot sign the tokens',
        cause,
      });
    }
  }

  #sign(
    kind: TokenKind,
    { name: sub, tokenRevocation }: TokenSubject,
    service: TokenIssuingService,
    key: SigningKey,
    lifetime: number,
  ) {
    const { clock, random = systemRandom } = this.#options;
    const nowMs = clock.epochMs();
    const iat = Math.floor(nowMs / 1000);
    const claims = {
      iss: service.issuer,
      sub,
      aud: AUDIENCES[kind],
      iat,
      nbf: iat,
      exp: iat + lifetime,
      jti: createTokenId(nowMs, random),
      ...(tokenRevocation === undefined ? {} : { generation: tokenRevocation.generation }),
    };
    return signClaims(claims, key, service.algorithm);
  }

  async #issue(identity: TokenSubject): Promise<TokenPair> {
    const { keys, settings } = this.#options;
    const { rest, tokenIssuingServices } = settings();
    const service = findService(tokenIssuingServices, rest.tokenIssuingServiceTarget);
    if (service === undefined) {
      const detail = 'no token issuing service matches the target';
      throw new NotFound({ code: 'TOKEN_SERVICE_MISSING', detail });
    }
    const cap = (seconds: number): number => Math.min(seconds, service.maximumTokenLifetimeSeconds);
    const accessSeconds = cap(rest.jwtAccessTokenDurationSeconds);
    const refreshSeconds = cap(rest.jwtRefreshTokenDurationSeconds);
    for (;;) {
      const key = await keys.getSigningKey(service);
      const revision = keys.revision();
      const pair: TokenPair = {
        tokenType: 'Bearer',
        accessToken: await this.#sign('access', identity, service, key, accessSeconds),
        accessTokenExpiresInSeconds: accessSeconds,
        refreshToken: await this.#sign('refresh', identity, service, key, refreshSeconds),
        refreshTokenExpiresInSeconds: refreshSeconds,
      };
      // Tokens of a key replaced during the call could be invalid on arrival.
      if (keys.revision() === revision) return pair;
    }
  }
}
