import { EXPOSITION_TYPE, renderMetrics } from './exposition.ts';
import type { Metric } from './exposition.ts';
import { processMetrics } from './process-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { AnsweredRequest } from './request-metrics.ts';

/** State of one device behind a connection. */
interface MeasuredUnit {
  readonly name: string;
  readonly isSuspended: boolean;
  readonly counters: Readonly<Record<string, number>>;
}

/** State of one configured connection. */
export interface MeasuredConnection {
  /** Pid of the driver. */
  readonly driver: string;
  readonly isConnected: boolean;
  readonly counters: Readonly<Record<string, number>>;
  readonly units: readonly MeasuredUnit[];
}

/** State of a bundle that should run. */
export interface MeasuredBundle {
  /** Symbolic name. */
  readonly name: string;
  readonly isActive: boolean;
}

/** Where the values come from when somebody asks. */
interface MetricsSources {
  readonly version: string;
  readonly connections: () => readonly MeasuredConnection[];
  readonly bundles: () => readonly MeasuredBundle[];
  readonly openSessions: () => number;
  /** Milliseconds since the epoch at which the server certificate ends; undefined without one. */
  readonly certificateExpiresAtMs: () => number | undefined;
}

/** The measured values of the gateway in the text format of Prometheus. */
export interface GatewayMetrics {
  readonly contentType: string;
  /** Records an answer. */
  note(answered: AnsweredRequest): void;
  render(): string;
}

/** Creates metrics that are read from their sources when they are rendered; no work is done in between. */
export function createGatewayMetrics(sources: MetricsSources): GatewayMetrics {
  const requests = new RequestMetrics();
  const metrics = [
    ...processMetrics,
    ...describeGateway(sources),
    ...describeConnections(sources),
    ...requests.list(),
  ];
  return {
    contentType: EXPOSITION_TYPE,
    note: (answered) => requests.note(answered),
    render: () => renderMetrics(metrics),
  };
}

function describeGateway(sources: MetricsSources): readonly Metric[] {
  const { version, openSessions, certificateExpiresAtMs, bundles } = sources;
  return [
    {
      name: 'penstock_build_info',
      type: 'gauge',
      help: 'Version of the gateway',
      read: () => [{ labels: { version }, value: 1 }],
    },
    {
      name: 'penstock_sessions',
      type: 'gauge',
      help: 'Open sessions',
      read: () => [{ value: openSessions() }],
    },
    {
      name: 'penstock_certificate_expiry_timestamp_seconds',
      type: 'gauge',
      help: 'When the certificate of the server ends, in seconds since 1970',
      read() {
        const expiresAtMs = certificateExpiresAtMs();
        return expiresAtMs === undefined ? [] : [{ value: expiresAtMs / 1000 }];
      },
    },
    {
      name: 'penstock_bundle_up',
      type: 'gauge',
      help: '1 while a bundle that should run is active',
      read: () =>
        bundles().map(({ name: bundle, isActive }) => ({ labels: { bundle }, value: isActive ? 1 : 0 })),
    },
  ];
}

function describeConnections({ connections }: MetricsSources): readonly Metric[] {
  return [
    {
      name: 'penstock_connection_up',
      type: 'gauge',
      help: '1 while the connection of a driver is open',
      read: () =>
        connections().map(({ driver, isConnected }) => ({ labels: { driver }, value: isConnected ? 1 : 0 })),
    },
    {
      name: 'penstock_unit_suspended',
      type: 'gauge',
      help: '1 while a device behind a connection is suspended because it does not answer',
      read: () =>
        connections().flatMap(({ driver, units }) =>
          units.map(({ name: unit, isSuspended }) => ({
            labels: { driver, unit },
            value: isSuspended ? 1 : 0,
          })),
        ),
    },
    {
      name: 'penstock_driver_operations_total',
      type: 'counter',
      help: 'What a driver counts: requests, answers, time-outs, late frames and the like',
      read: () =>
        connections().flatMap(({ driver, counters }) =>
          Object.entries(counters).map(([kind, value]) => ({ labels: { driver, kind }, value })),
        ),
    },
    {
      name: 'penstock_unit_operations_total',
      type: 'counter',
      help: 'What a driver counts for one device',
      read: () =>
        connections().flatMap(({ driver, units }) =>
          units.flatMap(({ name: unit, counters }) =>
            Object.entries(counters).map(([kind, value]) => ({ labels: { driver, unit, kind }, value })),
          ),
        ),
    },
  ];
}
