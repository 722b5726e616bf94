import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pageOf } from '../../../../../daemon/software/bridge/journal/recorded-channels.ts';
import { BUNDLE_CALLS, checkMessage } from '../../../../../daemon/software/bundle/message/messages.ts';
import type { RecordedChannel } from '../../../../../daemon/software/bundle/runner/context.ts';
import { createJournal } from '../../../../../daemon/software/bundle/runner/journal.ts';

const listChannels = (count: number, valueType = 'DOUBLE'): readonly RecordedChannel[] =>
  Array.from({ length: count }, (_, index) => ({
    asset: 'tank',
    channel: `c${index}`,
    valueType,
    isWritable: false,
  }));

/** A journal whose gateway has these channels, and calls `onPage` after each page. */
function createReader(lists: { current: readonly RecordedChannel[] }, onPage: (count: number) => void) {
  let pages = 0;
  return createJournal(
    {
      call: (method, params) => {
        assert.equal(method, 'journal.channels');
        const page = pageOf(lists.current, checkMessage(BUNDLE_CALLS['journal.channels'], method, params));
        onPage((pages += 1));
        return Promise.resolve(page);
      },
      notify: () => undefined,
    },
    'fast',
  );
}

for (const count of [0, 1, 1000, 1001, 2500]) {
  test(`a list of ${count} channels arrives whole, in messages of at most 1000`, async () => {
    const lists = { current: listChannels(count) };
    let pages = 0;
    const found = await createReader(lists, (number) => (pages = number)).channels();
    assert.deepEqual(found?.channels, lists.current);
    assert.equal(pages, Math.max(1, Math.ceil(count / 1000)));
  });
}

test('a list that changes between two pages is read from its beginning', async () => {
  const lists = { current: listChannels(2500) };
  const found = await createReader(lists, (pages) => {
    if (pages === 2) lists.current = listChannels(1500, 'LONG');
  }).channels();
  assert.deepEqual(found?.channels, lists.current);
});

test('a list whose revision is known does not come again', async () => {
  const lists = { current: listChannels(3) };
  const reader = createReader(lists, () => undefined);
  const first = await reader.channels();
  assert.equal(await reader.channels({ known: first?.revision }), undefined);
  lists.current = listChannels(2);
  assert.equal((await reader.channels({ known: first?.revision }))?.channels.length, 2);
});
