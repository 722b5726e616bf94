import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { KeptPlace } from './world/kept-gateway.ts';
import { runWorld } from './world.ts';

// What one thread begins first ends first.
process.env['UV_THREADPOOL_SIZE'] = '1';

test('a gateway goes on in the next world, and what it has lost in between is seen', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'gateway.json');
  const place = new KeptPlace(directory);
  assert.equal(place.read(), undefined);
  const first = await runWorld({ seed: 'morning', hours: 1 }, { place });
  assert.equal(first.broken, undefined);
  assert.equal(place.read()?.gateway.worlds, 1);
  const older = path.join(directory, 'older');
  cpSync(path.join(directory, 'data-1'), older, { recursive: true });

  const again = path.join(directory, 'again');
  cpSync(path.join(directory, 'data-1'), path.join(again, 'data-1'), { recursive: true });
  cpSync(file, path.join(again, 'gateway.json'));
  const second = await runWorld({ seed: 'evening', hours: 1 }, { place });
  assert.equal(second.broken, undefined);
  const repeated = await runWorld({ seed: 'evening', hours: 1 }, { place: new KeptPlace(again) });
  assert.equal(repeated.digest, second.digest);
  rmSync(again, { recursive: true });
  const { gateway } = place.read() ?? {};
  assert.deepEqual([gateway?.worlds, gateway?.hours], [2, 2]);
  assert.deepEqual(readdirSync(directory).toSorted(), ['data-2', 'gateway.json', 'older']);

  // As after a copy of the wrong day.
  rmSync(path.join(directory, 'data-2'), { recursive: true });
  cpSync(older, path.join(directory, 'data-2'), { recursive: true });
  const before = readFileSync(file, 'utf8');
  const third = await runWorld({ seed: 'night', hours: 1 }, { place });
  assert.equal(third.broken?.invariant, 'past-kept');
  assert.equal(readFileSync(file, 'utf8'), before);

  writeFileSync(file, '{"worlds": 1}');
  assert.throws(() => place.read(), /hours/);
});
