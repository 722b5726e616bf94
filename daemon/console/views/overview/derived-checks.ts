import type { AssetStatus, GatewayCheck } from '../../api/types.ts';

/**
 * Returns what the states of assets tell, for those who may not ask how the gateway is.
 *
 * @param statuses several assets may share a connection, which is checked once
 */
export function deriveChecks(statuses: readonly AssetStatus[]): readonly GatewayCheck[] {
  const byDriver = new Map(statuses.map((status) => [status.driver.pid, status]));
  return [...byDriver.values()].flatMap(checkConnection);
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
  { name, state, lastError: detail = '', silentSince, nextProbeAt }: AssetStatus['units'][number],
): GatewayCheck {
  const common = { check: 'unit', name, driver, detail } as const;
  if (state !== 'SUSPENDED') return { ...common, state: state === 'ANSWERING' ? 'GOOD' : 'UNKNOWN' };
  return {
    ...common,
    state: 'WRONG',
    ...(silentSince === undefined ? {} : { since: silentSince }),
    ...(nextProbeAt === undefined ? {} : { nextAttemptAt: nextProbeAt }),
  };
}
