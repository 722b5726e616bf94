import type {
  AssetStatus,
  FailingChannels,
  ListedAssetStatus,
  SilentAddress,
} from '../../../interface/plant/asset-status.ts';
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
  const detail = describeFailing(failingChannels);
  return [{ check: 'channel', name, state: 'WRONG', detail, since, channels }];
}

/** Describes the first failing channels with their causes, as in the gateway's checks. */
function describeFailing({ count, first }: FailingChannels): string {
  const named = [...new Set(first.map(({ message }) => message))].map((message) => {
    const alike = first.filter((each) => each.message === message);
    return `${alike.map(({ name }) => name).join(', ')}: ${message}`;
  });
  const more = count - first.length;
  return more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ');
}

function checkConnection({ driver, units }: AssetStatus): readonly GatewayCheck[] {
  const { pid: name, state, since, lostSince, lastError = '', nextAttemptAt } = driver;
  const common = { check: 'connection', name, since: lostSince ?? since, detail: lastError } as const;
  if (state === 'BACKING_OFF' || lostSince !== undefined) {
    return [{ ...common, state: 'WRONG', ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }) }];
  }
  const own: GatewayCheck = { ...common, state: state === 'CONNECTED' ? 'GOOD' : 'UNKNOWN' };
  return [own, ...units.map((unit) => checkUnit(name, unit))];
}

function checkUnit(
  driver: string,
  {
    name,
    state,
    lastError: detail = '',
    silentSince,
    nextProbeAt,
    silentAddresses = [],
  }: AssetStatus['units'][number],
): GatewayCheck {
  const common = { check: 'unit', name, driver, detail } as const;
  const [silent] = silentAddresses;
  if (state === 'ANSWERING' && silent !== undefined)
    return { ...common, state: 'WRONG', detail: describeSilent(silentAddresses), since: silent.since };
  if (state !== 'SUSPENDED') return { ...common, state: state === 'ANSWERING' ? 'GOOD' : 'UNKNOWN' };
  return {
    ...common,
    state: 'WRONG',
    ...(silentSince === undefined ? {} : { since: silentSince }),
    ...(nextProbeAt === undefined ? {} : { nextAttemptAt: nextProbeAt }),
  };
}

function describeSilent(addresses: readonly SilentAddress[]): string {
  return `no response at ${addresses.map(({ address }) => address).join(', ')}; other addresses respond`;
}
