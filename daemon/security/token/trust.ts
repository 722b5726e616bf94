import type { BoundedReads } from '../../base/file/bounded-reads.ts';
import type { Logger } from '../../base/logger.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { parseCertificates, readText } from '../certificate/pem-file.ts';
import type {
  TokenSettings,
  TokenVerificationService,
  TrustedCertificate,
} from '../../settings/token-settings.ts';
import type { TokenAlgorithm } from '../../settings/token-settings.ts';
import type { KeyStore } from './key-store.ts';
import { trustCertificate } from './signing-key.ts';
import type { TrustedKey } from './signing-key.ts';

/** Trusted keys of a verification service. */
export interface Trust {
  readonly keys: readonly TrustedKey[];
  /** Ids of current and former signing keys of this gateway. */
  readonly ownKids: ReadonlySet<string>;
  /** False if a source could not be read: a token signed by none of the keys may still be valid. */
  readonly isComplete: boolean;
}

interface TrustSources {
  readonly keys: Pick<KeyStore, 'listTrustedKeys'>;
  readonly logger: Logger;
  readonly reads: BoundedReads;
}

/**
 * Reads all trusted certificates of a service; an unreadable source or one with a weak key is logged and skipped. Tokens of a weak
 * key are rejected permanently, because another read would not help.
 */
export async function loadTrust(
  service: TokenVerificationService,
  { tokenIssuingServices }: TokenSettings,
  { keys, logger, reads }: TrustSources,
): Promise<Trust> {
  async function read(source: TrustedCertificate): Promise<readonly TrustedKey[]> {
    if ('issuingService' in source) {
      const issuing = tokenIssuingServices.find(({ pid }) => pid === source.issuingService);
      const own = issuing === undefined ? [] : await keys.listTrustedKeys(issuing);
      for (const { kid } of own) ownKids.add(kid);
      return own;
    }
    const [name, text] =
      'file' in source
        ? [source.file, await reads.run(source.file, () => readText(source.file))]
        : [`a text of ${service.pid}`, source.pem];
    return parseCertificates(name, text, 'CERTIFICATE_INVALID').map((certificate) =>
      trustCertificate(certificate),
    );
  }

  const ownKids = new Set<string>();
  const found: TrustedKey[] = [];
  let isComplete = true;
  for (const source of service.trustedCertificates) {
    try {
      found.push(...(await read(source)));
    } catch (error) {
      isComplete &&= isWeakKey(error);
      logger.error('token.trustNotLoaded', { service: service.pid, reason: messageOf(error), error });
    }
  }
  return { keys: found, ownKids, isComplete };
}

function isWeakKey(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'KEY_WEAK';
}

/** Key information in a token header. */
interface KeyHint {
  readonly algorithm: TokenAlgorithm;
  readonly kid: string | undefined;
}

/**
 * Lists the possible signing keys of a token: currently trusted keys for its algorithm, the key named by the token first.
 *
 * @param isValidityRequired excludes keys whose certificates have expired or are not yet valid
 */
export function listCandidates(
  trusted: readonly TrustedKey[],
  { algorithm, kid }: KeyHint,
  { nowMs, isValidityRequired }: { readonly nowMs: number; readonly isValidityRequired: boolean },
): readonly TrustedKey[] {
  return trusted
    .filter(({ algorithms }) => algorithms.includes(algorithm))
    .filter(({ trustedUntilMs }) => nowMs < trustedUntilMs)
    .filter(
      ({ notBeforeMs, notAfterMs }) => !isValidityRequired || (notBeforeMs <= nowMs && nowMs <= notAfterMs),
    )
    .sort((a, b) => Number(b.kid === kid) - Number(a.kid === kid));
}
