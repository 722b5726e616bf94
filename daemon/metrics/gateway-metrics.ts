import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { describeProcess } from './process-metrics.ts';

/** State of one device behind a connection. */
export interface MeasuredUnit {
  readonly name: string;
  readonly isSetAside: boolean;
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
export interface MetricsSources {
  readonly version: string;
  readonly connections: () => readonly MeasuredConnection[];
  readonly bundles: () => readonly MeasuredBundle[];
  readonly openSessions: () => number;
  /** Milliseconds since the epoch at which the server certificate ends; undefined without one. */
  readonly certificateExpiresAtMs: () => number | undefined;
}

/** One answer to a client. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the endpoint with its parameters unfilled; so their values make no series of their own. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** The measured values of the gateway in the text format of Prometheus. */
export interface GatewayMetrics {
  readonly contentType: string;
  /** Takes note of an answer. */
  note(answered: AnsweredRequest): void;
  render(): Promise<string>;
}

// From a cached answer to a device that takes its whole time.
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Makes metrics that are read from their sources when they are rendered; no work is done in between. */
export function createGatewayMetrics(sources: MetricsSources): GatewayMetrics {
  const register = new Registry();
  describeProcess(register);
  new Gauge({
    name: 'penstock_build_info',
    help: 'Version of the gateway',
    labelNames: ['version'],
    registers: [register],
  }).set({ version: sources.version }, 1);
  describeSecurity(register, sources);
  describeConnections(register, sources);
  describeBundles(register, sources);
  const requests = new Counter({
    name: 'penstock_http_requests_total',
    help: 'Answers to clients',
    labelNames: ['method', 'route', 'status'],
    registers: [register],
  });
  const durations = new Histogram({
    name: 'penstock_http_request_duration_seconds',
    help: 'Time from the head of a request to the decision on its answer',
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [register],
  });
  return {
    contentType: register.contentType,
    note({ method, route, status, durationMs }) {
      requests.inc({ method, route, status });
      durations.observe(durationMs / 1000);
    },
    render: () => register.metrics(),
  };
}

function describeSecurity(register: Registry, sources: MetricsSources): void {
  register.registerMetric(
    new Gauge({
      name: 'penstock_sessions',
      help: 'Open sessions',
      registers: [],
      collect() {
        this.set(sources.openSessions());
      },
    }),
  );
  register.registerMetric(
    new Gauge({
      name: 'penstock_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of the server ends, in seconds since 1970',
      registers: [],
      collect() {
        const expiresAtMs = sources.certificateExpiresAtMs();
        if (expiresAtMs === undefined) this.reset();
        else this.set(expiresAtMs / 1000);
      },
    }),
  );
}

function describeConnections(register: Registry, { connections }: MetricsSources): void {
  register.registerMetric(
    new Gauge({
      name: 'penstock_connection_up',
      help: '1 while the connection of a driver is open',
      labelNames: ['driver'],
      registers: [],
      collect() {
        // What is no longer configured leaves no series behind.
        this.reset();
        for (const { driver, isConnected } of connections()) this.set({ driver }, isConnected ? 1 : 0);
      },
    }),
  );
  register.registerMetric(
    new Gauge({
      name: 'penstock_unit_set_aside',
      help: '1 while a device behind a connection is set aside because it does not answer',
      labelNames: ['driver', 'unit'],
      registers: [],
      collect() {
        this.reset();
        for (const { driver, units } of connections()) {
          for (const { name: unit, isSetAside } of units) this.set({ driver, unit }, isSetAside ? 1 : 0);
        }
      },
    }),
  );
  register.registerMetric(
    new Counter({
      name: 'penstock_driver_operations_total',
      help: 'What a driver counts: requests, answers, time-outs, late frames and the like',
      labelNames: ['driver', 'kind'],
      registers: [],
      collect() {
        this.reset();
        for (const { driver, counters } of connections()) {
          for (const [kind, count] of Object.entries(counters)) this.inc({ driver, kind }, count);
        }
      },
    }),
  );
  register.registerMetric(
    new Counter({
      name: 'penstock_unit_operations_total',
      help: 'What a driver counts for one device',
      labelNames: ['driver', 'unit', 'kind'],
      registers: [],
      collect() {
        this.reset();
        for (const { driver, units } of connections()) {
          for (const { name: unit, counters } of units) {
            for (const [kind, count] of Object.entries(counters)) this.inc({ driver, unit, kind }, count);
          }
        }
      },
    }),
  );
}

function describeBundles(register: Registry, { bundles }: MetricsSources): void {
  register.registerMetric(
    new Gauge({
      name: 'penstock_bundle_up',
      help: '1 while a bundle that should run is active',
      labelNames: ['bundle'],
      registers: [],
      collect() {
        this.reset();
        for (const { name: bundle, isActive } of bundles()) this.set({ bundle }, isActive ? 1 : 0);
      },
    }),
  );
}
