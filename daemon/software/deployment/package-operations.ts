import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../../base/clock.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import { listGrants } from './bundle-grants.ts';
import { planDeployment } from './deployment-plan.ts';
import type { DeploymentPlan } from './deployment-plan.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { Operation } from './operation/operation.ts';
import { toDeploymentError } from './operation/operation-queue.ts';
import type { OperationProgress } from './operation/operation-queue.ts';
import { changePackage } from './package-change.ts';
import type { PackageChangeParts, RequestedChange } from './package-change.ts';
import { PackageRecovery } from './operation/package-recovery.ts';
import type { PackageRecoveryParts } from './operation/package-recovery.ts';
import type { PackageContents } from '../package/package-contents.ts';
import { fetchPackage } from './source/package-source.ts';
import { unpackInChild } from '../package/unpack-in-child.ts';
import type { UnpackedPackage } from '../package/unpack-package.ts';
import { copyStoredFile } from './stored-files.ts';
import { readTrustedCertificates } from '../package/signature/signer-trust.ts';

interface PackageOperationsOptions extends PackageChangeParts, PackageRecoveryParts {
  readonly settings: () => DeploymentSettings;
  readonly clock: Clock;
}

/** Installs and uninstalls packages, one operation at a time. */
export class PackageOperations {
  readonly #options: PackageOperationsOptions;
  readonly #recovery: PackageRecovery;

  constructor(options: PackageOperationsOptions) {
    this.#options = options;
    this.#recovery = new PackageRecovery(options);
  }

  /**
   * Completes what an earlier run of the daemon left open, and starts the bundles of the installed packages.
   *
   * @throws {DeploymentError} `COMMIT_ERROR`; the next call or operation retries
   */
  async recover(): Promise<void> {
    await this.#recovery.recover();
  }

  /**
   * Runs one operation, after recovery if that has not succeeded yet.
   *
   * @param signal cancels the operation, until its outcome is recorded
   * @throws {DeploymentError} reason of the failure; the installed packages are unchanged
   */
  async run(operation: Operation, progress: OperationProgress, signal: AbortSignal): Promise<void> {
    if (!this.#options.installed.isSettled) await this.recover();
    await (operation.operation === 'INSTALL'
      ? this.#install(operation, progress, signal)
      : this.#uninstall(operation, progress, signal));
  }

  async #install(operation: Operation, progress: OperationProgress, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const file = store.spoolFile(operation.id);
    try {
      const incoming = await this.#receive(operation, file, progress, signal);
      progress.identify(incoming.contents.symbolicName, incoming.contents.version);
      const plan = this.#plan(incoming, progress);
      this.#showGrants(incoming, plan, progress);
      if (plan.kind === 'NOTHING') {
        progress.addMessage('this package is already installed');
        return;
      }
      progress.enter('STAGING');
      const to = await this.#stage(operation, plan, incoming);
      const change = { operationId: operation.id, name: to.name, from: plan.previous, to };
      await this.#change(change, progress, signal);
    } finally {
      // A stop of the daemon postpones the operation, which then needs the file again.
      if (!signal.aborted) await rm(file, { force: true });
      await store.discardStaging(operation.id);
    }
  }

  async #receive(
    { id, url, sentSha256 }: Operation,
    file: string,
    progress: OperationProgress,
    signal: AbortSignal,
  ): Promise<UnpackedPackage> {
    const { settings, store, clock } = this.#options;
    progress.enter('RECEIVING');
    const sha256 = url === undefined ? sentSha256 : await this.#fetch(url, file, progress, signal);
    if (sha256 === undefined)
      throw new DeploymentError('OTHER_ERROR', 'the operation has neither a URL nor a sent package');
    progress.enter('CHECKING');
    const { signaturePolicy, trustedSignersFile } = settings();
    const request = {
      file,
      sha256,
      target: store.stagingDirectory(id),
      signaturePolicy,
      trustedCertificates: await readTrustedCertificates(trustedSignersFile),
      nowMs: clock.epochMs(),
    };
    return unpackInChild(request, clock, signal);
  }

  async #fetch(url: string, file: string, progress: OperationProgress, signal: AbortSignal): Promise<string> {
    const { settings, clock } = this.#options;
    // A file from before a stop of the daemon may be incomplete.
    await rm(file, { force: true });
    const onProgress = (done: number): void => progress.advance(done);
    return fetchPackage({ url, file, settings: settings(), clock, signal, onProgress });
  }

  #plan(incoming: UnpackedPackage, progress: OperationProgress): DeploymentPlan {
    const { settings, installed, logger } = this.#options;
    const { signature, contents } = incoming;
    if (settings().signaturePolicy === 'warn' && signature.state !== 'TRUSTED') {
      const reason = signature.state === 'UNSIGNED' ? 'the package is not signed' : signature.reason;
      logger.warn('deployment.signatureNotTrusted', { package: contents.symbolicName, reason });
      progress.addMessage(`warning: ${reason}`);
    }
    return planDeployment(installed.list(), incoming, installed.listDamaged());
  }

  /** Adds the permissions of the bundles to the operation and the log, before the bundles start. */
  #showGrants({ contents }: UnpackedPackage, plan: DeploymentPlan, progress: OperationProgress): void {
    const grants = listGrants(plan.kind === 'NOTHING' ? plan.previous.bundles : plan.bundles);
    if (grants.length === 0) return;
    progress.grant(grants);
    const { symbolicName, version } = contents;
    this.#options.logger.info('deployment.permissionsGranted', { package: symbolicName, version, grants });
  }

  /** Adds the files that a fix package retains to the unpacked content, and returns the record of the package. */
  async #stage(
    operation: Operation,
    plan: Exclude<DeploymentPlan, { kind: 'NOTHING' }>,
    { contents, sha256, files, signature }: UnpackedPackage,
  ): Promise<InstalledPackage> {
    const { store, installed, clock } = this.#options;
    const staging = store.stagingDirectory(operation.id);
    await this.#checkRoom(contents);
    // A package may consist of its manifest alone.
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const { previous } = plan;
    if (previous !== undefined) {
      for (const file of plan.inherited) {
        const source = store.contentFile(previous, file.path);
        await copyStoredFile(source, path.join(staging, file.path), file);
      }
    }
    return {
      name: contents.symbolicName,
      version: contents.version,
      directory: `${contents.version}-${operation.id}`,
      position: previous?.position ?? installed.nextPosition(),
      sha256,
      ...(operation.url === undefined ? {} : { url: operation.url }),
      installedAtMs: clock.epochMs(),
      ...(signature.state === 'TRUSTED' ? { signer: signature.signer } : {}),
      bundles: [...plan.bundles],
      resources: [...plan.resources],
      files: [...files, ...plan.inherited].sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
  }

  async #checkRoom({ requiredStorageBytes = 0 }: PackageContents): Promise<void> {
    if (requiredStorageBytes <= (await this.#options.store.countFreeBytes())) return;
    const detail = `the package requires ${requiredStorageBytes} bytes of storage, more than is free`;
    throw new DeploymentError('OTHER_ERROR', detail);
  }

  async #uninstall(operation: Operation, progress: OperationProgress, signal: AbortSignal): Promise<void> {
    const from = this.#options.installed.list().find(({ name }) => name === operation.name);
    if (from === undefined) throw new DeploymentError('OTHER_ERROR', 'the package is no longer installed');
    progress.identify(from.name, from.version);
    const change = { operationId: operation.id, name: from.name, from, to: undefined };
    await this.#change(change, progress, signal);
  }

  /** Makes a change and ends it, whether it succeeds or not; the bundles of the installed version then run. */
  async #change(change: RequestedChange, progress: OperationProgress, signal: AbortSignal): Promise<void> {
    const { installed, bundles } = this.#options;
    let failure: DeploymentError | undefined;
    try {
      const onPhase = progress.enter.bind(progress);
      await changePackage(this.#options, change, { onPhase, signal });
    } catch (thrown) {
      failure = toDeploymentError(signal.aborted ? signal.reason : thrown);
    }
    installed.isSettled = false;
    let isNew = false;
    try {
      await this.#recovery.settle((_entry, outcome) => {
        isNew = outcome === 'NEW';
        progress.decide(isNew ? undefined : (failure ?? interrupted()));
      });
    } finally {
      // Also when the disk fails: bundles that were stopped must run again.
      const current = isNew ? change.to : change.from;
      if (failure !== undefined && current !== undefined) bundles.startInBackground(current);
    }
    if (failure !== undefined) throw failure;
  }
}

function interrupted(): DeploymentError {
  return new DeploymentError('COMMIT_ERROR', 'the change could not be written');
}
