import type { AssetAccess } from '../access/asset-access.ts';
import type { GrantedAsset } from '../access/granted-asset.ts';
import type { ChannelWrite } from '../asset/prepared-write.ts';
import { InvalidRequest, NotFound, NotShown } from '../base/errors.ts';
import type { BundleCallParams, WireRecord } from '../bundle/messages.ts';
import { fromWireValue, toWireValue } from '../bundle/wire-value.ts';
import type { WireValue } from '../bundle/wire-value.ts';
import type { ChannelRecord } from '../channel/channel-record.ts';
import { qualityOf } from '../channel/quality.ts';
import { parseValue } from '../channel/value-json.ts';
import { VALUE_TYPES } from '../channel/value-type.ts';
import type { ChannelValue, ValueType } from '../channel/value-type.ts';
import type { Principal } from '../identity/identity.ts';

/** A bundle that calls, under its own identity. */
interface BundleCaller {
  readonly access: Pick<AssetAccess, 'open'>;
  readonly caller: Principal;
}

/**
 * Reads channels for a bundle.
 *
 * @throws {NotFound} `ASSET_UNKNOWN`
 * @throws {Unavailable} `ASSET_OVERLOADED`
 */
export async function readForBundle(
  { access, caller }: BundleCaller,
  { asset: pid, channels }: BundleCallParams<'assets.read'>,
): Promise<readonly WireRecord[]> {
  const asset = open({ access, caller }, pid);
  const { records } = await (channels === undefined ? asset.readAll() : asset.read(channels));
  return records.map(toWireRecord);
}

/**
 * Writes channels for a bundle.
 *
 * @throws {InvalidRequest} `VALUE_INVALID` that names the channel; nothing is written
 * @throws {NotFound} `ASSET_UNKNOWN`
 * @throws {Unavailable} `ASSET_OVERLOADED`
 */
export async function writeForBundle(
  { access, caller }: BundleCaller,
  { asset: pid, channels }: BundleCallParams<'assets.write'>,
): Promise<readonly WireRecord[]> {
  const asset = open({ access, caller }, pid);
  const records = await asset.write(channels.map(toChannelWrite));
  return records.map(toWireRecord);
}

// A bundle sees the code of an error, which must not tell an asset that it may not use from one that does not exist.
function open({ access, caller }: BundleCaller, pid: string): GrantedAsset {
  try {
    return access.open(caller, pid);
  } catch (error) {
    if (!(error instanceof NotShown)) throw error;
    throw new NotFound({ code: 'ASSET_UNKNOWN', detail: error.detail });
  }
}

function toChannelWrite({
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

function toWireRecord(record: ChannelRecord): WireRecord {
  const { channel, name, value, failure, timestampMs, asked, outcome, readBack } = record;
  const shown = value ?? asked?.value;
  return {
    name,
    valueType: channel?.valueType,
    value: shown === undefined ? undefined : toWireValue(shown),
    timestampMs,
    ...qualityOf(record),
    outcome,
    readBack: readBack === undefined ? undefined : toWireValue(readBack),
    failure: failure === undefined ? undefined : { code: failure.code, message: failure.message },
  };
}
