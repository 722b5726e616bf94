import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { copyTree } from './defects/defective-tree.ts';
import { PLANTED_DEFECTS } from './defects/planted-defects.ts';
import { listScenarios, readScenario } from './kept-scenario.ts';
import { runSeparateWorld } from './separate-world.ts';

// Beyond what a scenario takes, on a busy machine.
const LIMIT_MS = 240_000;

for (const name of listScenarios()) {
  const scenario = readScenario(name);

  test(`everything holds in the scenario ${name}, which still has its people, assets and faults`, () => {
    const { broken, cast, faults } = runSeparateWorld(scenario);
    assert.equal(broken, undefined);
    assert.deepEqual(
      scenario.only.filter((one) => !cast.includes(one)),
      [],
    );
    // What was drawn for a fault shows in its text.
    assert.deepEqual(listTexts(faults), listTexts(scenario.faults));
  });

  if (scenario.defect === undefined) continue;
  test(`the scenario ${name} sees its defect`, (t) => {
    const defect = PLANTED_DEFECTS.find((planted) => planted.name === scenario.defect);
    assert.notEqual(defect, undefined, `there is no defect ${scenario.defect}`);
    const tree = createTemporaryDirectory(t);
    copyTree(tree, defect);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['test/simulation/main.ts', '--scenario', name],
      { cwd: tree, env: { ...process.env, UV_THREADPOOL_SIZE: '1' }, encoding: 'utf8', timeout: LIMIT_MS },
    );
    assert.equal(status, 1, stderr);
    assert.equal(/^BROKEN (\S+) /m.exec(stdout)?.[1], scenario.invariant, stdout);
  });
}

test('a world with its faults listed is the same as with the drawn ones, to the byte', () => {
  const drawn = { seed: 'listed', hours: 0.5 };
  const { faults, digest } = runSeparateWorld(drawn);
  assert.equal(faults.length > 5, true);
  assert.equal(runSeparateWorld({ ...drawn, faults }).digest, digest);
});

function listTexts(faults: readonly { readonly id: string; readonly text: string }[]): readonly string[] {
  return faults.map(({ id, text }) => `${id}: ${text}`).toSorted();
}
