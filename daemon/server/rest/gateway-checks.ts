import type { FailingAsset } from '../../plant/access/asset-access.ts';
import type { ConnectionStatus } from '../../plant/asset/connection/connection-status.ts';
import { describeUnreadable } from '../../plant/asset/unreadable-secrets.ts';
import type { AuditStatus } from '../../security/audit/audit-store.ts';
import type { ExportStatus } from '../../security/audit/event-exporter.ts';
import { isPlausibleTime } from '../../base/clock-check.ts';
import { hidePaths } from '../../base/text/hide-paths.ts';
import type { DaemonStatus } from '../../base/process/daemon-status-file.ts';
import type { ChangedFile } from '../../settings/loaded-files.ts';
import type { BundleStatus } from '../../software/bundle/supervised-bundle.ts';
import type { ResultOf } from '../../interface/endpoint.ts';
import type { checkStatus } from '../../interface/status.ts';
import { findEarliest, MAXIMUM_NAMED } from './plant/connection-json.ts';

/** A certificate that the gateway serves, or trusts for clients. */
export interface TrustedCertificate {
  readonly role: 'SERVER' | 'CLIENT_AUTHORITY';
  readonly subject: string;
  /** SHA-256, in hexadecimal digits. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly validFromMs: number;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Reason for rejecting the certificates that it issued. */
  readonly refusal?: string | undefined;
}

/** Input of the checks, gathered without requests to devices. */
export interface CheckedGateway {
  readonly nowMs: number;
  /** Space on the data disk; undefined if unknown. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  readonly daemonStatus: DaemonStatus | undefined;
  /** Files of the static configuration whose content is not the one that was read last. */
  readonly changedFiles: readonly ChangedFile[];
  readonly certificates: readonly TrustedCertificate[];
  readonly connections: readonly {
    readonly pid: string;
    readonly status: ConnectionStatus;
    /** Names of its secrets whose key is gone. */
    readonly unreadableSecrets?: readonly string[] | undefined;
  }[];
  /** As far as the caller may read the channels. */
  readonly failing: readonly FailingAsset[];
  readonly bundles: readonly Pick<BundleStatus, 'bundle' | 'state' | 'cause' | 'restartAtMs' | 'report'>[];
  readonly audit: AuditStatus;
  /** Destinations of the audit export. */
  readonly auditExports: readonly ExportStatus[];
  /** Undefined without recorders. */
  readonly recording: RecordingCheck | undefined;
}

/** Whether samples are recorded. */
interface RecordingCheck {
  /** Reason that nothing is recorded; undefined while recording goes on. */
  readonly stop: { readonly reason: string; readonly sinceMs: number } | undefined;
  /** Reason that the history stores nothing, while samples are recorded. */
  readonly historyFault: { readonly reason: string; readonly sinceMs: number } | undefined;
}

/** Result of one check. */
type GatewayCheck = ResultOf<typeof checkStatus>['checks'][number];

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
// A store that cannot grow refuses changes; packages need several times their size.
const MINIMUM_FREE_BYTES = 256 * MIB;
const MINIMUM_DAYS = 30;

/** Checks the state of the gateway, without requests to devices and without further privileges. */
export function checkGateway(gateway: CheckedGateway): readonly GatewayCheck[] {
  const { nowMs, certificates, connections, bundles } = gateway;
  const reload = checkReload(gateway.daemonStatus);
  // After a failed reload, changed files are expected.
  const changedFiles = reload.state === 'WRONG' ? [] : gateway.changedFiles;
  return [
    checkClock(nowMs),
    checkDisk(gateway.disk),
    reload,
    ...changedFiles.map(checkChangedFile),
    ...certificates.map((certificate) => checkCertificate(certificate, nowMs)),
    ...connections.flatMap(checkSecrets),
    ...connections.flatMap(({ pid, status }) => checkConnection(pid, status)),
    ...gateway.failing.map(checkChannels),
    ...bundles.map(checkBundle),
    checkAuditChain(gateway.audit),
    checkAuditStore(gateway.audit),
    ...gateway.auditExports.map(checkExport),
    ...(gateway.recording === undefined ? [] : [checkRecording(gateway.recording)]),
  ];
}

function checkClock(nowMs: number): GatewayCheck {
  if (isPlausibleTime(nowMs)) return { check: 'clock', state: 'GOOD', detail: 'plausible' };
  const detail = 'before the first release: certificates and tokens are verified against a wrong clock';
  return { check: 'clock', state: 'WRONG', detail };
}

function checkDisk(disk: CheckedGateway['disk']): GatewayCheck {
  if (disk === undefined)
    return { check: 'disk', state: 'UNKNOWN', detail: 'cannot determine the free space' };
  const free = `${Math.floor(disk.freeBytes / MIB)} MiB free`;
  if (disk.freeBytes >= MINIMUM_FREE_BYTES) return { check: 'disk', state: 'GOOD', detail: free, ...disk };
  return { check: 'disk', state: 'WRONG', detail: `${free}: the store cannot grow`, ...disk };
}

function checkReload(words: DaemonStatus | undefined): GatewayCheck {
  if (words?.state !== 'RELOAD_FAILED') {
    return { check: 'reload', state: 'GOOD', detail: 'the configuration files are active' };
  }
  const detail = `${hidePaths(words.reason ?? 'reload failed')}; the previous configuration stays active`;
  return { check: 'reload', state: 'WRONG', detail, since: words.timeMs };
}

const CHANGES = {
  ADDED: 'added after the last reload; not active yet',
  CHANGED: 'changed after the last reload; the earlier content is active',
  REMOVED: 'removed after the last reload; its content is still active',
} as const;

function checkChangedFile({ name, change }: ChangedFile): GatewayCheck {
  return { check: 'configuration', name, state: 'WRONG', detail: CHANGES[change] };
}

function checkCertificate(certificate: TrustedCertificate, nowMs: number): GatewayCheck {
  const { subject, expiresAtMs, refusal } = certificate;
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
  const common = { check: 'certificate', name: subject, until: expiresAtMs } as const;
  if (expiresAtMs < nowMs) return { ...common, state: 'WRONG', detail: 'expired' };
  if (refusal !== undefined) {
    return {
      ...common,
      state: 'WRONG',
      detail: `client certificates of this authority are rejected: ${refusal}`,
    };
  }
  const detail = `valid for ${days} ${days === 1 ? 'day' : 'days'}`;
  return { ...common, state: days < MINIMUM_DAYS ? 'WARNING' : 'GOOD', detail };
}

function checkSecrets({
  pid,
  unreadableSecrets: names = [],
}: CheckedGateway['connections'][number]): readonly GatewayCheck[] {
  return names.length === 0
    ? []
    : [{ check: 'secret', name: pid, state: 'WRONG', detail: describeUnreadable(names) }];
}

function checkConnection(pid: string, status: ConnectionStatus): readonly GatewayCheck[] {
  const { state, sinceMs, lostSinceMs, lastError, nextAttemptAtMs: nextAttemptAt } = status;
  const common = { check: 'connection', name: pid, since: lostSinceMs ?? sinceMs } as const;
  // It is as wrong during each attempt as it is between them.
  if (state === 'BACKING_OFF' || lostSinceMs !== undefined) {
    const detail = lastError === undefined ? 'no connection' : hidePaths(lastError);
    return [{ ...common, state: 'WRONG', detail, nextAttemptAt }];
  }
  const own: GatewayCheck =
    state === 'CONNECTED'
      ? { ...common, state: 'GOOD', detail: 'connected' }
      : { ...common, state: 'UNKNOWN', detail: 'no client reads its values' };
  return [own, ...status.units.map((unit) => checkUnit(pid, unit))];
}

function checkUnit(driver: string, unit: ConnectionStatus['units'][number]): GatewayCheck {
  const { name, state, lastError, nextProbeAtMs: nextAttemptAt } = unit;
  const common = { check: 'unit', name, driver } as const;
  const silent = unit.silentAddresses ?? [];
  if (state === 'SUSPENDED') {
    const detail = lastError === undefined ? 'no response' : hidePaths(lastError);
    return { ...common, state: 'WRONG', detail, since: unit.silentSinceMs, nextAttemptAt };
  }
  if (state === 'UNKNOWN') return { ...common, state, detail: 'not polled yet' };
  if (silent.length === 0) return { ...common, state: 'GOOD', detail: 'responding' };
  const detail = `no response at ${silent.map(({ address }) => address).join(', ')}; other addresses respond`;
  return { ...common, state: 'WRONG', detail, since: silent[0]?.sinceMs };
}

function checkChannels({ asset, channels }: FailingAsset): GatewayCheck {
  const first = Map.groupBy(channels.slice(0, MAXIMUM_NAMED), ({ failure }) => hidePaths(failure.message));
  const named = [...first].map(
    ([message, alike]) => `${alike.map(({ name }) => name).join(', ')}: ${message}`,
  );
  const more = channels.length - MAXIMUM_NAMED;
  const detail = more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ');
  const since = findEarliest(channels);
  return { check: 'channel', name: asset, state: 'WRONG', detail, since, channels: channels.length };
}

const REPORTED_STATES = { OK: 'GOOD', WARNING: 'WARNING', ERROR: 'WRONG' } as const;

function checkBundle({
  bundle,
  state,
  cause,
  restartAtMs,
  report,
}: CheckedGateway['bundles'][number]): GatewayCheck {
  const common = { check: 'bundle', name: bundle.id.name } as const;
  if (state === 'FAILED') {
    const detail = cause === undefined ? 'failed' : hidePaths(cause);
    return { ...common, state: 'WRONG', detail, nextAttemptAt: restartAtMs };
  }
  if (state === 'ACTIVE' && report !== undefined) {
    const detail = report.detail === undefined ? report.state.toLowerCase() : hidePaths(report.detail);
    return { ...common, state: REPORTED_STATES[report.state], detail };
  }
  if (state === 'ACTIVE') return { ...common, state: 'GOOD', detail: 'running' };
  if (cause !== undefined) return { ...common, state: 'WRONG', detail: hidePaths(cause) };
  return { ...common, state: 'UNKNOWN', detail: state.toLowerCase() };
}

function checkAuditChain({ breaks }: AuditStatus): GatewayCheck {
  const common = { check: 'auditLog', name: 'chain' } as const;
  const last = breaks.at(-1);
  if (last === undefined) return { ...common, state: 'GOOD', detail: 'intact' };
  const { firstId, fault, timeMs: since } = last;
  const others = breaks.length === 1 ? '' : `, the last of ${breaks.length} breaks`;
  return { ...common, state: 'WRONG', detail: `broken before event ${firstId}: ${fault}${others}`, since };
}

function checkAuditStore({ failingSinceMs, waitingEvents, lostEvents }: AuditStatus): GatewayCheck {
  const common = { check: 'auditLog', name: 'store', waitingEvents, lostEvents } as const;
  const lost = lostEvents === 0 ? '' : `; events lost since the start: ${lostEvents}`;
  if (failingSinceMs !== undefined) {
    const detail = `cannot store events: ${waitingEvents} waiting, writes are refused${lost}`;
    return { ...common, state: 'WRONG', detail, since: failingSinceMs };
  }
  return { ...common, state: lostEvents === 0 ? 'GOOD' : 'WARNING', detail: `storing events${lost}` };
}

function checkExport(status: ExportStatus): GatewayCheck {
  const { place: name, state, sinceMs: since, waitingEvents, lastEventId } = status;
  const { lastTakenAtMs: lastTakenAt, nextAttemptAtMs: nextAttemptAt, lastError = 'export failed' } = status;
  const common = { check: 'audit', name, since, waitingEvents, lastEventId, lastTakenAt } as const;
  const waiting = `${waitingEvents} ${waitingEvents === 1 ? 'event waiting' : 'events waiting'}`;
  if (state === 'FAILING') {
    return { ...common, state: 'WRONG', detail: `${hidePaths(lastError)}; ${waiting}`, nextAttemptAt };
  }
  if (state === 'TAKING') return { ...common, state: 'GOOD', detail: `exporting events; ${waiting}` };
  return { ...common, state: 'UNKNOWN', detail: `nothing sent since the start; ${waiting}` };
}

function checkRecording({ stop, historyFault }: RecordingCheck): GatewayCheck {
  const fault = stop ?? historyFault;
  if (fault === undefined) return { check: 'recording', state: 'GOOD', detail: 'recording' };
  const effect =
    stop === undefined ? 'samples stay in the journal, the history stores none' : 'nothing is recorded';
  const detail = `${effect}: ${hidePaths(fault.reason)}`;
  return { check: 'recording', state: 'WRONG', detail, since: fault.sinceMs };
}
