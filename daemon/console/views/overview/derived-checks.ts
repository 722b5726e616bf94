import type {
  AssetStatus,
  FailingChannels,
  ListedAssetStatus,
  SilentAddress,
} from '../../../interface/plant/asset-status.ts';
import type { Finding, FindingCause } from '../../../interface/finding.ts';
import type { FindingCode } from '../../../interface/finding-sentences.ts';
import type { GatewayCheck } from '../../../interface/status.ts';

/**
 * Derives checks from the states of assets, for users without permission for the gateway's checks.
 *
 * @param statuses several assets can share a connection, which is checked once
 */
export function deriveChecks(statuses: readonly ListedAssetStatus[]): readonly GatewayCheck[] {
  const byDriver = new Map(statuses.map((status) => [status.driver.pid, status]));
  return [...[...byDriver.values()].flatMap(checkConnection), ...statuses.flatMap(checkChannels)];
}

function checkChannels({ asset: name, failingChannels }: ListedAssetStatus): readonly GatewayCheck[] {
  if (failingChannels === undefined) return [];
  const { count: channels, since } = failingChannels;
  const result = describeFailing(failingChannels);
  return [{ check: 'channel', name, state: 'WRONG', ...result, since, channels }];
}

type Result = Pick<GatewayCheck, 'detail' | 'finding'>;

function toResult(code: FindingCode, message: string, values: Partial<Finding> = {}): Result {
  return { detail: message, finding: { code, message, parameters: {}, ...values } };
}

/** Describes the first failing channels with their causes, as in the gateway's checks. */
function describeFailing({ count, first }: FailingChannels): Result {
  const causes = [...new Set(first.map(({ message }) => message))].map((message): FindingCause => {
    const alike = first.filter((each) => each.message === message);
    const names = alike.map(({ name }) => name);
    const reasons = alike[0]?.reasons;
    return toCause({ message, names, ...(reasons && { reasons }) }, alike[0]?.statusCode);
  });
  const named = causes.map(({ message, names = [] }) => `${names.join(', ')}: ${message}`).join('; ');
  const more = count - first.length;
  return more > 0
    ? toResult('CHANNELS_FAILING_AND_MORE', `${named}; and ${more} more`, { causes, parameters: { more } })
    : toResult('CHANNELS_FAILING', named, { causes });
}

function toCause(cause: FindingCause, code: string | undefined): FindingCause {
  return code === undefined ? cause : { ...cause, code };
}

/** Describes the last error of a connection or unit, as in the gateway's checks. */
function describeError(
  code: 'CONNECTION_LOST' | 'UNIT_SUSPENDED',
  {
    lastError: message = '',
    lastErrorCode,
    lastErrorReasons: reasons,
  }: Pick<AssetStatus['driver'], 'lastError' | 'lastErrorCode' | 'lastErrorReasons'>,
): Result {
  const cause = { message, ...(reasons && { reasons }) };
  return toResult(code, message, { causes: [toCause(cause, lastErrorCode)] });
}

function checkConnection({ driver, units }: AssetStatus): readonly GatewayCheck[] {
  const { pid: name, state, since, lostSince, nextAttemptAt } = driver;
  const common = { check: 'connection', name, since: lostSince ?? since } as const;
  if (state === 'BACKING_OFF' || lostSince !== undefined) {
    const result = describeError('CONNECTION_LOST', driver);
    return [
      { ...common, ...result, state: 'WRONG', ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }) },
    ];
  }
  const own: GatewayCheck =
    state === 'CONNECTED'
      ? { ...common, state: 'GOOD', ...toResult('CONNECTION_GOOD', 'connected') }
      : { ...common, state: 'UNKNOWN', ...toResult('CONNECTION_UNUSED', 'no client reads its values') };
  return [own, ...units.map((unit) => checkUnit(name, unit))];
}

function checkUnit(driver: string, unit: AssetStatus['units'][number]): GatewayCheck {
  const { name, state, silentSince, nextProbeAt, silentAddresses = [] } = unit;
  const common = { check: 'unit', name, driver } as const;
  const [silent] = silentAddresses;
  if (state === 'ANSWERING' && silent !== undefined)
    return { ...common, state: 'WRONG', ...describeSilent(silentAddresses), since: silent.since };
  if (state === 'ANSWERING')
    return { ...common, state: 'GOOD', ...toResult('UNIT_RESPONDING', 'responding') };
  if (state === 'UNKNOWN') return { ...common, state, ...toResult('UNIT_NOT_POLLED', 'not polled yet') };
  return {
    ...common,
    ...describeError('UNIT_SUSPENDED', unit),
    state: 'WRONG',
    ...(silentSince === undefined ? {} : { since: silentSince }),
    ...(nextProbeAt === undefined ? {} : { nextAttemptAt: nextProbeAt }),
  };
}

function describeSilent(silent: readonly SilentAddress[]): Result {
  const addresses = silent.map(({ address }) => address);
  const message = `no response at ${addresses.join(', ')}; other addresses respond`;
  return toResult('UNIT_PARTLY_SILENT', message, { parameters: { addresses } });
}
