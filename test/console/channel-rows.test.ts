import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatCell, parseCell, setCell } from '../../daemon/console/forms/channels/channel-cell.ts';
import type { ChannelColumn } from '../../daemon/console/forms/channels/channel-column.ts';
import {
  edit,
  insertChannels,
  listCellFaults,
  pasteCells,
  redo,
  startEdits,
  undo,
} from '../../daemon/console/forms/channels/channel-rows.ts';

function column(key: string, kind: ChannelColumn['kind'], isRequired = false): ChannelColumn {
  const choices = kind === 'CHOICE' ? ['READ', 'READ_WRITE'] : [];
  return { key, kind, choices, isRequired, schema: {}, standard: '' };
}

const COLUMNS = [column('name', 'TEXT', true), column('address.offset', 'NUMBER'), column('type', 'CHOICE')];
const WORDS = { missing: 'missing', number: 'number', choice: () => 'choice', twice: 'twice' };

test('a field is set and removed at its place, and nothing empty stays', () => {
  const channel = setCell({ name: 'a' }, 'address.offset', 3);
  assert.deepEqual(channel, { name: 'a', address: { offset: 3 } });
  assert.deepEqual(setCell(channel, 'address.offset', undefined), { name: 'a' });
});

test('a cell reads what it writes, and a decimal comma', () => {
  const [, number = column('', 'NUMBER')] = COLUMNS;
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
  ]);
  assert.deepEqual(
    listCellFaults(present, COLUMNS, WORDS).map(({ id, key, message }) => [id, key, message]),
    [
      [1, 'address.offset', 'number'],
      [1, 'name', 'twice'],
      [2, 'name', 'missing'],
      [2, 'type', 'choice'],
    ],
  );
});
