import { createReason } from '../../../daemon/base/fault-reason.ts';
import { describeScan } from '../../../daemon/channel/discovery.ts';
import type { ProposedAsset, ScanFinding, Settings } from '../../../daemon/channel/discovery.ts';
import { SERIAL_SCAN_SENTENCES } from '../sentences/scan-sentences.ts';
import type { Identification } from './identification.ts';
import { splitValue } from './readout.ts';
import type { DataSet } from './readout.ts';

/** A meter that was read out. */
export interface FoundMeter {
  /** Device address; undefined: the only meter of the line. */
  readonly meter: string | undefined;
  /** Absent if it sends none that is valid. */
  readonly identification: Identification | undefined;
  readonly sets: readonly DataSet[];
}

/** Manufacturers by the three letters of their meters (FLAG Association). */
const MANUFACTURERS: Readonly<Record<string, string>> = {
  ABB: 'ABB',
  ACE: 'Actaris',
  DZG: 'DZG',
  EBZ: 'eBZ',
  ELS: 'Elster',
  EMH: 'EMH',
  ESY: 'EasyMeter',
  HAG: 'Hager',
  ISK: 'Iskraemeco',
  ITR: 'Itron',
  KAM: 'Kamstrup',
  LGZ: 'Landis+Gyr',
  LUG: 'Landis+Gyr',
  SAG: 'Sagemcom',
};

/** Quantities of electricity meters by the groups C and D of their OBIS code (IEC 62056-61). */
const QUANTITIES: Readonly<Record<string, string>> = {
  '1.8': 'Imported active energy',
  '2.8': 'Exported active energy',
  '3.8': 'Imported reactive energy',
  '4.8': 'Exported reactive energy',
  '1.7': 'Imported active power',
  '2.7': 'Exported active power',
  '16.7': 'Active power',
  '1.6': 'Maximum demand',
  '14.7': 'Frequency',
  '13.7': 'Power factor',
  '31.7': 'Current L1',
  '51.7': 'Current L2',
  '71.7': 'Current L3',
  '32.7': 'Voltage L1',
  '52.7': 'Voltage L2',
  '72.7': 'Voltage L3',
  '96.1': 'Meter number',
};
const ELECTRICITY = /^1-/;
const NUMBER = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;
// As the address takes it.
const UNIT = /^[A-Za-z][A-Za-z0-9]{0,11}$/;
const MAXIMUM_TEXT_CHARACTERS = 128;
// Together with manufacturer and address, this fits the limit of the configuration.
const MAXIMUM_TYPE_CHARACTERS = 64;
// Meters send up to some hundred codes.
const MAXIMUM_CHANNELS = 300;

/** Describes a meter in one line. */
export function describeMeter(
  identification: Identification,
): Pick<ScanFinding, 'kind' | 'text' | 'reasons' | 'fields'> {
  const { name: own, mode, baudRate } = identification;
  const { manufacturer, type } = splitName(own);
  const name = [manufacturer, type].filter((part) => part !== '').join(' ');
  return {
    kind: 'METER',
    ...describeScan(createReason(SERIAL_SCAN_SENTENCES, 'SCAN_METER_IDENTIFIED', { name, mode, baudRate })),
    fields: { identification: toPlain(own), manufacturer, type, mode, baudRate },
  };
}

/** Describes a data set in one line. */
export function describeDataSet({ text, values }: DataSet): Pick<ScanFinding, 'kind' | 'text' | 'fields'> {
  const shown = values.map((value) => `(${value})`).join('');
  return {
    kind: 'VALUE',
    text: toPlain(`${text}${shown}`),
    fields: { obis: toPlain(text), value: toPlain(shown) },
  };
}

/** Lists the data sets that become channels, at most 300: the first of each code, if it has a current value. */
export function listCurrentSets(sets: readonly DataSet[]): readonly DataSet[] {
  const first = new Map<string, DataSet>();
  for (const set of sets) {
    const { code } = set;
    if (code === undefined || code.period !== undefined) continue;
    // A channel reads the first of several equal codes.
    const key = `${code.channel ?? ''}:${code.quantity}`;
    if (!first.has(key)) first.set(key, set);
  }
  return [...first.values()]
    .filter(({ values }) => values.some((value) => value.trim() !== ''))
    .slice(0, MAXIMUM_CHANNELS);
}

/** Proposes an asset with a channel for each current value. */
export function toMeterAsset({ meter, identification, sets }: FoundMeter): ProposedAsset {
  const { manufacturer = '', type = '' } = identification === undefined ? {} : splitName(identification.name);
  const named = [manufacturer, type].filter((part) => part !== '').join(' ');
  const title = [named === '' ? 'Meter' : named, ...(meter === undefined ? [] : [meter])].join(' ');
  return {
    pid: [type === '' ? 'meter' : type, ...(meter === undefined ? [] : [meter])].join('-').toLowerCase(),
    displayName: title,
    channels: listCurrentSets(sets).map((set) => toChannel(set, meter)),
  };
}

function toChannel({ text, code, values }: DataSet, meter: string | undefined): Settings {
  // Before a value with a unit may be its time, which can end with a letter.
  const position = Math.max(
    0,
    values.findIndex((value) => value.includes('*')),
  );
  const { text: number, unit } = splitValue(values[position] ?? '');
  // Digits alone may be a number of the meter or a code.
  const isNumber = NUMBER.test(number) && (unit !== undefined || number.includes('.'));
  const known = unit !== undefined && isNumber && UNIT.test(unit) ? unit : undefined;
  const displayName = nameQuantity(code);
  return {
    name: text,
    ...(displayName === undefined ? {} : { displayName }),
    type: 'READ',
    valueType: isNumber ? 'DOUBLE' : 'STRING',
    ...(known === undefined ? {} : { unit: known }),
    address: {
      obis: text,
      ...(meter === undefined ? {} : { meter }),
      ...(position === 0 ? {} : { position }),
      ...(known === undefined ? {} : { unit: known }),
    },
  };
}

function nameQuantity(code: DataSet['code']): string | undefined {
  const [, quantity = '', tariff = ''] = /^(\d+\.\d+)\.(\d+)$/.exec(code?.quantity ?? '') ?? [];
  const isElectricity = code?.channel === undefined || ELECTRICITY.test(code.channel);
  const isNumber = quantity === '96.1';
  if (!(isElectricity || isNumber) || !Object.hasOwn(QUANTITIES, quantity)) return undefined;
  const name = QUANTITIES[quantity] ?? '';
  const isOfTariff = quantity.endsWith('.8') && tariff !== '0' && tariff !== '255';
  return isOfTariff ? `${name}, tariff ${tariff}` : name;
}

/** Splits an identification: three letters, the speed, sequences that begin with a backslash, and the type. */
function splitName(name: string): { readonly manufacturer: string; readonly type: string } {
  const letters = name.slice(0, 3);
  const manufacturer = MANUFACTURERS[letters.toUpperCase()] ?? letters;
  const type = name.slice(4).replaceAll(/\\./g, '').trim();
  return { manufacturer, type: type.slice(0, MAXIMUM_TYPE_CHARACTERS) };
}

function toPlain(text: string): string {
  return text.replaceAll(/[^\u0020-\u007E]/g, ' ').slice(0, MAXIMUM_TEXT_CHARACTERS);
}
