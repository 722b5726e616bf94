import type { Item } from './imported.ts';
import { lookUp, scaleFields, UnsupportedEntry, withoutGaps } from './imported.ts';
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

// The names of ScaleOffsetType, FLOAT and INTEGER since version 3.0 of the API of Kura; empty: as the value type says.
const ARITHMETICS: Readonly<Record<string, string>> = {
  DEFINED_BY_VALUE_TYPE: '',
  DOUBLE: 'DOUBLE',
  FLOAT: 'DOUBLE',
  LONG: 'LONG',
  INTEGER: 'LONG',
};

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
  const valueType = properties.take('+value.type');
  const item = {
    type: properties.take('+type')?.replace('READ/WRITE', 'READ_WRITE'),
    valueType,
    ...convertScaling(properties, valueType, remark),
    unit: properties.take('+unit'),
    isEnabled: properties.take('+enabled')?.toLowerCase() === 'false' ? false : undefined,
    address: driver === 'modbus' ? convertModbusAddress(properties, remark) : convertOpcuaAddress(properties),
  };
  // The name was read before; every channel supports listening.
  for (const name of ['+name', '+listen']) properties.take(name);
  for (const name of properties.listRest()) remark(`${name} has no counterpart`);
  return withoutGaps(item);
}

/** Returns the scaling of a channel, which each channel of Kura has as numbers of its own. */
function convertScaling(
  properties: KuraProperties,
  valueType: string | undefined,
  remark: (reason: string) => void,
): Item {
  const written = properties.take('+scaleoffset.type')?.toUpperCase() ?? 'DEFINED_BY_VALUE_TYPE';
  const scale = properties.takeNumber('+scale') ?? 1;
  const offset = properties.takeNumber('+offset') ?? 0;
  const isScaled = scale !== 1 || offset !== 0;
  if (valueType === undefined || !/^(?:INTEGER|LONG|FLOAT|DOUBLE)$/.test(valueType)) {
    if (isScaled) remark(`scale and offset do not change values of ${valueType ?? 'no type'}`);
    return {};
  }
  const arithmetic = lookUp(ARITHMETICS, written);
  if (arithmetic === undefined) throw new UnsupportedEntry(`scaleoffset.type ${written} is not supported`);
  const isWhole = arithmetic === 'LONG' || (arithmetic === '' && /^(?:INTEGER|LONG)$/.test(valueType));
  const isLost = isWhole && scale !== 0 && Math.trunc(scale) === 0;
  if (isLost) remark(`Kura truncates the scale ${scale} to 0; here it is applied`);
  else if (isScaled && arithmetic !== '' && arithmetic !== written) {
    remark(`scaleoffset.type ${written} becomes ${arithmetic}`);
  }
  const scaleOffsetType = isLost ? 'DOUBLE' : arithmetic;
  return {
    ...(scaleOffsetType === '' ? {} : { scaleOffsetType }),
    ...scaleFields(scale, offset),
  };
}

/** Returns true if writes to a channel are scaled, which Kura does not do. */
export function isScaledWrite({ type, valueScale, valueOffset }: Item): boolean {
  return type !== 'READ' && (valueScale !== undefined || valueOffset !== undefined);
}

/** Reason for the setting that keeps writes unscaled, as in Kura. */
export const UNSCALED_WRITES = 'has scaleOnWrite: false, because Kura writes values without scale and offset';

/** Settings for clients written for Kura that reject further members in a record. */
export const SETTINGS_FOR_KURA_CLIENTS = { recordDetails: false } as const;
