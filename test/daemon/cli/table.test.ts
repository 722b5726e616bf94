import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatTable } from '../../../daemon/cli/table.ts';

interface Row {
  readonly name: string;
  readonly cause?: string;
}

const COLUMNS = [
  { title: 'NAME', show: ({ name }: Row) => name },
  { title: 'CAUSE', show: ({ cause = '' }: Row) => cause, isOptional: true },
  { title: 'SIZE', show: () => 7 },
];

test('formatTable leaves an optional column out that is empty in every row', () => {
  assert.equal(formatTable(COLUMNS, [{ name: 'pump' }]), 'NAME  SIZE\npump  7\n');
});

test('formatTable shows an optional column that has a text in one row', () => {
  assert.equal(
    formatTable(COLUMNS, [{ name: 'pump' }, { name: 'fan', cause: 'full' }]),
    'NAME  CAUSE  SIZE\npump         7\nfan   full   7\n',
  );
});

test('formatTable shows no control character of a row', () => {
  assert.equal(
    formatTable([{ title: 'NAME', show: ({ name }: Row) => name }], [{ name: 'a\u001B[2Jb' }]),
    'NAME\na\uFFFD[2Jb\n',
  );
});

test('formatTable lets a long text move the rest of its own row only', () => {
  const name = `[${'1,'.repeat(30)}1]`;
  assert.equal(formatTable(COLUMNS, [{ name }, { name: 'pump' }]), `NAME  SIZE\n${name}  7\npump  7\n`);
});
