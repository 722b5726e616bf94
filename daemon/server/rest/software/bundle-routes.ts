import { toSafeText } from '../../../security/audit/safe-text.ts';
import { hidePaths } from '../../../base/text/hide-paths.ts';
import type { ReportedStatus, SettingsOutcome } from '../../../software/bundle/bundle-host.ts';
import type { BundleId } from '../../../software/bundle/bundle.ts';
import type { BundleLine } from '../../../software/bundle/bundle-lines.ts';
import type { BundleSupervisor } from '../../../software/bundle/bundle-supervisor.ts';
import type { StorageStatus } from '../../../software/bundle/storage/storage-watch.ts';
import type { BundleStatus } from '../../../software/bundle/supervised-bundle.ts';
import type { DeploymentAdmin, ListedBundle } from '../../../software/deployment/deployment-admin.ts';
import { noContent, ok } from '../../http/answer.ts';
import { showReasons } from '../../http/problem.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { listBundles, readBundleLog, restartBundle } from '../../../interface/software/bundles.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';

/** A line has at most 2000 characters; an escaped one takes six. */
const MAXIMUM_MESSAGE_LENGTH = 12_000;

/** An authentication provider of a bundle. */
interface RegisteredProvider {
  readonly bundle: BundleId;
  readonly priority: number;
  readonly headers: readonly string[];
  readonly state: 'ANSWERING' | 'SUSPENDED';
  readonly nextProbeAtMs?: number | undefined;
}

interface BundleRouteParts {
  readonly bundles: Pick<BundleSupervisor, 'list' | 'restart' | 'listLines'>;
  readonly packages: Pick<DeploymentAdmin, 'listBundles'>;
  /** Lists the authentication providers of the bundles that run. */
  readonly providers: { list(): readonly RegisteredProvider[] };
}

type BundleRecord = ResultOf<typeof listBundles>[number];
type LineRecord = ResultOf<typeof readBundleLog>['lines'][number];

/** Creates the endpoints that show and restart bundles, and what they wrote. */
export function createBundleRoutes({ bundles, packages, providers }: BundleRouteParts): readonly Route[] {
  return [
    implement(listBundles, () => {
      const statuses = bundles.list();
      const registered = providers.list();
      return ok(packages.listBundles().map((listed) => toRecord(listed, statuses, registered)));
    }),
    implement(restartBundle, ({ parameters: { name } }) => {
      bundles.restart(name);
      return noContent();
    }),
    implement(readBundleLog, ({ parameters: { name }, query: { lines } }) =>
      ok({ lines: bundles.listLines(name, lines).map(toLineRecord) }),
    ),
  ];
}

/** Hides paths of the gateway, and escapes characters with which a bundle could hide other text. */
function toLineRecord({ timeMs: time, message, fields, ...others }: BundleLine): LineRecord {
  const show = (text: string): string => toSafeText(hidePaths(text), MAXIMUM_MESSAGE_LENGTH);
  const entries = Object.entries(fields ?? {}).map(
    ([name, value]) => [show(name), typeof value === 'string' ? show(value) : value] as const,
  );
  return {
    time,
    ...others,
    message: show(message),
    ...(fields === undefined ? {} : { fields: Object.fromEntries(entries) }),
  };
}

function toRecord(
  listed: ListedBundle,
  statuses: readonly BundleStatus[],
  registered: readonly RegisteredProvider[],
): BundleRecord {
  const {
    package: packageName,
    name: bundleName,
    version: bundleVersion,
    state,
    grants,
    hasSettings,
  } = listed;
  const isSame = ({ name, version }: BundleId): boolean => name === listed.name && version === listed.version;
  const {
    cause,
    causeCode,
    causeReasons,
    restartAtMs: restartAt,
    storage,
    report,
    settings,
  } = statuses.find(({ bundle }) => isSame(bundle.id)) ?? {};
  const providers = registered.filter(({ bundle }) => isSame(bundle)).map(toProviderRecord);
  return {
    package: packageName,
    name: bundleName,
    version: bundleVersion,
    state,
    permissions: [...grants.permissions],
    hasSettings: hasSettings || undefined,
    identities: grants.identities,
    memoryMib: grants.memoryMib,
    status: report && toStatusRecord(report),
    settings: settings && toOutcomeRecord(settings),
    providers: providers.length === 0 ? undefined : providers,
    storage: storage === undefined ? undefined : toStorageRecord(storage),
    cause,
    causeCode,
    causeReasons: causeReasons && showReasons({ message: '', reasons: causeReasons }).reasons,
    restartAt,
  };
}

function toOutcomeRecord(outcome: SettingsOutcome): BundleRecord['settings'] {
  if (outcome.state !== 'REFUSED') return outcome;
  return { state: outcome.state, detail: toSafeText(hidePaths(outcome.detail), MAXIMUM_MESSAGE_LENGTH) };
}

function toStatusRecord(report: ReportedStatus): BundleRecord['status'] {
  const { state, detail, counters, de } = report;
  const show = (text: string): string => toSafeText(hidePaths(text), MAXIMUM_MESSAGE_LENGTH);
  const checks = report.checks?.map((check) => ({
    ...check,
    name: toSafeText(check.name, MAXIMUM_MESSAGE_LENGTH),
    detail: show(check.detail),
    remedy: check.remedy && show(check.remedy),
    de: check.de && {
      name: check.de.name && toSafeText(check.de.name, MAXIMUM_MESSAGE_LENGTH),
      detail: check.de.detail && show(check.de.detail),
      remedy: check.de.remedy && show(check.de.remedy),
    },
  }));
  return { state, detail: detail && show(detail), de: de && { detail: show(de.detail) }, counters, checks };
}

function toStorageRecord({ bytes, entries, limits, isFull }: StorageStatus): BundleRecord['storage'] {
  return {
    usedBytes: bytes,
    maximumBytes: limits.bytes,
    entries,
    maximumEntries: limits.entries,
    isFull,
  };
}

function toProviderRecord({
  priority,
  headers,
  state,
  nextProbeAtMs: nextProbeAt,
}: RegisteredProvider): NonNullable<BundleRecord['providers']>[number] {
  return { priority, headers: [...headers], state, nextProbeAt };
}
