import type { BundleState } from '../../interface/software/bundle.ts';
import type { PermissionHeaders } from './bundle-permissions.ts';

/** Identifies a bundle: two versions of one symbolic name are two bundles. */
export interface BundleId {
  /** Symbolic name. */
  readonly name: string;
  readonly version: string;
}

/** Installed bundle, with the fields that the supervisor needs. */
export interface Bundle extends PermissionHeaders {
  readonly id: BundleId;
  /** Directory of its unpacked content; read-only. */
  readonly directory: string;
  /** Directory that it may write to; it survives updates of the bundle, and need not exist yet. */
  readonly dataDirectory: string;
  /** Header `Penstock-Main`: the module to start, relative to `directory`; undefined: the bundle is not started. */
  readonly main: string | undefined;
  /** JSON Schema of its settings; absent: it has none. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Resident memory that it may use, in MiB; absent: as every bundle. */
  readonly memoryMib?: number | undefined;
}

/** Starts and stops bundles. */
export interface BundleControl {
  /**
   * Starts the bundle and resolves when it has been ACTIVE for the probation time; rejects with the reason when it fails.
   * In both cases the bundle is restarted when it ends, until `stop`.
   */
  start(bundle: Bundle): Promise<void>;
  /** Stops the bundle, if it exists; resolves when its process has exited. Never rejects. */
  stop(id: BundleId): Promise<void>;
  /** Removes the data that an uninstalled bundle stored outside of its own directories. */
  removeData(name: string): Promise<void>;
  /** Returns the state of a bundle, for lists. */
  stateOf(id: BundleId): BundleState;
}

/** Formats an id for display: `org.example.meter 1.2.0`. */
export function formatBundleId({ name, version }: BundleId): string {
  return `${name} ${version}`;
}
