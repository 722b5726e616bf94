import type { Duplex, Readable } from 'node:stream';

import type { Bundle } from '../bundle.ts';
import type { BundleError } from '../bundle-error.ts';
import type { BundlePermissions } from '../bundle-permissions.ts';
import type { StorageUsage } from '../storage/storage-usage.ts';

/** What a launcher needs to know about a bundle. */
export interface LaunchRequest {
  readonly bundle: Bundle;
  readonly permissions: BundlePermissions;
  /** Gives the start up, with its reason. */
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
   * Removes what a bundle has stored where only the launcher has access; it must not run.
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
  /** What the process prints, when that is not collected by the service manager. */
  readonly output: readonly LaunchOutput[];
  /** Resolves with the reason when the process and all its child processes have ended. */
  readonly ended: Promise<BundleError>;
  /** Reads the resident memory, in bytes; undefined when it is not known, or the process has ended. */
  readResidentBytes(): Promise<number | undefined>;
  /**
   * Measures what the bundle stores, deleted files that it still has open included; undefined while nothing is known.
   *
   * @param maximumEntries counting may end after this number
   */
  measureStorage(maximumEntries: number): Promise<StorageUsage | undefined>;
  /** Lets the processes of the bundle write files, or has every write fail with `EFBIG`. */
  setWritable(isWritable: boolean): Promise<void>;
  /** Asks the process and its child processes to end. */
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
