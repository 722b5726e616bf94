import type { Item } from './imported.ts';
import { withoutGaps, scaleFields } from './imported.ts';
import { convertModbusAddress } from './kura-modbus.ts';
import { convertOpcuaAddress } from './kura-opcua.ts';
import type { KuraProperties } from './kura-properties.ts';

/** Channel properties common to all drivers, without the `+` that marks them in a snapshot. */
export const GENERAL_PROPERTIES: readonly string[] = [
  'enabled',
  'name',
  'type',
  'value.type',
  'scaleoffset.type',
  'scale',
  'offset',
  'unit',
  'listen',
];

/** Drivers of Kura with a counterpart. */
export type KuraDriver = 'modbus' | 'opcua';

/**
 * Converts a channel except for its name.
 *
 * @param properties general ones begin with `+`
 * @param remark receives what was imported in another form
 * @throws {UnsupportedEntry}
 */
export function convertKuraChannel(
  driver: KuraDriver,
  properties: KuraProperties,
  remark: (reason: string) => void,
): Item {
  const arithmetic = properties.take('+scaleoffset.type');
  const valueType = properties.take('+value.type');
  const scale = properties.takeNumber('+scale') ?? 1;
  const offset = properties.takeNumber('+offset') ?? 0;
  const isNumber = valueType !== undefined && /^(?:INTEGER|LONG|FLOAT|DOUBLE)$/.test(valueType);
  const isScaled = scale !== 1 || offset !== 0;
  const item = {
    type: properties.take('+type')?.replace('READ/WRITE', 'READ_WRITE'),
    valueType,
    scaleOffsetType: arithmetic === 'DEFINED_BY_VALUE_TYPE' || !isNumber ? undefined : arithmetic,
    ...(isNumber ? scaleFields(scale, offset) : {}),
    unit: properties.take('+unit'),
    isEnabled: properties.take('+enabled')?.toLowerCase() === 'false' ? false : undefined,
    address: driver === 'modbus' ? convertModbusAddress(properties, remark) : convertOpcuaAddress(properties),
  };
  if (!isNumber && isScaled) remark(`scale and offset do not change values of ${valueType ?? 'no type'}`);
  // The name was read before; every channel supports listening.
  for (const name of ['+name', '+listen']) properties.take(name);
  for (const name of properties.listRest()) remark(`${name} has no counterpart`);
  return withoutGaps(item);
}

/** Returns true if writes to a channel are scaled, which Kura does not do. */
export function isScaledWrite({ type, valueScale, valueOffset }: Item): boolean {
  return type !== 'READ' && (valueScale !== undefined || valueOffset !== undefined);
}

/** Reason for the setting that keeps writes unscaled, as in Kura. */
export const UNSCALED_WRITES = 'has scaleOnWrite: false, because Kura writes values without scale and offset';

/** Settings for clients written for Kura that reject further members in a record. */
export const SETTINGS_FOR_KURA_CLIENTS = { recordDetails: false } as const;
