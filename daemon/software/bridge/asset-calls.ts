import type { ErrorCode } from '../../base/error-codes.ts';
import type { AssetAccess } from '../../plant/access/asset-access.ts';
import type { GrantedAsset } from '../../plant/access/granted-asset.ts';
import { MAXIMUM_WRITES } from '../../interface/plant/assets.ts';
import type { ChannelWrite } from '../../plant/asset/write/prepared-write.ts';
import { GatewayError, InvalidRequest, NotFound, NotShown } from '../../base/errors.ts';
import type { BundleCallParams, WireRecord } from '../bundle/message/messages.ts';
import { fromWireValue, toWireValue } from '../bundle/message/wire-value.ts';
import type { WireValue } from '../bundle/message/wire-value.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import { qualityOf } from '../../channel/quality.ts';
import { parseValue } from '../../channel/value-json.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import type { Principal } from '../../security/identity/identity.ts';

/** Caller and asset of a call from a bundle, for the audit log. */
export interface BundleAssetCall {
  readonly caller: Principal;
  /** Pid of the asset. */
  readonly asset: string;
}

/** A write of a bundle. */
export interface BundleWrite extends BundleAssetCall {
  readonly writes: readonly ChannelWrite[];
  /** Idempotency key, if any. */
  readonly key?: string | undefined;
}

/** The outcome of a write of a bundle. */
export interface BundleWriteOutcome {
  /** One for each write, with the true reasons of refusals; absent: the write failed as a whole. */
  readonly records?: readonly ChannelRecord[];
  /** Of a write that failed as a whole. */
  readonly code?: ErrorCode;
}

/** Records the calls of bundles to assets. */
export interface BundleCallLog {
  /** The asset of a call is not granted to the bundle. */
  refused(call: BundleAssetCall & { readonly code: ErrorCode }): void;
  /** A write with a key was not repeated: the bundle gets the first outcome. */
  replayed(call: BundleAssetCall & { readonly key: string }): void;
  /**
   * Records a write before it is sent.
   *
   * @returns callback for its outcome; called once
   * @throws {GatewayError} if it cannot be recorded; it must not be sent then
   */
  begin(write: BundleWrite): Promise<(outcome: BundleWriteOutcome) => void>;
}

/** A bundle that calls, under its own identity. */
export interface BundleCaller {
  readonly access: Pick<AssetAccess, 'open'>;
  readonly caller: Principal;
  readonly log: BundleCallLog;
}

/**
 * Reads channels for a bundle.
 *
 * @throws {NotFound} `ASSET_UNKNOWN`
 * @throws {Unavailable} `ASSET_OVERLOADED`
 */
export async function readForBundle(
  bundle: BundleCaller,
  { asset: pid, channels }: BundleCallParams<'assets.read'>,
): Promise<readonly WireRecord[]> {
  const asset = openForBundle(bundle, pid);
  const { records } = await (channels === undefined ? asset.readAll() : asset.read(channels));
  return records.map(toWireRecord);
}

/**
 * Writes channels for a bundle, until its call ends.
 *
 * @param ending that of the call
 * @throws {InvalidRequest} `VALUE_INVALID` that names the channel, or `WRITE_TOO_LONG`; nothing is written
 * @throws {NotFound} `ASSET_UNKNOWN`
 * @throws {Unavailable} `ASSET_OVERLOADED`; `STORE_FULL` and `STORE_FAILED` when it cannot be recorded, nothing is written
 */
export async function writeForBundle(
  bundle: BundleCaller,
  { asset: pid, channels, key }: BundleCallParams<'assets.write'>,
  ending: AbortSignal,
): Promise<readonly WireRecord[]> {
  const { caller, log } = bundle;
  if (channels.length > MAXIMUM_WRITES) {
    const detail = `a write has at most ${MAXIMUM_WRITES} elements, not ${channels.length}`;
    throw new InvalidRequest({ code: 'WRITE_TOO_LONG', detail });
  }
  const asset = openForBundle(bundle, pid);
  const writes = channels.map(toChannelWrite);
  const end = await log.begin({ caller, asset: pid, writes, key });
  let records: readonly ChannelRecord[];
  try {
    records = await asset.write(writes, { ending });
  } catch (error) {
    end({ code: error instanceof GatewayError ? error.code : 'BUNDLE_CALL_FAILED' });
    throw error;
  }
  end({ records: asset.reveal(records) });
  return records.map(toWireRecord);
}

/**
 * Opens an asset for a bundle.
 *
 * @throws {NotFound} `ASSET_UNKNOWN`, the same for an asset without a grant and for one that does not exist
 */
export function openForBundle({ access, caller, log }: BundleCaller, pid: string): GrantedAsset {
  try {
    return access.open(caller, pid);
  } catch (error) {
    if (!(error instanceof NotShown)) throw error;
    log.refused({ caller, asset: pid, code: error.code });
    throw new NotFound({ code: 'ASSET_UNKNOWN', detail: error.detail });
  }
}

/**
 * Returns a write with a value of its type.
 *
 * @throws {InvalidRequest} `VALUE_INVALID` that names the channel
 */
export function toChannelWrite({
  name,
  type,
  value,
  ifValue,
}: BundleCallParams<'assets.write'>['channels'][number]): ChannelWrite {
  const write = toTypedValue({ name, type, value });
  return ifValue === undefined
    ? write
    : { ...write, ifValue: toTypedValue({ name, type, value: ifValue }).value };
}

function toTypedValue({
  name,
  type,
  value,
}: BundleCallParams<'assets.write'>['channels'][number]): ChannelWrite {
  const valueType = VALUE_TYPES.find((candidate) => candidate === type);
  const parsed = valueType === undefined ? undefined : toChannelValue(valueType, value);
  if (valueType === undefined || parsed === undefined) {
    const detail = `the value of channel "${name}" is not of type ${type}`;
    throw new InvalidRequest({ code: 'VALUE_INVALID', detail });
  }
  return { name, valueType, value: parsed };
}

function toChannelValue(valueType: ValueType, wire: WireValue): ChannelValue | undefined {
  const value = fromWireValue(wire);
  if (value instanceof Uint8Array) return valueType === 'BYTE_ARRAY' ? value : undefined;
  if (valueType === 'STRING' && typeof value !== 'string') return undefined;
  return parseValue(valueType, value);
}

/** Returns a record as a message to a bundle has it. */
export function toWireRecord(record: ChannelRecord): WireRecord {
  const { channel, name, value, failure, timestampMs, asked, requested, outcome, readBack } = record;
  const shown = value ?? asked?.value;
  return {
    name,
    valueType: channel?.valueType,
    value: shown === undefined ? undefined : toWireValue(shown),
    requestedValue: requested === undefined ? undefined : toWireValue(requested),
    timestampMs,
    ...qualityOf(record),
    outcome,
    readBack: readBack === undefined ? undefined : toWireValue(readBack),
    failure: failure === undefined ? undefined : { code: failure.code, message: failure.message },
  };
}
