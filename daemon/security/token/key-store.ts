import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { X509Certificate } from 'node:crypto';

import type { BoundedReads } from '../../base/file/bounded-reads.ts';
import type { Clock } from '../../base/clock.ts';
import { Conflict, messageOf, Unavailable } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { makeTokenSigner } from '../certificate/certificate-issuer.ts';
import { MAXIMUM_CLOCK_SKEW_SECONDS } from '../../settings/token-settings.ts';
import type { TokenIssuingService, TokenAlgorithm } from '../../settings/token-settings.ts';
import { keyTypeOf, listAlgorithms } from './algorithms.ts';
import { createKeyDirectory } from './key-directory.ts';
import type { KeyDirectory } from './key-directory.ts';
import { toKeyError, trustCertificate, createSigningKey } from './signing-key.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';
import { CertificateError } from '../certificate/certificate-error.ts';
import { parseFirstCertificate, readPrivateKey, readText } from '../certificate/pem-file.ts';

interface KeyStoreOptions {
  /** Keys are stored in its subdirectory `keys`. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bounds the reads of configured files, which can be on any file system. */
  readonly reads: BoundedReads;
}

// Keys are renewed this long before expiry; a gateway restarts or issues tokens more often.
const RENEWAL_MS = 30 * 86_400_000;

interface LoadedKey {
  readonly key: SigningKey;
  /** Fingerprint of the files; undefined: unreadable. */
  readonly stamp: string | undefined;
}

/** Keys of the issuing services; files are read lazily. */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  readonly #loaded = new Map<string, LoadedKey>();
  /** Latest operation on the files of each service. */
  readonly #queues = new Map<string, Promise<unknown>>();
  #revision = 0;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** Returns a number that increases with every change of signing or trusted keys. */
  revision(): number {
    return this.#revision;
  }

  /**
   * Returns the signing key of a service. Without configured files, the key is created at first use, and again if it does not match
   * the algorithm or its certificate is about to expire. Changed files are reloaded.
   *
   * @throws {TokenError} if an administrator must fix the key
   * @throws {Unavailable} `TOKEN_SERVICE_UNAVAILABLE` if the files are temporarily inaccessible
   */
  getSigningKey(service: TokenIssuingService): Promise<SigningKey> {
    return this.#runSerially(service, () => this.#load(service));
  }

  /**
   * Lists the verification keys of a service; none before the first key was created.
   *
   * @throws {TokenError} as `getSigningKey` does
   * @throws {Unavailable} as `getSigningKey` does
   */
  listTrustedKeys(service: TokenIssuingService): Promise<readonly TrustedKey[]> {
    const { certificateFile } = service;
    return this.#runSerially(service, async () =>
      certificateFile === null
        ? this.#directoryOf(service).listTrustedKeys(this.#options.clock.epochMs())
        : [
            trustCertificate(
              await this.#options.reads.run(certificateFile, () =>
                readConfiguredCertificate(certificateFile),
              ),
            ),
          ],
    );
  }

  /**
   * Creates a new signing key, which replaces the current one.
   *
   * @param options `isPreviousTrusted`: existing tokens remain valid until they expire; otherwise they are revoked immediately
   * @throws {Conflict} `SIGNING_KEY_CONFIGURED` if the key is configured as a file
   * @throws {TokenError} as `getSigningKey` does
   * @throws {Unavailable} as `getSigningKey` does
   */
  rotate(
    service: TokenIssuingService,
    { isPreviousTrusted }: { readonly isPreviousTrusted: boolean },
  ): Promise<SigningKey> {
    if (service.privateKeyFile !== null) {
      return Promise.reject(
        new Conflict({
          code: 'SIGNING_KEY_CONFIGURED',
          detail: `the key of token service ${service.pid} is configured as a file; replace the file`,
        }),
      );
    }
    return this.#runSerially(service, async () =>
      this.#make(service, isPreviousTrusted ? await this.#findPrevious(service) : undefined),
    );
  }

  /** Discards loaded keys, so that the next use reads all files again. */
  reload(): void {
    this.#loaded.clear();
    this.#revision += 1;
  }

  async #load(service: TokenIssuingService): Promise<SigningKey> {
    const { privateKeyFile } = service;
    // Files in the data directory need no bound: without that file system, nothing works.
    return privateKeyFile === null
      ? this.#loadChanged(service)
      : this.#options.reads.run(privateKeyFile, () => this.#loadChanged(service));
  }

  async #loadChanged(service: TokenIssuingService): Promise<SigningKey> {
    const { privateKeyFile, certificateFile } = service;
    const directory = this.#directoryOf(service);
    const stamp = await stampOf([privateKeyFile ?? directory.signingFile, certificateFile]);
    const loaded = this.#loaded.get(service.pid);
    if (stamp !== undefined && loaded?.stamp === stamp && this.#isGood(service, loaded.key))
      return loaded.key;
    this.#loaded.delete(service.pid);
    const key =
      privateKeyFile !== null && certificateFile !== null
        ? await readConfiguredKey(service.algorithm, privateKeyFile, certificateFile)
        : await this.#loadMade(service, directory);
    if (loaded?.key.kid !== key.kid) this.#revision += 1;
    // The stamp was taken before the files were read, so a change in between is detected at the next use.
    this.#loaded.set(service.pid, { key, stamp });
    return key;
  }

  async #loadMade(service: TokenIssuingService, directory: KeyDirectory): Promise<SigningKey> {
    const key = await directory.findSigningKey();
    return key !== undefined && this.#isGood(service, key) ? key : this.#make(service, key);
  }

  /** Returns true if the key matches the service; a generated key must also be valid long enough. */
  #isGood({ algorithm, privateKeyFile }: TokenIssuingService, { certificate }: SigningKey): boolean {
    const lastsMs = certificate.validToDate.getTime() - this.#options.clock.epochMs();
    return (
      listAlgorithms(certificate.publicKey).includes(algorithm) &&
      (privateKeyFile !== null || lastsMs > RENEWAL_MS)
    );
  }

  /** @throws {Unavailable} if it is temporarily unreadable, so that its tokens remain valid */
  async #findPrevious(service: TokenIssuingService): Promise<SigningKey | undefined> {
    try {
      return await this.#directoryOf(service).findSigningKey();
    } catch (error) {
      const failure = toKeyError(service.pid, error);
      if (failure instanceof Unavailable) throw failure;
      // A damaged key is replaced.
      return undefined;
    }
  }

  async #make(service: TokenIssuingService, previous: SigningKey | undefined): Promise<SigningKey> {
    const { pid, algorithm, maximumTokenLifetimeSeconds } = service;
    const { clock, logger } = this.#options;
    const directory = this.#directoryOf(service);
    const keyType = keyTypeOf(algorithm);
    const pair = await makeTokenSigner({
      commonName: `token ${pid}`.slice(0, 64),
      keyType,
      nowMs: clock.epochMs(),
    });
    const nowMs = clock.epochMs();
    const trustedUntilSeconds =
      Math.ceil(nowMs / 1000) + maximumTokenLifetimeSeconds + MAXIMUM_CLOCK_SKEW_SECONDS;
    try {
      await directory.replaceSigningKey(pair, previous && { key: previous, trustedUntilSeconds });
    } finally {
      // After a disk error in the last step, the new key may already be stored.
      this.#loaded.delete(pid);
      this.#revision += 1;
    }
    const made = await directory.findSigningKey();
    if (made === undefined) throw new Error('the new key file has disappeared');
    // Remaining files are ignored and deleted with the next key.
    await directory.removeSurplus(nowMs).catch((error: unknown) => {
      logger.warn('token.keyFilesNotDeleted', { service: pid, reason: messageOf(error), error });
    });
    logger.info('token.keyCreated', { service: pid, kid: made.kid, formerKid: previous?.kid });
    return made;
  }

  #directoryOf({ pid }: TokenIssuingService): KeyDirectory {
    return createKeyDirectory(path.join(this.#options.dataDirectory, 'keys', pid));
  }

  /** Serializes operations on the files of one service. */
  async #runSerially<T>({ pid }: TokenIssuingService, work: () => Promise<T>): Promise<T> {
    const running = (this.#queues.get(pid) ?? Promise.resolve()).then(work);
    const settled = running.catch(() => undefined);
    this.#queues.set(pid, settled);
    try {
      return await running;
    } catch (error) {
      throw toKeyError(pid, error);
    } finally {
      if (this.#queues.get(pid) === settled) this.#queues.delete(pid);
    }
  }
}

/**
 * Returns a fingerprint that changes if one of the files is replaced or written, or its permissions change.
 *
 * @returns undefined if a file is inaccessible; reading the file reports the cause
 */
async function stampOf(files: readonly (string | null)[]): Promise<string | undefined> {
  const states: string[] = [];
  try {
    for (const file of files.filter((name) => name !== null)) {
      const { dev, ino, size, ctimeNs } = await stat(file, { bigint: true });
      states.push([dev, ino, size, ctimeNs].join(':'));
    }
    return states.join(' ');
  } catch {
    return undefined;
  }
}

/**
 * Reads a signing key from configured files.
 *
 * @throws {CertificateError} if a file cannot be read or used, `CERTIFICATE_KEY_MISMATCH`, `KEY_WEAK`, or
 *   `SIGNING_KEY_UNSUITABLE` if the key type does not match the algorithm
 */
async function readConfiguredKey(
  algorithm: TokenAlgorithm,
  privateKeyFile: string,
  certificateFile: string,
): Promise<SigningKey> {
  const { key } = await readPrivateKey(privateKeyFile);
  const certificate = await readConfiguredCertificate(certificateFile);
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateError({
      code: 'CERTIFICATE_KEY_MISMATCH',
      detail: `private key ${privateKeyFile} does not match certificate ${certificateFile}`,
    });
  }
  if (!listAlgorithms(certificate.publicKey).includes(algorithm)) {
    throw new CertificateError({
      code: 'SIGNING_KEY_UNSUITABLE',
      detail: `private key ${privateKeyFile} is not suitable for ${algorithm}`,
    });
  }
  return createSigningKey(key, certificate);
}

/**
 * Reads the certificate of a signing key, the first one in the file.
 *
 * @throws {CertificateError} `CERTIFICATE_FILE_UNREADABLE`, `CERTIFICATE_INVALID` or `KEY_WEAK`
 */
async function readConfiguredCertificate(file: string): Promise<X509Certificate> {
  return parseFirstCertificate(file, await readText(file));
}
