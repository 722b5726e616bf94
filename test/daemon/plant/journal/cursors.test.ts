import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../../../daemon/plant/journal/cursors.ts';

/** Opens a store in memory that notes how its transactions are written. */
function openNotedStore(): { readonly store: Store; readonly written: string[] } {
  const opened = openStore(':memory:', [cursorMigrations]);
  const written: string[] = [];
  const store: Store = {
    ...opened,
    transaction: (work) => {
      written.push('SYNCED');
      return opened.transaction(work);
    },
    quickTransaction: (work) => {
      written.push('QUICK');
      return opened.quickTransaction(work);
    },
  };
  return { store, written };
}

test('the first place of a consumer waits for the disk, later ones do not', () => {
  const { store, written } = openNotedStore();
  const cursors = new Cursors(store);
  cursors.acknowledge({ consumer: 'sender', sequence: 0, timeMs: 0 });
  cursors.save();
  cursors.acknowledge({ consumer: 'sender', sequence: 5, timeMs: 1000 });
  cursors.save();
  cursors.save();
  assert.deepEqual(written, ['SYNCED', 'QUICK']);
  cursors.acknowledge({ consumer: 'sender', sequence: 6, timeMs: 1000 });
  cursors.acknowledge({ consumer: 'history', sequence: 6, timeMs: 1000 });
  cursors.save();
  assert.equal(written.at(-1), 'SYNCED');
  store.close();
});

test('a consumer that is known from an earlier start is not new, one that was removed is', () => {
  const { store, written } = openNotedStore();
  const before = new Cursors(store);
  before.acknowledge({ consumer: 'sender', sequence: 1, timeMs: 0 });
  before.save();
  const cursors = new Cursors(store);
  cursors.acknowledge({ consumer: 'sender', sequence: 2, timeMs: 0 });
  cursors.save();
  cursors.remove('sender');
  cursors.acknowledge({ consumer: 'sender', sequence: 3, timeMs: 0 });
  cursors.save();
  assert.deepEqual(written, ['SYNCED', 'QUICK', 'QUICK', 'SYNCED']);
  assert.deepEqual(new Cursors(store).find('sender')?.sequence, 3);
  store.close();
});
