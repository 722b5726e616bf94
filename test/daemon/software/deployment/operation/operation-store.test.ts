import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../../../daemon/base/store/store.ts';
import type { Operation, Requester } from '../../../../../daemon/software/deployment/operation/operation.ts';
import {
  deploymentMigrations,
  MAXIMUM_KEPT_OPERATIONS,
  OperationStore,
} from '../../../../../daemon/software/deployment/operation/operation-store.ts';

const createOperation = (id: string, requester: Requester = {}): Operation => ({
  id,
  operation: 'UNINSTALL',
  name: 'demo',
  state: 'COMPLETED',
  phase: 'FINISHED',
  percent: 100,
  requester,
});

const KEYED = { identityId: 'id-1', idempotencyKey: 'once' };

test('a request is known by its key after more operations than are listed', () => {
  const operations = new OperationStore(openStore(':memory:', [deploymentMigrations]));
  operations.save(createOperation('first', KEYED));
  operations.save(createOperation('first', KEYED));
  for (let index = 0; index < 2 * MAXIMUM_KEPT_OPERATIONS; index += 1) {
    operations.save(createOperation(`other-${index}`, { ...KEYED, idempotencyKey: `other-${index}` }));
  }
  assert.equal(operations.list().length, MAXIMUM_KEPT_OPERATIONS);
  assert.deepEqual(operations.findRequested(KEYED), { id: 'first', operation: 'UNINSTALL' });
  assert.equal(operations.findRequested({ ...KEYED, identityId: 'id-2' }), undefined);
  assert.equal(operations.findRequested({}), undefined);
});

test('the newest operation of a key is the one that is found', () => {
  const operations = new OperationStore(openStore(':memory:', [deploymentMigrations]));
  for (const id of ['old', 'new']) operations.save(createOperation(id, KEYED));
  assert.equal(operations.findRequested(KEYED)?.id, 'new');
});

test('keys of operations that were stored before are found', () => {
  const [first = ''] = deploymentMigrations.steps;
  const store = openStore(':memory:', [{ ...deploymentMigrations, steps: [first] }]);
  const insert = store.database.prepare('INSERT INTO deployment_operation (id, content) VALUES (?, ?)');
  for (const operation of [createOperation('keyed', KEYED), createOperation('plain')]) {
    insert.run(operation.id, JSON.stringify(operation));
  }
  store.database.exec(deploymentMigrations.steps[1] ?? '');
  const operations = new OperationStore(store);
  assert.equal(operations.findRequested(KEYED)?.id, 'keyed');
});
