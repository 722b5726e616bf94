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

/** The keys that a verification service trusts. */
export interface Trust {
  readonly keys: readonly TrustedKey[];
  /** Ids of those that sign, or signed, for an issuing service of the gateway itself. */
  readonly ownKids: ReadonlySet<string>;
  /** False when a source could not be read: a token that none of the keys signed may still be valid. */
  readonly isComplete: boolean;
}

interface TrustSources {
  readonly keys: Pick<KeyStore, 'listTrustedKeys'>;
  readonly logger: Logger;
  readonly reads: BoundedReads;
}

/**
 * Reads every trusted certificate of a service; a source that cannot be read, or that holds a weak key, is logged and
 * skipped. What a weak key signs is refused for good: reading it again would not help.
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

/** What a token states about its key. */
interface KeyHint {
  readonly algorithm: TokenAlgorithm;
  readonly kid: string | undefined;
}

/**
 * Lists the keys that may have signed a token: those trusted now that suit its algorithm, the one that it names first.
 *
 * @param isValidityRequired leaves out the keys of certificates that have expired or are not valid yet
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
