import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { systemClock } from '../../../../daemon/base/clock.ts';
import type { Clock } from '../../../../daemon/base/clock.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { DeploymentAdmin } from '../../../../daemon/software/deployment/deployment-admin.ts';
import type { DeploymentSettings } from '../../../../daemon/software/deployment/deployment-settings.ts';
import type { Operation } from '../../../../daemon/software/deployment/operation/operation.ts';
import { deploymentMigrations } from '../../../../daemon/software/deployment/operation/operation-store.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { buildPackage } from '../../../support/package-builder.ts';
import type { PackageDescription } from '../../../support/package-builder.ts';
import { RecordingBundleControl } from '../../../support/recording-bundle-control.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

export interface AdminOptions {
  readonly directory?: string;
  readonly settings?: Partial<DeploymentSettings>;
  readonly control?: RecordingBundleControl;
  readonly clock?: Clock;
}

/** A deployment admin in its own directory. */
export interface AdminUnderTest {
  readonly admin: DeploymentAdmin;
  readonly control: RecordingBundleControl;
  readonly directory: string;
  readonly packagesDirectory: string;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  readonly finished: readonly Operation[];
  /** Writes a package to a file that may be installed; returns its URL. */
  readonly write: (content: PackageDescription | Uint8Array, name?: string) => string;
  /** Installs a package; resolves with the finished operation. */
  readonly install: (content: PackageDescription | Uint8Array) => Promise<Operation>;
  readonly uninstall: (name: string) => Promise<Operation>;
  /** Resolves with the operation once it is finished. */
  readonly ended: (id: string) => Promise<Operation>;
  /** Stops the admin and closes its store, so that another one can use the directory. */
  readonly close: () => Promise<void>;
}

/** Starts a deployment admin, which stops when the test ends. */
export async function startAdmin(t: Owner, options: AdminOptions = {}): Promise<AdminUnderTest> {
  const directory = options.directory ?? createTemporaryDirectory(t);
  const packagesDirectory = path.join(directory, 'packages');
  const store = openStore(path.join(directory, 'penstock.db'), [deploymentMigrations]);
  const control = options.control ?? new RecordingBundleControl();
  const logger = createMemoryLogger();
  const finished: Operation[] = [];
  const waiting = new Map<string, (operation: Operation) => void>();
  const admin = new DeploymentAdmin({
    directory: packagesDirectory,
    store,
    control,
    settings: () => ({
      maximumPackageBytes: 67_108_864,
      fileSourceDirectories: [directory],
      signaturePolicy: 'off',
      trustedSignersFile: null,
      marketplaceUrl: 'https://marketplace.example',
      ...options.settings,
    }),
    onFinished(operation) {
      finished.push(operation);
      waiting.get(operation.id)?.(operation);
    },
    clock: options.clock ?? systemClock,
    logger,
  });
  await admin.start();
  let isClosed = false;
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await admin.stop();
    store.close();
  }
  t.after(close);
  let written = 0;
  function write(content: PackageDescription | Uint8Array, name = `package-${(written += 1)}.dp`): string {
    const file = path.join(directory, name);
    writeFileSync(file, content instanceof Uint8Array ? content : buildPackage(content));
    return pathToFileURL(file).href;
  }
  function ended(id: string): Promise<Operation> {
    const known = finished.find((operation) => operation.id === id);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => waiting.set(id, resolve));
  }
  return {
    admin,
    control,
    directory,
    packagesDirectory,
    logger,
    finished,
    write,
    install: (content) => ended(admin.install(write(content), {}).operation.id),
    uninstall: (name) => ended(admin.uninstall(name, {}).operation.id),
    ended,
    close,
  };
}
