/** Names a bundle: two versions of one symbolic name are two bundles. */
export interface BundleId {
  /** Symbolic name. */
  readonly name: string;
  readonly version: string;
}

/** States of a bundle, as OSGi calls them, and FAILED for one that does not run although it should. */
export type BundleState = 'INSTALLED' | 'RESOLVED' | 'STARTING' | 'ACTIVE' | 'STOPPING' | 'FAILED';

/** An installed bundle as it is started. */
export interface Bundle {
  readonly id: BundleId;
  /** Its unpacked content; read only. */
  readonly directory: string;
  /** Its own place to write to; it outlives updates of the bundle, and need not exist yet. */
  readonly dataDirectory: string;
  /** Header `Penstock-Main`: the module to start, relative to `directory`; undefined: not to be started. */
  readonly main: string | undefined;
  /** Header `Penstock-Permissions`, as it stands in the manifest; empty: none. */
  readonly permissions: string;
}

/** Runs bundles. */
export interface BundleControl {
  /**
   * Starts the bundle and resolves when it is ACTIVE for the probation time; rejects with the reason when it is not.
   * Whether it rejects or not, the bundle is started again when it ends, until `stop`.
   */
  start(bundle: Bundle): Promise<void>;
  /** Stops it; resolves after its process is gone. Never rejects. Unknown ids: nothing. */
  stop(id: BundleId): Promise<void>;
  /** State by id, for lists. */
  stateOf(id: BundleId): BundleState;
}

/** Writes an id as people read it: `org.example.meter 1.2.0`. */
export function formatBundleId({ name, version }: BundleId): string {
  return `${name} ${version}`;
}
