import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatCell, parseCell, setCell } from '../../daemon/console/forms/channels/channel-cell.ts';
import { listChannelColumns } from '../../daemon/console/forms/channels/channel-column.ts';
import {
  edit,
  insertChannels,
  listCellFaults,
  pasteCells,
  redo,
  startEdits,
  undo,
} from '../../daemon/console/forms/channels/channel-rows.ts';
import { createColumn } from './support/grid-column.ts';

const COLUMNS = [
  createColumn('name', 'TEXT'),
  createColumn('address.offset', 'NUMBER', { minimum: 0, maximum: 9, isInteger: true }),
  createColumn('type', 'CHOICE', { choices: ['READ', 'READ_WRITE'] }),
];
const WORDS = {
  missing: 'missing',
  number: 'number',
  integer: 'integer',
  bounds: (minimum: number, maximum: number) => `${minimum} to ${maximum}`,
  choice: () => 'choice',
  twice: 'twice',
};

test('a field is set and removed at its place, and nothing empty stays', () => {
  const channel = setCell({ name: 'a' }, 'address.offset', 3);
  assert.deepEqual(channel, { name: 'a', address: { offset: 3 } });
  assert.deepEqual(setCell(channel, 'address.offset', undefined), { name: 'a' });
});

test('a cell reads what it writes, and a decimal comma', () => {
  const [, number = createColumn('', 'NUMBER')] = COLUMNS;
  for (const value of [1.5, -3, 1e-7]) assert.equal(parseCell(formatCell(value), number), value);
  assert.equal(parseCell('0,1', number), 0.1);
  assert.equal(parseCell('0x1F', number), 31);
  assert.equal(parseCell('1,2,3', number), '1,2,3');
  assert.equal(parseCell(' ', number), undefined);
});

test('undo and redo walk through the edits, and a new edit ends redo', () => {
  const first = startEdits([{ name: 'a' }]);
  const second = edit(first, insertChannels(first.present, [{ name: 'b' }]));
  const third = edit(second, []);
  assert.deepEqual(undo(undo(third)).present, first.present);
  assert.deepEqual(redo(undo(third)).present, []);
  assert.deepEqual(edit(undo(third), first.present).future, []);
  assert.equal(undo(first), first);
});

test('copies get a free name, after the rows that were copied', () => {
  const { present } = startEdits([{ name: 'a' }, { name: 'b' }]);
  const next = insertChannels(present, [{ name: 'a' }], new Set([0]));
  assert.deepEqual(
    next.map(({ id, channel }) => [id, channel['name']]),
    [
      [0, 'a'],
      [2, 'a-2'],
      [1, 'b'],
    ],
  );
});

test('a pasted block fills cells from its corner on, and rows beyond the last are new channels', () => {
  const { present } = startEdits([{ name: 'a', type: 'READ', address: { table: 'X', offset: 1 } }]);
  const next = pasteCells(
    present,
    { row: 0, column: 0 },
    [
      ['p', '7'],
      ['q', '0,5'],
    ],
    COLUMNS,
  );
  assert.deepEqual(
    next.map(({ channel }) => channel),
    [
      { name: 'p', type: 'READ', address: { table: 'X', offset: 7 } },
      { name: 'q', type: 'READ', address: { table: 'X', offset: 0.5 } },
    ],
  );
});

test('faults are named at their cells', () => {
  const { present } = startEdits([
    { name: 'a', type: 'READ' },
    { name: 'a', address: { offset: 'x' } },
    { type: 'SOMETIMES' },
    { name: 'b', address: { offset: 10 } },
    { name: 'c', address: { offset: -1 } },
    { name: 'd', address: { offset: 0.5 } },
    { name: 'e', address: { offset: 9 } },
  ]);
  assert.deepEqual(
    listCellFaults(present, COLUMNS, WORDS).map(({ id, key, message }) => [id, key, message]),
    [
      [1, 'address.offset', 'number'],
      [1, 'name', 'twice'],
      [2, 'name', 'missing'],
      [2, 'type', 'choice'],
      [3, 'address.offset', '0 to 9'],
      [4, 'address.offset', '0 to 9'],
      [5, 'address.offset', 'integer'],
    ],
  );
});

test('the bounds of a column are those that some alternative of the schema allows', () => {
  const integer = { type: 'integer' };
  const address = {
    anyOf: [
      {
        properties: {
          offset: { ...integer, minimum: 0, maximum: 100 },
          bit: { ...integer, minimum: 0, maximum: 15 },
        },
      },
      {
        properties: { offset: { ...integer, minimum: -5 }, bit: { type: 'number', minimum: 3, maximum: 7 } },
      },
    ],
  };
  const bounds = listChannelColumns({ properties: { address, name: { type: 'string' } } }).map(
    ({ key, minimum, maximum, isInteger }) => [key, minimum, maximum, isInteger],
  );
  assert.deepEqual(bounds, [
    ['name', -Infinity, Infinity, false],
    ['address.offset', -5, Infinity, true],
    ['address.bit', 0, 15, false],
  ]);
});
