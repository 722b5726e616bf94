import type { ConfiguredConnection } from '../asset/asset-registry.ts';
import type { FailingChannel } from '../asset/failing-channels.ts';
import type { SubscriptionStatus } from '../asset/subscription.ts';
import type { ConnectionStatus } from '../asset/connection-status.ts';
import { hidePaths } from '../base/hide-paths.ts';
import { z } from '../base/schema.ts';

const time = z.int().describe('Milliseconds since the epoch');
const counters = z.record(z.string(), z.int());

/** Channels of one asset that are told by name; the page of the asset shows all. */
export const MOST_NAMED = 3;

/** The state of a connection. */
export const driverStatus = z
  .strictObject({
    pid: z.string(),
    type: z.string(),
    endpoint: z.string(),
    state: z.enum(['DISCONNECTED', 'CONNECTING', 'CONNECTED', 'BACKING_OFF']),
    since: time,
    lostSince: time.optional().describe('Since when there is no connection, through all attempts'),
    lastError: z.string().optional(),
    lastErrorAt: time.optional(),
    nextAttemptAt: time.optional(),
    warnings: z
      .array(z.string())
      .optional()
      .describe('What is allowed and may be a mistake in the configuration'),
    counters,
  })
  .meta({ id: 'DriverStatus' });

const silentAddress = z
  .strictObject({
    address: z.string(),
    operation: z.enum(['READ', 'WRITE']),
    since: time,
    nextAttemptAt: time,
  })
  .meta({ id: 'SilentAddress' });

const requestLimit = z
  .strictObject({
    kind: z.string().describe('What is requested, for example HOLDING_REGISTERS'),
    maximumQuantity: z.int().describe('Most of them in one request that the device answered'),
  })
  .meta({ id: 'RequestLimit' });

const unitStatus = z
  .strictObject({
    name: z.string(),
    state: z.enum(['UNKNOWN', 'ANSWERING', 'SUSPENDED']),
    isUsed: z
      .boolean()
      .describe('A channel of the asset lies there; otherwise it is another device of the line'),
    lastError: z.string().optional(),
    lastErrorAt: time.optional(),
    silentSince: time.optional().describe('Of a suspended unit: the first of its silences'),
    nextProbeAt: time.optional(),
    silentAddresses: z.array(silentAddress).optional(),
    requestLimits: z
      .array(requestLimit)
      .optional()
      .describe('The requests that had to become shorter for the device'),
    counters,
  })
  .meta({ id: 'UnitStatus' });

const listeningStatus = z
  .strictObject({
    mode: z.enum(['POLL', 'SUBSCRIBE']),
    isActive: z.boolean(),
    listeners: z.int(),
    channels: z.int(),
    intervalMs: z.int().optional(),
  })
  .meta({ id: 'ListeningStatus' });

const failingChannel = z
  .strictObject({ name: z.string(), since: time, statusCode: z.string(), message: z.string() })
  .meta({ id: 'FailingChannel' });
const failingChannels = z
  .strictObject({
    count: z.int(),
    since: time.describe('First failure of the channel that has failed longest'),
    first: z.array(failingChannel).describe('At most three, in the order of the configuration'),
  })
  .meta({ id: 'FailingChannels' });

/** The answer of `_status`. */
export const connectionInfo = z
  .strictObject({
    displayName: z.string().optional().describe('Of the asset'),
    description: z.string().optional().describe('Of the asset'),
    driver: driverStatus,
    units: z.array(unitStatus),
    listening: listeningStatus.optional(),
    failingChannels: failingChannels
      .optional()
      .describe('Channels whose newest read by any client gave no value, although their device is there'),
  })
  .meta({ id: 'AssetStatus' });

interface KnownConnection {
  readonly status: ConnectionStatus;
  readonly warnings: readonly string[];
  readonly listening: SubscriptionStatus | undefined;
  readonly failing: readonly FailingChannel[];
  /** Whether the asset has a channel on the device of this name. */
  readonly isUsed: (unit: string) => boolean;
}

/** Returns the state of a connection; unknown members are absent. */
export function toConnectionInfo(
  configured: ConfiguredConnection,
  { status, warnings, listening, failing, isUsed }: KnownConnection,
): Readonly<Record<string, unknown>> {
  return {
    driver: toDriverInfo(configured, status, warnings),
    units: status.units.map((unit) => ({
      name: unit.name,
      state: unit.state,
      isUsed: isUsed(unit.name),
      lastError: unit.lastError,
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
            intervalMs: Number.isFinite(listening.intervalMs) ? listening.intervalMs : undefined,
          },
    failingChannels: toFailingInfo(failing),
  };
}

function toFailingInfo(failing: readonly FailingChannel[]): Readonly<Record<string, unknown>> | undefined {
  if (failing.length === 0) return undefined;
  return {
    count: failing.length,
    since: findEarliest(failing),
    first: failing.slice(0, MOST_NAMED).map(({ name, failure, sinceMs }) => ({
      name,
      since: sinceMs,
      statusCode: failure.status ?? failure.code,
      message: hidePaths(failure.message),
    })),
  };
}

/** Returns the state of a connection itself; unknown members are absent. */
export function toDriverInfo(
  { config, endpoint }: ConfiguredConnection,
  status: ConnectionStatus,
  warnings: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    pid: config.pid,
    type: config.type,
    endpoint,
    state: status.state,
    since: status.sinceMs,
    lostSince: status.lostSinceMs,
    lastError: status.lastError,
    lastErrorAt: status.lastErrorAtMs,
    nextAttemptAt: status.nextAttemptAtMs,
    warnings: warnings.length === 0 ? undefined : warnings,
    counters: status.counters,
  };
}

/** Returns the first failure of the channel that has failed longest, in milliseconds since the epoch. */
export function findEarliest(failing: readonly FailingChannel[]): number {
  return failing.reduce((earliest, { sinceMs }) => Math.min(earliest, sinceMs), Infinity);
}
