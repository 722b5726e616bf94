import type { FaultReason } from '../../interface/failure.ts';
import type { BundleState } from '../../interface/software/bundle.ts';

/** An event for operators; each type has its own fields. */
export type GatewayEvent =
  | ConnectionStateEvent
  | UnitStateEvent
  | ConfigurationChangedEvent
  | DeploymentEvent
  | BundleStateEvent
  | RecordingStateEvent;

/** A connection went up or down; attempts in between are not reported. */
export interface ConnectionStateEvent {
  readonly type: 'CONNECTION_STATE';
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly state: 'UP' | 'DOWN';
  /** Reason of the loss. */
  readonly cause?: string | undefined;
  readonly causeCode?: string | undefined;
  /** Its sentences with their codes; absent: one has none. */
  readonly causeReasons?: readonly FaultReason[] | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** A device behind a connection is suspended because of timeouts, or responds again. */
export interface UnitStateEvent {
  readonly type: 'UNIT_STATE';
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly unit: string;
  readonly state: 'SUSPENDED' | 'ANSWERING';
  /** Reason of the suspension. */
  readonly cause?: string | undefined;
  readonly causeCode?: string | undefined;
  /** Its sentences with their codes; absent: one has none. */
  readonly causeReasons?: readonly FaultReason[] | undefined;
  /** Milliseconds since the epoch of the next probe of a suspended device. */
  readonly nextProbeAt?: number | undefined;
}

/** A new managed configuration is active. */
interface ConfigurationChangedEvent {
  readonly type: 'CONFIGURATION_CHANGED';
  /** Number of its snapshot. */
  readonly snapshot: number;
}

/** An operation on a deployment package ended. */
export interface DeploymentEvent {
  readonly type: 'DEPLOYMENT';
  readonly operation: 'INSTALLED' | 'UNINSTALLED';
  /** Absent when the package could not be read. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** URL of the package, without query; absent: it was uploaded or removed. */
  readonly url?: string | undefined;
  readonly successful: boolean;
  /** Reason of a failure. */
  readonly message?: string | undefined;
  /** Code of a DeploymentException of a failure. */
  readonly errorCode?: number | undefined;
}

/** The state of a bundle changed. */
export interface BundleStateEvent {
  readonly type: 'BUNDLE_STATE';
  /** Symbolic name. */
  readonly bundle: string;
  readonly version: string;
  readonly state: BundleState;
  /** Reason of the state FAILED. */
  readonly cause?: string | undefined;
  readonly causeCode?: string | undefined;
  /** Time of the next start of a FAILED bundle, in milliseconds since the epoch; absent: none. */
  readonly restartAt?: number | undefined;
}

/** Recording stopped because the disk refuses samples, or the history alone did, or it goes on. */
interface RecordingStateEvent {
  readonly type: 'RECORDING_STATE';
  readonly state: 'STOPPED' | 'HISTORY_STOPPED' | 'RECORDING';
  /** Why it stopped. */
  readonly cause?: string | undefined;
  readonly causeCode?: string | undefined;
}
