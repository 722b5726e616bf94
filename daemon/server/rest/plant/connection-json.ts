import { showCodes } from '../../../base/fault-reason.ts';
import { hidePathsIn } from '../hidden-paths.ts';
import type { ConfiguredConnection } from '../../../plant/asset/asset-registry.ts';
import type { FailingChannel } from '../../../plant/asset/failing-channels.ts';
import type { SubscriptionStatus } from '../../../plant/asset/read/subscription.ts';
import type { ConnectionStatus } from '../../../plant/asset/connection/connection-status.ts';
import type { Finding } from '../../../interface/finding.ts';
import { hidePaths } from '../../../base/text/hide-paths.ts';
import type { readAssetStatus } from '../../../interface/plant/asset-status.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';

type AssetStatus = ResultOf<typeof readAssetStatus>;

/** Maximum number of channels of an asset that are named; the page of the asset shows all. */
export const MAXIMUM_NAMED = 3;

interface KnownConnection {
  readonly status: ConnectionStatus;
  readonly warnings: readonly Finding[];
  readonly listening: SubscriptionStatus | undefined;
  readonly failing: readonly FailingChannel[];
  /** True if the asset has a channel on the device of this name. */
  readonly isUsed: (unit: string) => boolean;
}

/** Returns the state of a connection; unknown members are absent. */
export function toConnectionInfo(
  configured: ConfiguredConnection,
  { status, warnings, listening, failing, isUsed }: KnownConnection,
): AssetStatus {
  return {
    driver: toDriverInfo(configured, status, warnings),
    units: status.units.map((unit) => ({
      name: unit.name,
      state: unit.state,
      isUsed: isUsed(unit.name),
      lastError: unit.lastError,
      lastErrorCode: unit.lastErrorCode,
      lastErrorReasons: showCodes(unit.lastErrorReasons),
      lastErrorAt: unit.lastErrorAtMs,
      silentSince: unit.silentSinceMs,
      nextProbeAt: unit.nextProbeAtMs,
      silentAddresses: unit.silentAddresses?.map(({ address, operation, sinceMs, nextAttemptAtMs }) => ({
        address,
        operation,
        since: sinceMs,
        nextAttemptAt: nextAttemptAtMs,
      })),
      requestLimits: unit.requestLimits,
      counters: unit.counters,
    })),
    listening:
      listening === undefined
        ? undefined
        : {
            ...listening,
            refusal: listening.refusal === undefined ? undefined : hidePaths(listening.refusal),
            intervalMs: Number.isFinite(listening.intervalMs) ? listening.intervalMs : undefined,
          },
    failingChannels: toFailingInfo(failing),
  };
}

function toFailingInfo(failing: readonly FailingChannel[]): AssetStatus['failingChannels'] {
  if (failing.length === 0) return undefined;
  return {
    count: failing.length,
    since: findEarliest(failing),
    first: failing.slice(0, MAXIMUM_NAMED).map(({ name, failure, sinceMs }) => ({
      name,
      since: sinceMs,
      statusCode: failure.status ?? failure.code,
      message: hidePaths(failure.message),
      reasons: showCodes(failure.reasons)?.map(hidePathsIn),
    })),
  };
}

/** Returns the state of a connection itself; unknown members are absent. */
export function toDriverInfo(
  { config, endpoint }: ConfiguredConnection,
  status: ConnectionStatus,
  warnings: readonly Finding[],
): AssetStatus['driver'] {
  return {
    pid: config.pid,
    type: config.type,
    endpoint,
    state: status.state,
    since: status.sinceMs,
    lostSince: status.lostSinceMs,
    lastError: status.lastError,
    lastErrorCode: status.lastErrorCode,
    lastErrorReasons: showCodes(status.lastErrorReasons),
    lastErrorAt: status.lastErrorAtMs,
    nextAttemptAt: status.nextAttemptAtMs,
    warnings: warnings.length === 0 ? undefined : warnings.map(({ message }) => message),
    findings: warnings.length === 0 ? undefined : warnings,
    counters: status.counters,
  };
}

/** Returns the first failure of the channel that has failed longest, in milliseconds since the epoch. */
export function findEarliest(failing: readonly FailingChannel[]): number {
  return failing.reduce((earliest, { sinceMs }) => Math.min(earliest, sinceMs), Infinity);
}
