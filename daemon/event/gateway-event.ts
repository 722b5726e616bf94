/** What may be news to those who look after the gateway; each kind has its own fields. */
export type GatewayEvent = ConnectionStateEvent | UnitStateEvent | ConfigurationChangedEvent;

export type GatewayEventType = GatewayEvent['type'];

/** A connection works, or does no longer; attempts in between are no news. */
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

/** A device behind a connection is set aside because it is silent, or answers again. */
export interface UnitStateEvent {
  readonly type: 'UNIT_STATE';
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly unit: string;
  readonly state: 'SET_ASIDE' | 'ANSWERING';
  /** Why it is set aside. */
  readonly cause?: string | undefined;
  /** Milliseconds since the epoch at which a device that is set aside is asked again. */
  readonly nextProbeAt?: number | undefined;
}

/** Another managed configuration is in force. */
export interface ConfigurationChangedEvent {
  readonly type: 'CONFIGURATION_CHANGED';
  /** Number of its snapshot. */
  readonly snapshot: number;
}
