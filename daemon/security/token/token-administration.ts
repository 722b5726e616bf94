import { NotFound } from '../../base/errors.ts';
import type { CredentialRevocations } from '../identity/credential-revocations.ts';
import { getCaller, getAdministered } from '../identity/granting-rules.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Principal } from '../identity/identity.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import type { KeyStore } from './key-store.ts';

interface RotationRequest {
  /** Issuing service; absent: the active one. */
  readonly servicePid?: string | undefined;
  /** True to revoke tokens of the current key immediately instead of letting them expire. */
  readonly isRevoking: boolean;
}

/** A new signing key. */
interface Rotation {
  readonly servicePid: string;
  readonly kid: string;
}

interface TokenAdministrationOptions {
  readonly identities: Pick<IdentityStore, 'find' | 'get' | 'revokeTokens'>;
  readonly keys: Pick<KeyStore, 'rotate'>;
  readonly settings: () => TokenSettings;
  readonly credentialRevocations: Pick<CredentialRevocations, 'announce'>;
}

/** Revokes tokens before they expire; settings are read at each call. */
export class TokenAdministration {
  readonly #options: TokenAdministrationOptions;

  constructor(options: TokenAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Revokes all tokens issued to an identity so far; this is on disk when the call returns. Every identity may revoke its own tokens;
   * for another one the caller needs the permission for identities and every permission of that identity.
   *
   * @throws {NotFound} `IDENTITY_NOT_FOUND`
   * @throws {NotPermitted} `PERMISSION_MISSING` or `PERMISSION_BEYOND_OWN`
   * @throws {NotAuthenticated} `NOT_AUTHENTICATED` if the credentials of the caller are no longer valid
   */
  revoke(identityName: string, caller: Principal): void {
    const { identities, credentialRevocations } = this.#options;
    const target = getAdministered(identityName, getCaller(caller, identities), identities);
    identities.revokeTokens(identityName);
    credentialRevocations.announce({ kind: 'TOKENS_OF_IDENTITY', identityId: target.id });
  }

  /**
   * Replaces the signing key; the new one is on disk when the call returns.
   *
   * @throws {NotFound} `TOKEN_SERVICE_MISSING`
   * @throws as {@link KeyStore.rotate}
   */
  async rotateKey({ servicePid, isRevoking }: RotationRequest): Promise<Rotation> {
    const { keys, settings, credentialRevocations } = this.#options;
    const { rest, tokenIssuingServices } = settings();
    const service = findService(tokenIssuingServices, servicePid ?? rest.tokenIssuingServiceTarget);
    if (service === undefined) {
      const detail = 'unknown token issuing service';
      throw new NotFound({ code: 'TOKEN_SERVICE_MISSING', detail });
    }
    const { kid } = await keys.rotate(service, { isPreviousTrusted: !isRevoking });
    if (isRevoking) credentialRevocations.announce({ kind: 'TOKENS_OF_KEY' });
    return { servicePid: service.pid, kid };
  }
}
