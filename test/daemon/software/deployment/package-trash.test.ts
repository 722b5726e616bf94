import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import { PackageTrash } from '../../../../daemon/software/deployment/package-trash.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('what comes to the trash in the step in which it became empty is removed as well', async (t) => {
  for (let steps = 0; steps < 20; steps += 1) {
    const directory = path.join(createTemporaryDirectory(t), 'trash');
    mkdirSync(directory);
    const second = Promise.withResolvers<void>();
    const trash = new PackageTrash({
      directory,
      clock: systemClock,
      logger: createMemoryLogger(),
      onLeftover(operationId) {
        if (operationId === 'second') second.resolve();
        else void addSecond();
      },
    });
    const addSecond = async (): Promise<void> => {
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      writeFileSync(path.join(directory, 'second.0'), '');
      trash.empty();
    };
    writeFileSync(path.join(directory, 'first.0'), '');
    trash.empty();
    await second.promise;
    assert.deepEqual(readdirSync(directory), [], `${steps} steps after the first`);
    await trash.stop();
  }
});
