import type { Duplex, Readable } from 'node:stream';

import type { Bundle } from '../bundle.ts';
import type { BundleError } from '../bundle-error.ts';
import type { BundlePermissions } from '../bundle-permissions.ts';
import type { StorageUsage } from '../storage/storage-usage.ts';

/** Input of a launcher. */
export interface LaunchRequest {
  readonly bundle: Bundle;
  readonly permissions: BundlePermissions;
  /** Aborts the launch; the abort reason becomes the error. */
  readonly signal: AbortSignal;
}

/** Starts the processes of bundles. */
export interface BundleLauncher {
  /**
   * Starts the process of a bundle and resolves when it runs, before any code of the bundle does.
   *
   * @throws {BundleError} `BUNDLE_NOT_LAUNCHED` when it cannot be started; `BUNDLE_DIRECTORY_UNSAFE`, `BUNDLE_NOT_STARTABLE`
   */
  launch(request: LaunchRequest): Promise<LaunchedBundle>;
  /**
   * Removes the data of a stopped bundle that only the launcher can access.
   *
   * @throws {BundleError} `BUNDLE_NOT_LAUNCHED` when that fails
   */
  removeData(name: string): Promise<void>;
}

/** The process of a bundle. */
export interface LaunchedBundle {
  /** Process id; undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Absolute paths, as the process sees them. */
  readonly paths: LaunchPaths;
  /** Carries the messages between gateway and bundle. */
  readonly link: Duplex;
  /** Output of the process, unless the service manager collects it. */
  readonly output: readonly LaunchOutput[];
  /** Resolves with the reason when the process and all its child processes have exited. */
  readonly ended: Promise<BundleError>;
  /** Reads the resident memory, in bytes; undefined if unknown or if the process has exited. */
  readResidentBytes(): Promise<number | undefined>;
  /**
   * Measures the storage of the bundle, including deleted files that it still has open; undefined before the first measurement.
   *
   * @param maximumEntries counting may end after this number
   */
  measureStorage(maximumEntries: number): Promise<StorageUsage | undefined>;
  /** Allows the processes of the bundle to write files, or makes every write fail with `EFBIG`. */
  setWritable(isWritable: boolean): Promise<void>;
  /** Sends SIGTERM to the process and its child processes. */
  terminate(): void;
  /** Kills the process and its child processes. */
  kill(): void;
}

export interface LaunchPaths {
  /** Unpacked content of the bundle. */
  readonly directory: string;
  /** Directory that it may write to. */
  readonly dataDirectory: string;
  /** Main module. */
  readonly main: string;
}

export interface LaunchOutput {
  readonly stream: Readable;
  readonly level: 'info' | 'warn';
}
