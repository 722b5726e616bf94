import type { FailingAsset } from '../../plant/access/asset-access.ts';
import type { ConnectionStatus } from '../../plant/asset/connection/connection-status.ts';
import type { AuditStatus } from '../../security/audit/audit-store.ts';
import type { ExportStatus } from '../../security/audit/event-exporter.ts';
import { isPlausibleTime } from '../../base/clock-check.ts';
import { hidePaths } from '../../base/text/hide-paths.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import type { DaemonStatus } from '../../base/process/daemon-status-file.ts';
import type { ChangedFile } from '../../settings/loaded-files.ts';
import type { BundleStatus } from '../../software/bundle/supervised-bundle.ts';
import type { ResultOf } from '../../interface/endpoint.ts';
import { createFinding } from '../../interface/finding.ts';
import type { Finding, FindingCause } from '../../interface/finding.ts';
import type { checkStatus } from '../../interface/status.ts';
import { showReasons } from '../http/problem.ts';
import { showCodes } from '../../base/fault-reason.ts';
import { hidePathsIn } from './hidden-paths.ts';
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
  readonly bundles: readonly Pick<
    BundleStatus,
    'bundle' | 'state' | 'cause' | 'causeCode' | 'causeReasons' | 'restartAtMs' | 'report'
  >[];
  readonly audit: AuditStatus;
  /** Destinations of the audit export. */
  readonly auditExports: readonly ExportStatus[];
  /** Undefined without recorders. */
  readonly recording: RecordingCheck | undefined;
}

/** Whether samples are recorded. */
interface RecordingCheck {
  /** Reason that nothing is recorded; undefined while recording goes on. */
  readonly stop: RecordingFault | undefined;
  /** Reason that the history stores nothing, while samples are recorded. */
  readonly historyFault: RecordingFault | undefined;
}

interface RecordingFault {
  readonly reason: string;
  readonly code?: string | undefined;
  readonly sinceMs: number;
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
  return isPlausibleTime(nowMs)
    ? { check: 'clock', state: 'GOOD', ...toResult(createFinding('CLOCK_PLAUSIBLE', {})) }
    : { check: 'clock', state: 'WRONG', ...toResult(createFinding('CLOCK_TOO_EARLY', {})) };
}

function checkDisk(disk: CheckedGateway['disk']): GatewayCheck {
  if (disk === undefined)
    return { check: 'disk', state: 'UNKNOWN', ...toResult(createFinding('DISK_UNKNOWN', {})) };
  const free = { mebibytes: Math.floor(disk.freeBytes / MIB) };
  return disk.freeBytes >= MINIMUM_FREE_BYTES
    ? { check: 'disk', state: 'GOOD', ...toResult(createFinding('DISK_FREE', free)), ...disk }
    : { check: 'disk', state: 'WRONG', ...toResult(createFinding('DISK_NEARLY_FULL', free)), ...disk };
}

function checkReload(words: DaemonStatus | undefined): GatewayCheck {
  if (words?.state !== 'RELOAD_FAILED') {
    return { check: 'reload', state: 'GOOD', ...toResult(createFinding('RELOAD_ACTIVE', {})) };
  }
  const { reason = 'reload failed', code, reasons } = words;
  const coded = reasons === undefined ? {} : { reasons: reasons.map(hidePathsIn) };
  const causes = [{ ...toCause(reason, code), ...coded }];
  return {
    check: 'reload',
    state: 'WRONG',
    ...toResult(createFinding('RELOAD_FAILED', {}, causes)),
    since: words.timeMs,
  };
}

function checkChangedFile({ name, change }: ChangedFile): GatewayCheck {
  return { check: 'configuration', name, state: 'WRONG', ...toResult(createFinding(`FILE_${change}`, {})) };
}

function checkCertificate(certificate: TrustedCertificate, nowMs: number): GatewayCheck {
  const { subject, expiresAtMs, refusal } = certificate;
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
  const common = { check: 'certificate', name: subject, until: expiresAtMs } as const;
  if (expiresAtMs < nowMs)
    return { ...common, state: 'WRONG', ...toResult(createFinding('CERTIFICATE_EXPIRED', {})) };
  if (refusal !== undefined) {
    const finding = createFinding('CERTIFICATE_AUTHORITY_REFUSED', {}, [{ code: refusal, message: refusal }]);
    return { ...common, state: 'WRONG', ...toResult(finding) };
  }
  const finding = createFinding(days === 1 ? 'CERTIFICATE_VALID_DAY' : 'CERTIFICATE_VALID_DAYS', { days });
  return { ...common, state: days < MINIMUM_DAYS ? 'WARNING' : 'GOOD', ...toResult(finding) };
}

function checkSecrets({
  pid,
  unreadableSecrets: secrets = [],
}: CheckedGateway['connections'][number]): readonly GatewayCheck[] {
  if (secrets.length === 0) return [];
  const finding = createFinding('SECRETS_UNREADABLE', { secrets });
  return [{ check: 'secret', name: pid, state: 'WRONG', ...toResult(finding) }];
}

function checkConnection(pid: string, status: ConnectionStatus): readonly GatewayCheck[] {
  const { state, sinceMs, lostSinceMs, lastError, nextAttemptAtMs: nextAttemptAt } = status;
  const common = { check: 'connection', name: pid, since: lostSinceMs ?? sinceMs } as const;
  // It is as wrong during each attempt as it is between them.
  if (state === 'BACKING_OFF' || lostSinceMs !== undefined) {
    const finding =
      lastError === undefined
        ? createFinding('CONNECTION_WITHOUT_CAUSE', {})
        : createFinding('CONNECTION_LOST', {}, [toLastCause(lastError, status)]);
    return [{ ...common, state: 'WRONG', ...toResult(finding), nextAttemptAt }];
  }
  const own: GatewayCheck =
    state === 'CONNECTED'
      ? { ...common, state: 'GOOD', ...toResult(createFinding('CONNECTION_GOOD', {})) }
      : { ...common, state: 'UNKNOWN', ...toResult(createFinding('CONNECTION_UNUSED', {})) };
  return [own, ...status.units.map((unit) => checkUnit(pid, unit))];
}

function checkUnit(driver: string, unit: ConnectionStatus['units'][number]): GatewayCheck {
  const { name, state, lastError, nextProbeAtMs: nextAttemptAt } = unit;
  const common = { check: 'unit', name, driver } as const;
  const silent = unit.silentAddresses ?? [];
  if (state === 'SUSPENDED') {
    const finding =
      lastError === undefined
        ? createFinding('UNIT_WITHOUT_CAUSE', {})
        : createFinding('UNIT_SUSPENDED', {}, [toLastCause(lastError, unit)]);
    return { ...common, state: 'WRONG', ...toResult(finding), since: unit.silentSinceMs, nextAttemptAt };
  }
  if (state === 'UNKNOWN') return { ...common, state, ...toResult(createFinding('UNIT_NOT_POLLED', {})) };
  if (silent.length === 0)
    return { ...common, state: 'GOOD', ...toResult(createFinding('UNIT_RESPONDING', {})) };
  const finding = createFinding('UNIT_PARTLY_SILENT', { addresses: silent.map(({ address }) => address) });
  return { ...common, state: 'WRONG', ...toResult(finding), since: silent[0]?.sinceMs };
}

function checkChannels({ asset, channels }: FailingAsset): GatewayCheck {
  const first = Map.groupBy(channels.slice(0, MAXIMUM_NAMED), ({ failure }) => hidePaths(failure.message));
  const causes = [...first].map(([message, alike]) => toFailingCause(message, alike));
  const more = channels.length - MAXIMUM_NAMED;
  const finding =
    more > 0
      ? createFinding('CHANNELS_FAILING_AND_MORE', { more }, causes)
      : createFinding('CHANNELS_FAILING', {}, causes);
  const since = findEarliest(channels);
  return {
    check: 'channel',
    name: asset,
    state: 'WRONG',
    ...toResult(finding),
    since,
    channels: channels.length,
  };
}

const REPORTED_STATES = { OK: 'GOOD', WARNING: 'WARNING', ERROR: 'WRONG' } as const;

function checkBundle({
  bundle,
  state,
  cause,
  causeCode,
  causeReasons,
  restartAtMs,
  report,
}: CheckedGateway['bundles'][number]): GatewayCheck {
  const common = { check: 'bundle', name: bundle.id.name } as const;
  if (state === 'FAILED') {
    const finding =
      cause === undefined
        ? createFinding('BUNDLE_FAILED_WITHOUT_CAUSE', {})
        : createFinding('BUNDLE_FAILED', {}, [toCause(cause, causeCode)]);
    return { ...common, state: 'WRONG', ...toResult(finding), nextAttemptAt: restartAtMs };
  }
  if (state === 'ACTIVE' && report !== undefined) {
    const finding =
      report.detail === undefined
        ? createFinding(`BUNDLE_REPORTS_${report.state}`, {})
        : createFinding('BUNDLE_REPORTS', {}, [
            { ...toCause(report.detail), ...germanOf(report.de?.detail) },
          ]);
    return { ...common, state: REPORTED_STATES[report.state], ...toResult(finding) };
  }
  if (state === 'ACTIVE')
    return { ...common, state: 'GOOD', ...toResult(createFinding('BUNDLE_RUNNING', {})) };
  if (cause !== undefined) {
    const finding = createFinding('BUNDLE_WAITING', {}, [
      {
        ...toCause(cause, causeCode),
        ...showReasons({ message: cause, reasons: causeReasons }),
        message: hidePaths(cause),
      },
    ]);
    return { ...common, state: 'WRONG', ...toResult(finding) };
  }
  return { ...common, state: 'UNKNOWN', ...toResult(createFinding(`BUNDLE_${state}`, {})) };
}

function checkAuditChain({ breaks }: AuditStatus): GatewayCheck {
  const common = { check: 'auditLog', name: 'chain' } as const;
  const last = breaks.at(-1);
  if (last === undefined) return { ...common, state: 'GOOD', ...toResult(createFinding('AUDIT_INTACT', {})) };
  const { firstId, fault, reasons, timeMs: since } = last;
  const event = String(firstId);
  const causes = [{ message: fault, ...(reasons === undefined ? {} : { reasons: [...reasons] }) }];
  const finding =
    breaks.length === 1
      ? createFinding('AUDIT_BROKEN', { event }, causes)
      : createFinding('AUDIT_BROKEN_OFTEN', { event, breaks: breaks.length }, causes);
  return { ...common, state: 'WRONG', ...toResult(finding), since };
}

function checkAuditStore({ failingSinceMs, waitingEvents, lostEvents }: AuditStatus): GatewayCheck {
  const common = { check: 'auditLog', name: 'store', waitingEvents, lostEvents } as const;
  const [waiting, lost] = [waitingEvents, lostEvents];
  if (failingSinceMs !== undefined) {
    const finding =
      lost === 0
        ? createFinding('AUDIT_NOT_STORING', { waiting })
        : createFinding('AUDIT_NOT_STORING_AFTER_LOSS', { waiting, lost });
    return { ...common, state: 'WRONG', ...toResult(finding), since: failingSinceMs };
  }
  return lost === 0
    ? { ...common, state: 'GOOD', ...toResult(createFinding('AUDIT_STORING', {})) }
    : { ...common, state: 'WARNING', ...toResult(createFinding('AUDIT_STORING_AFTER_LOSS', { lost })) };
}

function checkExport(status: ExportStatus): GatewayCheck {
  const { place: name, state, sinceMs: since, waitingEvents, lastEventId } = status;
  const { lastTakenAtMs: lastTakenAt, nextAttemptAtMs: nextAttemptAt, lastError = 'export failed' } = status;
  const common = { check: 'audit', name, since, waitingEvents, lastEventId, lastTakenAt } as const;
  const number = waitingEvents === 1 ? '_ONE' : '';
  const values = { waiting: waitingEvents };
  if (state === 'FAILING') {
    const finding = createFinding(`EXPORT_FAILED${number}`, values, [toCause(lastError)]);
    return { ...common, state: 'WRONG', ...toResult(finding), nextAttemptAt };
  }
  return state === 'TAKING'
    ? { ...common, state: 'GOOD', ...toResult(createFinding(`EXPORT_GOOD${number}`, values)) }
    : { ...common, state: 'UNKNOWN', ...toResult(createFinding(`EXPORT_UNUSED${number}`, values)) };
}

function checkRecording({ stop, historyFault }: RecordingCheck): GatewayCheck {
  const fault = stop ?? historyFault;
  if (fault === undefined)
    return { check: 'recording', state: 'GOOD', ...toResult(createFinding('RECORDING_GOOD', {})) };
  const code = stop === undefined ? 'RECORDING_WITHOUT_HISTORY' : 'RECORDING_STOPPED';
  const finding = createFinding(code, {}, [toCause(fault.reason, fault.code)]);
  return { check: 'recording', state: 'WRONG', ...toResult(finding), since: fault.sinceMs };
}

function toResult(finding: Finding): Pick<GatewayCheck, 'detail' | 'finding'> {
  return { detail: finding.message, finding };
}

function germanOf(german: string | undefined): Pick<FindingCause, 'german'> {
  return german === undefined ? {} : { german: hidePaths(german) };
}

function toCause(message: string, code?: string): FindingCause {
  return { message: hidePaths(message), ...(code === undefined ? {} : { code }) };
}

function toFailingCause(message: string, alike: FailingAsset['channels']): FindingCause {
  const failure = alike[0]?.failure;
  const names = alike.map(({ name }) => name);
  return { ...toCause(message, failure?.status ?? failure?.code), ...toCoded(failure?.reasons), names };
}

/** Returns the last error of a connection or device as a cause. */
function toLastCause(
  message: string,
  { lastErrorCode, lastErrorReasons }: Pick<ConnectionStatus, 'lastErrorCode' | 'lastErrorReasons'>,
): FindingCause {
  return { ...toCause(message, lastErrorCode), ...toCoded(lastErrorReasons) };
}

function toCoded(reasons: readonly FaultReason[] | undefined): Pick<FindingCause, 'reasons'> {
  const shown = showCodes(reasons)?.map(hidePathsIn);
  return shown === undefined ? {} : { reasons: shown };
}
