import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { formatCsv } from '../../daemon/base/text/csv.ts';
import type { Imported } from '../../daemon/cli/import/imported.ts';
import { convertKepwareTags } from '../../daemon/cli/import/kepware-tags.ts';
import { convertKuraSheet } from '../../daemon/cli/import/kura-sheet.ts';
import { convertKuraSnapshot } from '../../daemon/cli/import/kura-snapshot.ts';
import { convertNeuronExport } from '../../daemon/cli/import/neuron-export.ts';
import { checkImported, checkRows } from '../support/import-promises.ts';
import { propertyTest } from './property-test.ts';

const TARGET = { asset: 'boiler', driver: 'line1', type: 'modbus' } as const;
const TABLES: Readonly<Record<string, string>> = {
  0: 'COILS',
  1: 'DISCRETE_INPUTS',
  3: 'INPUT_REGISTERS',
  4: 'HOLDING_REGISTERS',
};
const name = fc.oneof(
  fc.constantFrom('flow', 'a b', 'a_b', '', '#', 'é', 'constructor'),
  fc.string({ maxLength: 5 }),
);
const strange = fc.constantFrom(
  '',
  ' ',
  'x',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '١',
  '70000',
  'constructor',
  '__proto__',
  'null',
);
const number = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 65_536 }).map(String) }, strange);
const digit = fc.constantFrom('0', '1', '3', '4', '2', '6');
const modbusAddress = fc
  .tuple(digit, number, fc.constantFrom('', '', '.5', '.20H', '[3]', '.', '[', '#BL', ' '))
  .map(([first, rest, end]) => `${first}${rest.padStart(5, '0')}${end}`);

/** Returns the table and the offset that such an address means, as the manuals of Kepware and Neuron say it. */
function readPlace(address: string): readonly unknown[] {
  const [, first = '', digits = ''] = /^([0134])(\d+)/.exec(address) ?? [];
  return [TABLES[first], Number(digits) - 1];
}

function addressesOf({ assets }: Imported): readonly (readonly [place: string, address: unknown])[] {
  return assets.flatMap(({ channels }) =>
    channels.map(({ place, channel }) => [place, channel['address']] as const),
  );
}

const header = ['Tag Name', 'Address', 'Data Type', 'Client Access', 'Scaling', 'Raw Low', 'Raw High'];
const type = fc.constantFrom(
  'Word',
  'Float',
  'Boolean',
  'String',
  'Short',
  'LBCD',
  'Word Array',
  '',
  'constructor',
);
const tag = fc.tuple(
  name,
  modbusAddress,
  type,
  fc.constantFrom('R/W', 'RO', 'constructor', ''),
  fc.constantFrom('', 'None', 'Linear', 'constructor'),
  number,
  number,
);

propertyTest(
  'each tag of Kepware becomes a channel at the address that it says, or is named',
  fc.property(fc.array(tag, { maxLength: 6 }), (tags) => {
    const text = formatCsv([header, ...tags]);
    const imported = convertKepwareTags(text, TARGET, { unitId: 7, addressBase: 1, isLowWordFirst: true });
    checkImported(imported, TARGET.driver);
    checkRows(text, imported);
    for (const [place, address] of addressesOf(imported)) {
      const [, written = ''] = tags[Number(place.slice('row '.length)) - 2] ?? [];
      const { unitId, table, offset } = address as Readonly<Record<string, unknown>>;
      assert.deepEqual([unitId, table, offset], [7, ...readPlace(written.trim())], written);
    }
  }),
  3,
);

const kuraHeader = [
  'name',
  'type',
  'value.type',
  'scale',
  'unit.id',
  'primary.table',
  'memory.address',
  'data.order',
  'data.type',
];
const kuraChannel = fc.tuple(
  name,
  fc.constantFrom('READ', 'WRITE', 'READ/WRITE', 'constructor'),
  fc.constantFrom('INTEGER', 'BOOLEAN', 'constructor', ''),
  number,
  number,
  fc.constantFrom(...Object.values(TABLES), 'constructor', ''),
  number,
  fc.constantFrom('', 'BIG_ENDIAN', 'LITTLE_ENDIAN', 'little_endian'),
  fc.constantFrom('INT16', 'FLOAT', 'UINT32', 'constructor', ''),
);

propertyTest(
  'each channel of a list of Kura keeps its address, or is named; so it does in a snapshot',
  fc.property(fc.array(kuraChannel, { maxLength: 6 }), (channels) => {
    const text = formatCsv([kuraHeader, ...channels]);
    const imported = convertKuraSheet(text, TARGET);
    checkImported(imported, TARGET.driver);
    checkRows(text, imported);
    for (const [place, address] of addressesOf(imported)) {
      const [, , , , unit = '', table, offset = '', order, dataType] =
        channels[Number(place.slice('row '.length)) - 2] ?? [];
      const kept = address as Readonly<Record<string, unknown>>;
      assert.deepEqual([kept['table'], kept['offset']], [table, Number(offset)]);
      assert.equal(kept['unitId'], unit.trim() === '' ? undefined : Number(unit));
      // One register has no words to order, and a bit none; the gateway refuses an unknown table or type.
      const isSwapped =
        order === 'LITTLE_ENDIAN' && dataType !== 'INT16' && table !== 'COILS' && table !== 'DISCRETE_INPUTS';
      assert.equal(kept['wordOrder'], isSwapped ? 'LITTLE_ENDIAN' : undefined);
    }
    const snapshot = convertKuraSnapshot(writeSnapshot(channels));
    checkImported(snapshot);
    assert.deepEqual(
      addressesOf(snapshot).map(([, address]) => address),
      addressesOf(convertKuraSheet(formatCsv([kuraHeader, ...inSnapshot(channels)]), TARGET)).map(
        ([, address]) => address,
      ),
    );
  }),
  3,
);

type Row = readonly string[];

// There a channel has its name before `#`, and no two have the same.
function inSnapshot(channels: readonly Row[]): readonly Row[] {
  return channels.map(([, ...rest], index) => [`c${index}`, ...rest]);
}

function writeSnapshot(channels: readonly Row[]): string {
  const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const property = (key: string, value: string): string =>
    `<property name="${key}"><value>${escape(value)}</value></property>`;
  const configuration = (pid: string, properties: readonly string[]): string =>
    `<configuration pid="${pid}"><properties>${properties.join('')}</properties></configuration>`;
  const general = new Set(['name', 'type', 'value.type', 'scale']);
  return `<configurations>${configuration('line1', [
    property('service.factoryPid', 'org.eclipse.kura.driver.modbus'),
    property('modbus.tcp-udp.ip', 'h'),
  ])}${configuration('boiler', [
    property('driver.pid', 'line1'),
    ...inSnapshot(channels).flatMap((cells) =>
      cells.map((cell, at) => {
        const key = kuraHeader[at] ?? '';
        return property(`${cells[0] ?? ''}#${general.has(key) ? '+' : ''}${key}`, cell.trim());
      }),
    ),
  ])}</configurations>`;
}

const neuronTag = fc.record(
  {
    name: fc.constantFrom('t', 'u', 'a b', 'a_b', '', 'constructor'),
    type: fc.constantFrom<unknown>(3, 4, 9, 11, 13, 99, '3', null),
    attribute: fc.constantFrom<unknown>(1, 2, 3, 8, 'x'),
    address: fc.oneof(
      fc.tuple(fc.integer({ min: 0, max: 300 }), modbusAddress).map(([unit, rest]) => `${unit}!${rest}`),
      fc.constantFrom<unknown>('400001', 7, ''),
    ),
  },
  { requiredKeys: ['name'] },
);
const neuronGroup = fc.record({
  driver: fc.constantFrom('m', 'm2', 'm 2', 'nobody'),
  group: fc.constantFrom('g', 'g 1', 'g_1', '#'),
  tags: fc.array(neuronTag, { maxLength: 3 }),
});

propertyTest(
  'each tag of Neuron becomes a channel at the address that it says, or is named, also one of an unknown node',
  fc.property(fc.array(neuronGroup, { maxLength: 5 }), fc.boolean(), (drawn, isInside) => {
    const groups = drawn.filter(
      (one, index) =>
        drawn.findIndex((other) => other.driver === one.driver && other.group === one.group) === index,
    );
    const names = ['m', 'm2', 'm 2'];
    const imported = convertNeuronExport(
      JSON.stringify({
        nodes: names.map((node) => ({
          name: node,
          plugin: 'Modbus TCP',
          params: { host: 'h' },
          groups: isInside ? groups.filter(({ driver }) => driver === node) : [],
        })),
        groups: isInside
          ? []
          : groups.filter(({ group }) => group !== '#').map(({ driver, group }) => ({ driver, group })),
        tags: isInside ? [] : groups,
      }),
    );
    checkImported(imported);
    const expected = groups
      .filter(({ driver }) => !isInside || driver !== 'nobody')
      .flatMap(({ driver, group, tags }) => tags.map((each) => `${driver}/${group}/${each.name}`));
    const placed = addressesOf(imported);
    const untaken = imported.untaken
      .map(({ place }) => place)
      .filter((place) => place.split('/').length === 3);
    assert.deepEqual([...placed.map(([place]) => place), ...untaken].toSorted(), expected.toSorted());
    for (const { place, text, channel } of imported.assets.flatMap(({ channels }) => channels)) {
      const { unitId, table, offset } = channel['address'] as Readonly<Record<string, unknown>>;
      const [unit, rest = ''] = text.split('!');
      assert.deepEqual([unitId, table, offset], [Number(unit), ...readPlace(rest)], place);
    }
  }),
  3,
);
