import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { openStore } from '../../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../../daemon/base/store/store.ts';
import type { Operation } from '../../../../../daemon/software/deployment/operation/operation.ts';
import { OperationQueue } from '../../../../../daemon/software/deployment/operation/operation-queue.ts';
import {
  deploymentMigrations,
  OperationStore,
} from '../../../../../daemon/software/deployment/operation/operation-store.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';

test('an operation that is added in the step in which the queue becomes idle runs', async () => {
  for (let steps = 0; steps < 20; steps += 1) {
    const finished: string[] = [];
    const queue = new OperationQueue({
      operations: new OperationStore(openStore(':memory:', [deploymentMigrations])),
      onFinished: ({ id }) => finished.push(id),
      clock: systemClock,
      logger: createMemoryLogger(),
      random: systemRandom,
    });
    queue.start(() => Promise.resolve());
    queue.add({ operation: 'UNINSTALL', id: 'first', name: 'first', requester: {} });
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    queue.add({ operation: 'UNINSTALL', id: 'second', name: 'second', requester: {} });
    await setImmediate();
    assert.deepEqual(finished, ['first', 'second'], `${steps} steps after the first`);
  }
});

test('only what must survive the loss of power waits for the disk; progress is stored without', async () => {
  const actual = openStore(':memory:', [deploymentMigrations]);
  const seen: string[] = [];
  // Notes the kind of each transaction, with the state and phase that it left.
  const watch =
    (kind: string, run: Store['transaction']): Store['transaction'] =>
    (work) => {
      const result = run(work);
      const row = actual.database.prepare('SELECT content FROM deployment_operation').get();
      const { state, phase } = JSON.parse(String(row?.['content'])) as Operation;
      seen.push(`${kind} ${state} ${phase}`);
      return result;
    };
  const operations = new OperationStore({
    ...actual,
    transaction: watch('synced', (work) => actual.transaction(work)),
    quickTransaction: watch('quick', (work) => actual.quickTransaction(work)),
  });
  const finished = Promise.withResolvers<Operation>();
  const queue = new OperationQueue({
    operations,
    onFinished: finished.resolve,
    clock: systemClock,
    logger: createMemoryLogger(),
    random: systemRandom,
  });
  queue.start((_operation, progress) => {
    progress.enter('RECEIVING');
    progress.advance(0.5);
    progress.enter('CHECKING');
    progress.identify('demo', '1.0.0');
    progress.decide();
    return Promise.resolve();
  });
  queue.add({ operation: 'INSTALL', url: 'file:///a.dp', requester: {} });
  assert.equal((await finished.promise).state, 'COMPLETED');
  assert.deepEqual(seen, [
    'synced QUEUED WAITING',
    'synced RUNNING WAITING',
    'quick RUNNING RECEIVING',
    'quick RUNNING CHECKING',
    'quick RUNNING CHECKING',
    'synced COMPLETED FINISHED',
    'synced COMPLETED FINISHED',
  ]);
});
