import type { Finding } from '../../../interface/finding.ts';
import type { GatewayCheck } from '../../../interface/status.ts';
import { fill } from '../../text/fill.ts';
import { formatDay } from '../../text/format.ts';
import type { Text } from '../../text/text.ts';
import { OVERVIEW } from '../../text/overview.ts';

/** Item that needs attention, with advice. */
export interface Attention {
  readonly key: string;
  readonly tone: 'attention' | 'fault';
  readonly title: string;
  /** Cause, as reported by the gateway. */
  readonly cause: string;
  /** The same, with its code. */
  readonly finding: Finding | undefined;
  readonly advice: string;
  readonly sinceMs: number | undefined;
  readonly nextAttemptMs: number | undefined;
  /** True if the absence of an automatic retry is stated. */
  readonly hasAttempts: boolean;
  /** Affected connection. */
  readonly driver: string | undefined;
  /** Asset of the affected channels. */
  readonly asset: string | undefined;
  /** True for a bundle, which can be restarted. */
  readonly isBundle: boolean;
  readonly room: { readonly free: number; readonly total: number } | undefined;
}

interface Wording {
  readonly title: Text;
  readonly advice: Text;
  readonly tone: Attention['tone'];
}

/** Order by severity: later checks rely on earlier ones. */
const ORDER: readonly GatewayCheck['check'][] = [
  'clock',
  'disk',
  'reload',
  'configuration',
  'certificate',
  'auditLog',
  'audit',
  'recording',
  'bundle',
  'secret',
  'connection',
  'unit',
  'channel',
];

const WORDINGS: Readonly<Record<GatewayCheck['check'], Wording>> = {
  clock: { title: OVERVIEW.clockWrong, advice: OVERVIEW.clockDo, tone: 'fault' },
  disk: { title: OVERVIEW.diskWrong, advice: OVERVIEW.diskDo, tone: 'fault' },
  reload: { title: OVERVIEW.reloadWrong, advice: OVERVIEW.reloadDo, tone: 'fault' },
  configuration: { title: OVERVIEW.configurationWrong, advice: OVERVIEW.reloadDo, tone: 'attention' },
  certificate: { title: OVERVIEW.certificateWrong, advice: OVERVIEW.certificateDo, tone: 'fault' },
  auditLog: { title: OVERVIEW.auditStoreWrong, advice: OVERVIEW.auditStoreDo, tone: 'fault' },
  audit: { title: OVERVIEW.auditWrong, advice: OVERVIEW.auditDo, tone: 'fault' },
  recording: { title: OVERVIEW.recordingWrong, advice: OVERVIEW.recordingDo, tone: 'fault' },
  bundle: { title: OVERVIEW.bundleWrong, advice: OVERVIEW.bundleDo, tone: 'fault' },
  secret: { title: OVERVIEW.secretWrong, advice: OVERVIEW.secretDo, tone: 'attention' },
  connection: { title: OVERVIEW.connectionWrong, advice: OVERVIEW.connectionDo, tone: 'attention' },
  unit: { title: OVERVIEW.unitWrong, advice: OVERVIEW.unitDo, tone: 'attention' },
  channel: { title: OVERVIEW.channelsWrong, advice: OVERVIEW.channelsDo, tone: 'attention' },
};

const REPORTS: Wording = { title: OVERVIEW.bundleReports, advice: OVERVIEW.bundleReportsDo, tone: 'fault' };

const CHAIN: Wording = { title: OVERVIEW.auditChainWrong, advice: OVERVIEW.auditChainDo, tone: 'fault' };

/** Wordings by the code of the finding, of bundles that did not fail and of changed audit events. */
const FINDING_WORDINGS: ReadonlyMap<string, Wording> = new Map([
  ['AUDIT_BROKEN', CHAIN],
  ['AUDIT_BROKEN_OFTEN', CHAIN],
  ['BUNDLE_WAITING', { title: OVERVIEW.bundleWaits, advice: OVERVIEW.bundleWaitsDo, tone: 'fault' }],
  ['BUNDLE_REPORTS', REPORTS],
  ['BUNDLE_REPORTS_WARNING', REPORTS],
  ['BUNDLE_REPORTS_ERROR', REPORTS],
]);

/** Returns the items that need attention, most severe first. */
export function listAttention(checks: readonly GatewayCheck[], nowMs: number): readonly Attention[] {
  return checks
    .filter(({ state }) => state === 'WRONG' || state === 'WARNING')
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((check) => toAttention(check, nowMs));
}

function rankOf({ check, state }: GatewayCheck): number {
  return ORDER.indexOf(check) + (state === 'WARNING' ? ORDER.length : 0);
}

function toAttention(check: GatewayCheck, nowMs: number): Attention {
  const {
    name = '',
    driver,
    detail,
    finding,
    since,
    nextAttemptAt,
    channels = 0,
    freeBytes,
    totalBytes,
  } = check;
  const { title, advice, tone } = wordingOf(check);
  const day = check.until === undefined ? '' : formatDay(check.until, nowMs);
  const isKnown = freeBytes !== undefined && totalBytes !== undefined;
  return {
    key: `${check.check} ${driver ?? ''} ${name}`,
    tone: check.state === 'WARNING' ? 'attention' : tone,
    title: fill(title, { name, driver: driver ?? '', day, count: channels }),
    cause: detail,
    finding,
    advice: fill(advice),
    sinceMs: since,
    nextAttemptMs: nextAttemptAt,
    hasAttempts: check.check === 'bundle' && !FINDING_WORDINGS.has(finding?.code ?? ''),
    driver: check.check === 'connection' || check.check === 'secret' ? name : driver,
    asset: check.check === 'channel' ? name : undefined,
    isBundle: check.check === 'bundle',
    room: isKnown ? { free: freeBytes, total: totalBytes } : undefined,
  };
}

function wordingOf(check: GatewayCheck): Wording {
  const wording = WORDINGS[check.check];
  return (
    FINDING_WORDINGS.get(check.finding?.code ?? '') ?? { ...wording, title: titleOf(check, wording.title) }
  );
}

function titleOf({ check, state, nextAttemptAt, channels }: GatewayCheck, usual: Text): Text {
  if (check === 'certificate' && state === 'WARNING') return OVERVIEW.certificateWarning;
  if (check === 'channel' && channels === 1) return OVERVIEW.channelWrong;
  // A unit that responds at other addresses is not suspended and not retried as a whole.
  if (check === 'unit' && nextAttemptAt === undefined) return OVERVIEW.unitPart;
  return usual;
}
