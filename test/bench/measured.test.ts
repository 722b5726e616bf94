import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listNeededFiles } from './imported-files.ts';
import { GATEWAY, isIn, NOT_MEASURED } from './measured.ts';
import { scenarios } from './scenarios.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const sourceOf = (name: string): string => `test/bench/scenarios/${name}.ts`;
/** It has a helper of the file that also starts gateways. */
const WITHOUT_GATEWAY = 'audit-chain';

const unmeasured = Object.values(NOT_MEASURED).flat();
const folderOf = (place: string): string => place.replace(/\/\*$/, '');

test('every scenario names what it measures, and has its file', () => {
  assert.deepEqual(
    scenarios.filter(({ measures }) => measures.length === 0).map(({ name }) => name),
    [],
  );
  const files = globSync('test/bench/scenarios/*.ts', { cwd: ROOT }).toSorted();
  assert.deepEqual(files, scenarios.map(({ name }) => sourceOf(name)).toSorted());
});

test('every place that is named is there', () => {
  const named = [...scenarios.flatMap(({ measures }) => measures), ...unmeasured].map(folderOf);
  assert.deepEqual(
    named.filter((place) => !existsSync(path.join(ROOT, place))),
    [],
  );
});

test('every file of the product is measured by a scenario, or named with the reason why it is not', () => {
  const files = globSync('{daemon,drivers,bundles}/**/*.{ts,tsx,css,html}', { cwd: ROOT });
  assert.ok(files.length > 500);
  const measured = scenarios.flatMap(({ measures }) => measures);
  const places = [...measured, ...unmeasured];
  assert.deepEqual(
    files.filter((file) => !isIn(places, file)),
    [],
  );
  assert.deepEqual(
    files.filter((file) => isIn(measured, file) && isIn(unmeasured, file)),
    [],
  );
});

test('a scenario that starts a gateway measures what every gateway runs', () => {
  const wrong = scenarios.filter(({ name, measures }) => {
    const starts = listNeededFiles(sourceOf(name), ROOT).includes('test/bench/program.ts');
    return starts && !GATEWAY.every((place) => isIn(measures, folderOf(place)));
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [WITHOUT_GATEWAY],
  );
});

test('a place holds itself and what is in it, and one with an asterisk its files alone', () => {
  assert.equal(isIn(['daemon/cli'], 'daemon/cli/setup/main.ts'), true);
  assert.equal(isIn(['daemon/cli'], 'daemon/client.ts'), false);
  assert.equal(isIn(['daemon/main.ts'], 'daemon/main.ts'), true);
  assert.equal(isIn(['daemon/cli/*'], 'daemon/cli/main.ts'), true);
  assert.equal(isIn(['daemon/cli/*'], 'daemon/cli/setup/main.ts'), false);
});
