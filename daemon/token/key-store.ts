import { stat } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../base/clock.ts';
import { Conflict } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { makeTokenSigner } from '../certificate/certificate-maker.ts';
import { MAXIMUM_CLOCK_SKEW_SECONDS } from '../settings/token-settings.ts';
import type { TokenIssuingService } from '../settings/token-settings.ts';
import { keyTypeOf, listAlgorithms } from './algorithms.ts';
import { readConfiguredCertificate, readConfiguredKey } from './configured-key.ts';
import { createKeyDirectory } from './key-directory.ts';
import type { KeyDirectory } from './key-directory.ts';
import { toKeyError, trustCertificate } from './signing-key.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';

interface KeyStoreOptions {
  /** Keys lie below `keys` in it. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

// A gateway is restarted or issues tokens more often than that.
const RENEWAL_MS = 30 * 86_400_000;

interface LoadedKey {
  readonly key: SigningKey;
  /** Tells this state of the files from every other; undefined: they could not be looked at. */
  readonly stamp: string | undefined;
}

/** Holds the keys of the issuing services. */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  readonly #loaded = new Map<string, LoadedKey>();
  /** The last piece of work on the files of each service. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #revision = 0;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** Grows whenever other keys sign or are trusted. */
  revision(): number {
    return this.#revision;
  }

  /**
   * Gives the key that signs for a service; made at first use when the service names no files, and made anew when it does
   * not suit the algorithm or its certificate is about to expire. Files that have changed are read again.
   *
   * @throws {TokenError} when the key cannot be used until somebody puts it right
   * @throws {Unavailable} `TOKEN_SERVICE_UNAVAILABLE` when the machine cannot read or write now
   */
  getSigningKey(service: TokenIssuingService): Promise<SigningKey> {
    return this.#inTurn(service, () => this.#load(service));
  }

  /**
   * Gives the keys by which tokens of the service are verified; none before the first was made.
   *
   * @throws {TokenError} as `getSigningKey` does
   * @throws {Unavailable} as `getSigningKey` does
   */
  listTrustedKeys(service: TokenIssuingService): Promise<readonly TrustedKey[]> {
    const { certificateFile } = service;
    return this.#inTurn(service, async () =>
      certificateFile === null
        ? this.#directoryOf(service).listTrustedKeys(this.#options.clock.epochMs())
        : [trustCertificate(await readConfiguredCertificate(certificateFile))],
    );
  }

  /**
   * Makes a new key; the present one signs until that moment.
   *
   * @param options `isFormerTrusted`: tokens signed until now count until they expire; otherwise they are void at once
   * @throws {Conflict} `SIGNING_KEY_CONFIGURED` when the key comes from a file of the configuration
   * @throws {TokenError} as `getSigningKey` does
   * @throws {Unavailable} as `getSigningKey` does
   */
  rotate(
    service: TokenIssuingService,
    { isFormerTrusted }: { readonly isFormerTrusted: boolean },
  ): Promise<SigningKey> {
    if (service.privateKeyFile !== null) {
      return Promise.reject(
        new Conflict({
          code: 'SIGNING_KEY_CONFIGURED',
          detail: `the key of the token service ${service.pid} comes from a file; replace that`,
        }),
      );
    }
    return this.#inTurn(service, async () => {
      // A key that cannot be read any more is a reason to make another one.
      const former = await this.#directoryOf(service)
        .findSigningKey()
        .catch(() => undefined);
      return this.#make(service, isFormerTrusted ? former : undefined);
    });
  }

  /** Reads every file anew at its next use. */
  reload(): void {
    this.#loaded.clear();
    this.#revision += 1;
  }

  async #load(service: TokenIssuingService): Promise<SigningKey> {
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
    // The stamp was taken before the files were read: a change in between is noticed at the next use.
    this.#loaded.set(service.pid, { key, stamp });
    return key;
  }

  async #loadMade(service: TokenIssuingService, directory: KeyDirectory): Promise<SigningKey> {
    const key = await directory.findSigningKey();
    return key !== undefined && this.#isGood(service, key) ? key : this.#make(service, key);
  }

  /** Whether the key suits the service; one of the gateway's own making has to last for a while, too. */
  #isGood({ algorithm, privateKeyFile }: TokenIssuingService, { certificate }: SigningKey): boolean {
    const lastsMs = certificate.validToDate.getTime() - this.#options.clock.epochMs();
    return (
      listAlgorithms(certificate.publicKey).includes(algorithm) &&
      (privateKeyFile !== null || lastsMs > RENEWAL_MS)
    );
  }

  async #make(service: TokenIssuingService, former: SigningKey | undefined): Promise<SigningKey> {
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
    await directory.replaceSigningKey(pair, nowMs, former && { key: former, trustedUntilSeconds });
    const made = await directory.findSigningKey();
    if (made === undefined) throw new Error('the key that was written is gone');
    this.#loaded.delete(pid);
    this.#revision += 1;
    logger.info('token.keyMade', { service: pid, kid: made.kid, formerKid: former?.kid });
    return made;
  }

  #directoryOf({ pid }: TokenIssuingService): KeyDirectory {
    return createKeyDirectory(path.join(this.#options.dataDirectory, 'keys', pid));
  }

  /** Work on the files of one service is done one after the other. */
  async #inTurn<T>({ pid }: TokenIssuingService, work: () => Promise<T>): Promise<T> {
    const running = (this.#turns.get(pid) ?? Promise.resolve()).then(work);
    const settled = running.catch(() => undefined);
    this.#turns.set(pid, settled);
    try {
      return await running;
    } catch (error) {
      throw toKeyError(pid, error);
    } finally {
      if (this.#turns.get(pid) === settled) this.#turns.delete(pid);
    }
  }
}

/**
 * Gives a text that differs when one of the files was replaced, written, or given other rights.
 *
 * @returns undefined when one of them cannot be looked at; reading it tells what is the matter
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
