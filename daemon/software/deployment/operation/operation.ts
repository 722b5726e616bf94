import { OPERATION_PHASES } from '../../../interface/software/package-operation.ts';
import type { OPERATION_STATES } from '../../../interface/software/package-operation.ts';
import type { BundleGrants } from '../bundle-grants.ts';

/** Kind of an operation on a package. */
type OperationKind = 'INSTALL' | 'UNINSTALL';

type OperationState = (typeof OPERATION_STATES)[number];
export type OperationPhase = (typeof OPERATION_PHASES)[number];

// Rough shares of the duration of an installation.
const PERCENT_AT_START: Readonly<Record<OperationPhase, number>> = {
  WAITING: 0,
  RECEIVING: 0,
  CHECKING: 40,
  STAGING: 60,
  SWITCHING: 70,
  STARTING: 80,
  FINISHED: 100,
};

/** Origin of the request for an operation, for the audit log; and the key of the request, with the identity that it belongs to. */
export type Requester = Readonly<
  Partial<Record<'identity' | 'method' | 'address' | 'requestId' | 'idempotencyKey' | 'identityId', string>>
>;

/** An operation on a package, as it is stored. */
export interface Operation {
  readonly id: string;
  readonly operation: OperationKind;
  /** Source of the package; absent: a client sent it, or it is to be removed. */
  readonly url?: string;
  /** SHA-256 of a package that a client sent. */
  readonly sentSha256?: string;
  /** Known from the start of an uninstallation, and for an installation once the package has been read. */
  readonly name?: string;
  readonly version?: string;
  /** Permissions of the bundles of the package to install; absent: none. */
  readonly grants?: readonly BundleGrants[];
  readonly state: OperationState;
  readonly phase: OperationPhase;
  /** 0 to 100. */
  readonly percent: number;
  /** Code of a DeploymentException (OSGi Compendium, 114.14.5). */
  readonly errorCode?: number;
  /** Reason of a failure, or a note on a success. */
  readonly message?: string;
  /** Reason why files that it removed still exist. */
  readonly leftover?: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  readonly requester: Requester;
}

/** Part of an operation that the response to its request contains. */
export type AcceptedRequest = Pick<Operation, 'id' | 'operation'>;

/** Returns the percentage of an operation that has completed part of a phase. */
export function percentOf(phase: OperationPhase, done = 0): number {
  const start = PERCENT_AT_START[phase];
  const next = OPERATION_PHASES[OPERATION_PHASES.indexOf(phase) + 1];
  const end = next === undefined ? start : PERCENT_AT_START[next];
  return Math.floor(start + (end - start) * Math.min(Math.max(done, 0), 1));
}

/** Returns true if an operation is queued or running. */
export function isPending({ state }: Operation): boolean {
  return state === 'QUEUED' || state === 'RUNNING';
}
