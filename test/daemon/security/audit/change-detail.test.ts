import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DETAIL_ENTRIES, toAuditEvent } from '../../../../daemon/security/audit/audit-event.ts';
import { CHANGES_PER_EVENT, describeChanges } from '../../../../daemon/security/audit/change-detail.ts';

const changes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `a/${index}`, old: '1', new: '2' }));

test('a change without changed keys is what it has in common', () => {
  assert.deepEqual(describeChanges({ snapshot: 7 }, { changes: [], omitted: 0 }), [{ snapshot: 7 }]);
});

test('each key has its path and its values or the kind of secret change, and the rest is counted', () => {
  const listed = [
    { path: 'a', new: '2' },
    { path: 'b', secret: 'set' },
  ];
  assert.deepEqual(describeChanges({ snapshot: 7 }, { changes: listed, omitted: 3 }), [
    {
      snapshot: 7,
      changes: 5,
      changesNotListed: 3,
      'path[0]': 'a',
      'new[0]': '2',
      'path[1]': 'b',
      'secret[1]': 'set',
    },
  ]);
});

test('many keys are several complete events', () => {
  const head = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`head ${index}`, index]));
  const details = describeChanges(head, { changes: changes(CHANGES_PER_EVENT + 1), omitted: 1 });
  assert.equal(details.length, 2);
  assert.equal(details[1]?.[`path[${CHANGES_PER_EVENT}]`], `a/${CHANGES_PER_EVENT}`);
  const [detail = {}] = details;
  // A request adds the command and whose session it was.
  assert.ok(Object.keys(detail).length + 2 <= DETAIL_ENTRIES);
  const event = toAuditEvent({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', detail }, 0);
  assert.deepEqual(event.detail, detail);
});
