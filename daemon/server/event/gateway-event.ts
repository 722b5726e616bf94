import type { BundleState } from '../../interface/software/bundle.ts';

/** An event for operators; each type has its own fields. */
export type GatewayEvent =
  | ConnectionStateEvent
  | UnitStateEvent
  | ConfigurationChangedEvent
  | DeploymentEvent
  | BundleStateEvent;

/** A connection went up or down; attempts in between are not reported. */
export interface ConnectionStateEvent {
  readonly type: 'CONNECTION_STATE';
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly state: 'UP' | 'DOWN';
  /** Why it is down. */
  readonly cause?: string | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** A device behind a connection is suspended because it is silent, or answers again. */
export interface UnitStateEvent {
  readonly type: 'UNIT_STATE';
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly unit: string;
  readonly state: 'SUSPENDED' | 'ANSWERING';
  /** Why it is suspended. */
  readonly cause?: string | undefined;
  /** Milliseconds since the epoch at which a device that is suspended is asked again. */
  readonly nextProbeAt?: number | undefined;
}

/** A new managed configuration is in force. */
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
  /** Why it failed. */
  readonly message?: string | undefined;
}

/** The state of a bundle changed. */
export interface BundleStateEvent {
  readonly type: 'BUNDLE_STATE';
  /** Symbolic name. */
  readonly bundle: string;
  readonly version: string;
  readonly state: BundleState;
  /** Why it is FAILED. */
  readonly cause?: string | undefined;
  /** Milliseconds since the epoch at which a bundle that is FAILED is started again; absent: it is not. */
  readonly restartAt?: number | undefined;
}
