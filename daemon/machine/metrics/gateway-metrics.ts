import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import { EXPOSITION_TYPE, renderMetrics } from './exposition.ts';
import { describeBundles } from './bundle-metrics.ts';
import type { MeasuredBundle } from './bundle-metrics.ts';
import type { Metric } from './exposition.ts';
import { describeMachine, UNKNOWN_MACHINE } from './machine-metrics.ts';
import type { MeasuredClientCertificate, MeasuredMachine } from './machine-metrics.ts';
import { describeRecording } from './recording-metrics.ts';
import type { MeasuredRecording } from './recording-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { AnsweredRequest } from './request-metrics.ts';

/** State of one device on a connection. */
interface MeasuredUnit {
  readonly name: string;
  readonly isSuspended: boolean;
  readonly counters: Readonly<Record<string, number>>;
}

/** State of one configured connection. */
export interface MeasuredConnection {
  /** Pid of the driver. */
  readonly driver: string;
  /** Undefined before the first attempt: a connection is opened by the first request for a value. */
  readonly isConnected: boolean | undefined;
  readonly counters: Readonly<Record<string, number>>;
  readonly units: readonly MeasuredUnit[];
}

/** Failing channels of an asset. */
export interface MeasuredAsset {
  /** Pid of the asset. */
  readonly asset: string;
  /** Channels whose newest read returned no value although the device responds. */
  readonly failingChannels: number;
}

/** State of an authentication provider of a bundle. */
export interface MeasuredProvider {
  /** Symbolic name of the bundle. */
  readonly bundle: string;
  /** Number of the provider among those of its bundle. */
  readonly provider: number;
  readonly isSuspended: boolean;
  readonly silences: number;
}

/** Integrity of the audit, and state of its store. */
interface MeasuredAudit {
  readonly breaks: number;
  /** Events that the store rejects. */
  readonly waitingEvents: number;
  /** Since the start. */
  readonly lostEvents: number;
}

/** Progress of an audit export. */
export interface MeasuredExport {
  readonly place: string;
  /** Undefined before the first export. */
  readonly isTaking: boolean | undefined;
  readonly sinceMs?: number | undefined;
  readonly lastEventId: number;
  readonly lastTakenAtMs?: number | undefined;
  readonly waitingEvents: number;
  readonly failures: number;
}

/** Sources of the values, read at collection. */
interface MetricsSources {
  readonly clock: SliceClock;
  readonly version: string;
  /** One after the other, as other work has its turn in between. */
  readonly connections: () => Iterable<MeasuredConnection>;
  readonly assets: () => Iterable<MeasuredAsset>;
  readonly bundles: () => readonly MeasuredBundle[];
  readonly providers: () => readonly MeasuredProvider[];
  readonly openSessions: () => number;
  /** Milliseconds since the epoch at which the server certificate ends; undefined without one. */
  readonly certificateExpiresAtMs: () => number | undefined;
  readonly audit: () => MeasuredAudit;
  readonly auditExports: () => readonly MeasuredExport[];
  /** Undefined without recorders. */
  readonly recording: () => MeasuredRecording | undefined;
  /** Measures the host; may take a moment. */
  readonly lookAtMachine: () => Promise<MeasuredMachine>;
  readonly clientCertificates: () => readonly MeasuredClientCertificate[];
}

/** The measured values of the gateway in the text format of Prometheus. */
export interface GatewayMetrics {
  readonly contentType: string;
  /** Records a response. */
  note(answered: AnsweredRequest): void;
  /** Measures the host and reads everything else. */
  render(): Promise<string>;
}

/** Creates metrics that read their sources when they are rendered; no work is done between collections. */
export function createGatewayMetrics(sources: MetricsSources): GatewayMetrics {
  const requests = new RequestMetrics();
  let machine = UNKNOWN_MACHINE;
  const metrics = [
    ...processMetrics,
    ...describeGateway(sources),
    ...describeBundles(sources.bundles),
    ...describeProviders(sources),
    ...describeConnections(sources),
    ...describeAssets(sources),
    ...describeAudit(sources),
    ...describeExports(sources),
    ...describeRecording(sources.recording),
    ...describeMachine({ machine: () => machine, clientCertificates: sources.clientCertificates }),
    ...requests.list(),
  ];
  return {
    contentType: EXPOSITION_TYPE,
    note: (answered) => requests.note(answered),
    async render() {
      machine = await sources.lookAtMachine();
      return runInSlices(renderMetrics(metrics), sources.clock);
    },
  };
}

function describeGateway(sources: MetricsSources): readonly Metric[] {
  const { version, openSessions, certificateExpiresAtMs } = sources;
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
      help: 'Expiry of the server certificate, in seconds since 1970',
      read() {
        const expiresAtMs = certificateExpiresAtMs();
        return expiresAtMs === undefined ? [] : [{ value: expiresAtMs / 1000 }];
      },
    },
  ];
}

function describeProviders({ providers }: MetricsSources): readonly Metric[] {
  const toLabels = ({ bundle, provider }: MeasuredProvider) => ({ bundle, provider: String(provider) });
  return [
    {
      name: 'penstock_provider_suspended',
      type: 'gauge',
      help: '1 while an authentication provider of a bundle is skipped because it does not respond',
      read: () => providers().map((each) => ({ labels: toLabels(each), value: each.isSuspended ? 1 : 0 })),
    },
    {
      name: 'penstock_provider_silent_requests_total',
      type: 'counter',
      help: 'Requests to an authentication provider of a bundle that timed out',
      read: () => providers().map((each) => ({ labels: toLabels(each), value: each.silences })),
    },
  ];
}

function describeConnections({ connections }: MetricsSources): readonly Metric[] {
  return [
    {
      name: 'penstock_connection_up',
      type: 'gauge',
      help: '1 while the connection of a driver is open; absent before the first attempt',
      *read() {
        for (const { driver, isConnected } of connections()) {
          if (isConnected !== undefined) yield { labels: { driver }, value: isConnected ? 1 : 0 };
        }
      },
    },
    {
      name: 'penstock_unit_suspended',
      type: 'gauge',
      help: '1 while a device on a connection is suspended because it does not respond',
      *read() {
        for (const { driver, units } of connections()) {
          for (const { name: unit, isSuspended } of units) {
            yield { labels: { driver, unit }, value: isSuspended ? 1 : 0 };
          }
        }
      },
    },
    {
      name: 'penstock_driver_operations_total',
      type: 'counter',
      help: 'Operations of a driver: requests, responses, timeouts, late frames and more',
      *read() {
        for (const { driver, counters } of connections()) {
          for (const [kind, value] of Object.entries(counters)) yield { labels: { driver, kind }, value };
        }
      },
    },
    {
      name: 'penstock_unit_operations_total',
      type: 'counter',
      help: 'Operations of a driver for one device',
      *read() {
        for (const { driver, units } of connections()) {
          for (const { name: unit, counters } of units) {
            for (const [kind, value] of Object.entries(counters)) {
              yield { labels: { driver, unit, kind }, value };
            }
          }
        }
      },
    },
  ];
}

function describeAssets({ assets }: MetricsSources): readonly Metric[] {
  return [
    {
      name: 'penstock_asset_failing_channels',
      type: 'gauge',
      help: 'Channels of an asset whose newest read returned no value although the device responds',
      *read() {
        for (const { asset, failingChannels: value } of assets()) yield { labels: { asset }, value };
      },
    },
  ];
}

function describeAudit({ audit }: MetricsSources): readonly Metric[] {
  return [
    {
      name: 'penstock_audit_breaks',
      type: 'gauge',
      help: 'Breaks found in the audit chain; never decreases',
      read: () => [{ value: audit().breaks }],
    },
    {
      name: 'penstock_audit_waiting_events',
      type: 'gauge',
      help: 'Audit events waiting because the store rejects them',
      read: () => [{ value: audit().waitingEvents }],
    },
    {
      name: 'penstock_audit_lost_events_total',
      type: 'counter',
      help: 'Audit events lost because the store rejected them',
      read: () => [{ value: audit().lostEvents }],
    },
  ];
}

function describeExports({ auditExports }: MetricsSources): readonly Metric[] {
  const readEach = (valueOf: (each: MeasuredExport) => number | undefined) => () =>
    auditExports().flatMap((each) => {
      const value = valueOf(each);
      return value === undefined ? [] : [{ labels: { place: each.place }, value }];
    });
  const toSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
  return [
    {
      name: 'penstock_audit_export_up',
      type: 'gauge',
      help: '1 while the audit export target accepts events; absent before the first export',
      read: readEach(({ isTaking }) => (isTaking === undefined ? undefined : Number(isTaking))),
    },
    {
      name: 'penstock_audit_export_since_timestamp_seconds',
      type: 'gauge',
      help: 'Last change of penstock_audit_export_up, in seconds since 1970',
      read: readEach(({ sinceMs }) => toSeconds(sinceMs)),
    },
    {
      name: 'penstock_audit_export_waiting_events',
      type: 'gauge',
      help: 'Stored audit events that the export target has not yet accepted',
      read: readEach(({ waitingEvents }) => waitingEvents),
    },
    {
      name: 'penstock_audit_export_last_event_id',
      type: 'gauge',
      help: 'Last audit event accepted by the export target; 0: none',
      read: readEach(({ lastEventId }) => lastEventId),
    },
    {
      name: 'penstock_audit_export_last_taken_timestamp_seconds',
      type: 'gauge',
      help: 'Time of the last accepted audit export, in seconds since 1970; absent: none since the start',
      read: readEach(({ lastTakenAtMs }) => toSeconds(lastTakenAtMs)),
    },
    {
      name: 'penstock_audit_export_failures_total',
      type: 'counter',
      help: 'Failed attempts to export audit events',
      read: readEach(({ failures }) => failures),
    },
  ];
}
