import { ChannelList } from './channel-list.ts';
import { Findings, UnsupportedEntry, withoutGaps, lookUp, scaleFields } from './imported.ts';
import type { Imported, Item } from './imported.ts';
import { convertModbusAddress, convertNodeId } from './kepware-address.ts';
import type { KepwareDevice, KepwareType } from './kepware-address.ts';
import type { SheetTarget } from './kura-sheet.ts';
import { readSheet } from './sheet.ts';
import type { SheetRow } from './sheet.ts';

// "Data Types Description" in the manual of the Modbus drivers of Kepware.
const TYPES: Readonly<Record<string, KepwareType>> = {
  boolean: { dataType: 'BOOLEAN', valueType: 'BOOLEAN' },
  short: { dataType: 'INT16', valueType: 'INTEGER' },
  word: { dataType: 'UINT16', valueType: 'INTEGER' },
  bcd: { dataType: 'BCD16', valueType: 'INTEGER' },
  long: { dataType: 'INT32', valueType: 'INTEGER' },
  dword: { dataType: 'UINT32', valueType: 'LONG' },
  lbcd: { dataType: 'BCD32', valueType: 'INTEGER' },
  llong: { dataType: 'INT64', valueType: 'LONG' },
  qword: { dataType: 'UINT64', valueType: 'LONG' },
  float: { dataType: 'FLOAT32', valueType: 'FLOAT' },
  double: { dataType: 'FLOAT64', valueType: 'DOUBLE' },
  string: { dataType: 'STRING', valueType: 'STRING' },
};
// OPC UA servers supply the data type themselves.
const FURTHER_VALUE_TYPES: Readonly<Record<string, string>> = {
  byte: 'INTEGER',
  char: 'INTEGER',
  date: 'STRING',
};
const ACCESS: Readonly<Record<string, string>> = {
  RO: 'READ',
  R: 'READ',
  RW: 'READ_WRITE',
  'R/W': 'READ_WRITE',
  WO: 'WRITE',
  W: 'WRITE',
};

/**
 * Converts the tags that KEPServerEX exports for a device.
 *
 * @param text CSV with the columns `Tag Name`, `Address`, `Data Type`, `Client Access` and those of the scaling
 * @throws {CommandError} `IMPORT_UNREADABLE`, with the row
 */
export function convertKepwareTags(text: string, target: SheetTarget, device: KepwareDevice): Imported {
  const findings = new Findings();
  const { titles, rows } = readSheet(text, ['Tag Name', 'Address']);
  const list = new ChannelList(
    findings,
    rows.map(({ cells }) => cells.get('Tag Name') ?? ''),
  );
  for (const row of rows) {
    list.add({
      ...row,
      name: row.cells.get('Tag Name') ?? '',
      convert: () => convertTag(row, { type: target.type, device, findings }),
    });
  }
  if (titles.includes('Scan Rate')) {
    const reason = 'has no counterpart: channels are read on demand';
    findings.remark({ place: 'row 1', text: 'Scan Rate', reason });
  }
  const { asset: pid, driver } = target;
  const assets = [{ place: pid, asset: { pid, driver }, channels: list.channels }];
  return { drivers: [], assets, untaken: findings.untaken, remarks: findings.remarks };
}

/** Context shared by all tags of a file. */
interface TagContext {
  readonly type: SheetTarget['type'];
  readonly device: KepwareDevice;
  readonly findings: Findings;
}

function convertTag({ cells, place, text }: SheetRow, { type: kind, device, findings }: TagContext): Item {
  const address = cells.get('Address') ?? '';
  const access = lookUp(ACCESS, (cells.get('Client Access') ?? 'R/W').toUpperCase());
  if (access === undefined)
    throw new UnsupportedEntry(`Client Access "${cells.get('Client Access') ?? ''}" is unknown`);
  const remark = (reason: string): void => findings.remark({ place, text, reason });
  const scaling = convertScaling(cells, remark);
  const written = (cells.get('Data Type') ?? '').toLowerCase();
  const named = written.replace(/ array$/, '');
  const isArray = /\[/.test(address);
  const unit = cells.get('Eng Units') ?? cells.get('Eng. Units') ?? cells.get('Engineering Units');
  const description = cells.get('Description');
  const common = {
    type: access,
    unit: unit === '' ? undefined : unit,
    description: description === '' ? undefined : description,
    ...scaling.fields,
  };
  if (kind === 'opcua') {
    const valueType = lookUp(TYPES, named)?.valueType ?? lookUp(FURTHER_VALUE_TYPES, named);
    if (valueType === undefined) throw new UnsupportedEntry(`Data Type "${named}" is not a type`);
    return withoutGaps({
      ...common,
      valueType: scaling.valueType ?? valueType,
      address: convertNodeId(address),
    });
  }
  const type = lookUp(TYPES, named === '' || named === 'default' ? defaultOf(address) : named);
  if (type === undefined) throw new UnsupportedEntry(`Data Type "${named}" has no counterpart`);
  if (named !== written && !isArray) throw new UnsupportedEntry('the number of elements is missing');
  const valueType = isArray ? 'STRING' : (scaling.valueType ?? type.valueType);
  return withoutGaps({
    ...common,
    valueType,
    address: convertModbusAddress(address, type, { device, remark }),
  });
}

// The manual prints the default of each table in bold: Boolean for bits, Word for registers.
function defaultOf(address: string): string {
  return /^[01]|\.\d+$/.test(address) ? 'boolean' : 'word';
}

const VALUE_TYPES: Readonly<Record<string, string>> = {
  char: 'INTEGER',
  byte: 'INTEGER',
  short: 'INTEGER',
  word: 'INTEGER',
  long: 'INTEGER',
  dword: 'LONG',
  float: 'FLOAT',
  double: 'DOUBLE',
};
const INTEGERS: ReadonlySet<string | undefined> = new Set(['INTEGER', 'LONG']);

/** Converts the columns from `Scaling` to `Negate Value`: a line through two points becomes scale and offset. */
function convertScaling(
  cells: ReadonlyMap<string, string>,
  remark: (reason: string) => void,
): { readonly fields: Item; readonly valueType?: string } {
  const kind = (cells.get('Scaling') ?? '').toLowerCase();
  if (kind === '' || kind === 'none') return { fields: {} };
  if (kind !== 'linear')
    throw new UnsupportedEntry(
      `Scaling "${cells.get('Scaling') ?? ''}" has no counterpart: scales are linear`,
    );
  const rawLow = numberIn(cells, 'Raw Low');
  const rawHigh = numberIn(cells, 'Raw High');
  const low = numberIn(cells, 'Scaled Low');
  const high = numberIn(cells, 'Scaled High');
  if (rawLow === rawHigh || low === high)
    throw new UnsupportedEntry('the scaling maps every value to the same one');
  const sign = cells.get('Negate Value') === '1' ? -1 : 1;
  const scale = (sign * (high - low)) / (rawHigh - rawLow);
  const offset = sign * low - scale * rawLow;
  if (cells.get('Clamp Low') === '1' || cells.get('Clamp High') === '1') {
    remark('values beyond the limits are not clamped');
  }
  const named = (cells.get('Scaled Data Type') ?? '').toLowerCase();
  const valueType = lookUp(VALUE_TYPES, named === '' || named === 'default' ? 'double' : named);
  if (valueType === undefined) throw new UnsupportedEntry(`Scaled Data Type "${named}" has no counterpart`);
  return {
    fields: {
      ...scaleFields(tidy(scale), tidy(offset)),
      ...(INTEGERS.has(valueType) ? { scaleOffsetType: 'DOUBLE' } : {}),
    },
    valueType,
  };
}

/** Removes rounding errors of the division: 100 / 1000 is 0.1. */
function tidy(number: number): number {
  return Number(number.toPrecision(15));
}

function numberIn(cells: ReadonlyMap<string, string>, title: string): number {
  const text = cells.get(title) ?? '';
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) {
    throw new UnsupportedEntry(`${title} "${text}" is not a number`);
  }
  return Number(text);
}
