/** What is done to a package. */
type OperationKind = 'INSTALL' | 'UNINSTALL';

export const OPERATION_STATES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
type OperationState = (typeof OPERATION_STATES)[number];

/** How far an operation came, in order; an uninstallation begins with SWITCHING. */
export const OPERATION_PHASES = [
  'WAITING',
  'RECEIVING',
  'CHECKING',
  'STAGING',
  'SWITCHING',
  'STARTING',
  'FINISHED',
] as const;
export type OperationPhase = (typeof OPERATION_PHASES)[number];

// Rough shares of the time of an install.
const PERCENT_AT_START: Readonly<Record<OperationPhase, number>> = {
  WAITING: 0,
  RECEIVING: 0,
  CHECKING: 40,
  STAGING: 60,
  SWITCHING: 70,
  STARTING: 80,
  FINISHED: 100,
};

/** Who asked for an operation; what the audit log gets to know of it. */
export type Requester = Readonly<Partial<Record<'identity' | 'method' | 'address' | 'requestId', string>>>;

/** An operation on a package, as it is kept. */
export interface Operation {
  readonly id: string;
  readonly operation: OperationKind;
  /** Where the package comes from; absent: it was sent, or is to be removed. */
  readonly url?: string;
  /** SHA-256 of a package that was sent. */
  readonly sentSha256?: string;
  /** Known from the start of an uninstallation, of an install once the package was read. */
  readonly name?: string;
  readonly version?: string;
  readonly state: OperationState;
  readonly phase: OperationPhase;
  /** 0 to 100. */
  readonly percent: number;
  /** Code of a DeploymentException (OSGi Compendium, 114.14.5). */
  readonly errorCode?: number;
  /** Why it failed, or what else is worth knowing. */
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  readonly requester: Requester;
}

/** Gives the percentage of a phase of which a part is done. */
export function percentOf(phase: OperationPhase, done = 0): number {
  const start = PERCENT_AT_START[phase];
  const next = OPERATION_PHASES[OPERATION_PHASES.indexOf(phase) + 1];
  const end = next === undefined ? start : PERCENT_AT_START[next];
  return Math.floor(start + (end - start) * Math.min(Math.max(done, 0), 1));
}

/** Whether an operation is still to be done or being done. */
export function isPending({ state }: Operation): boolean {
  return state === 'QUEUED' || state === 'RUNNING';
}
