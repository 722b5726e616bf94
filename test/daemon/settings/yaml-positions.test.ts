import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseYaml } from '../../../daemon/settings/yaml-document.ts';
import { findPosition } from '../../../daemon/settings/yaml-positions.ts';
import type { Position } from '../../../daemon/settings/yaml-positions.ts';

function createFinder(text: string): (...path: (string | number)[]) => Position {
  const { value, positions } = parseYaml(Buffer.from(text));
  return (...path) => findPosition(value, positions, path);
}

test('findPosition returns the position of a key, of an item, and of the value that an alias names', () => {
  const find = createFinder(
    'http:\n  ports:\n    - 80\n    - 81\n  host: x\nlist: &l\n  - a: 1\nother: *l\n',
  );
  assert.deepEqual(find('http', 'host'), { line: 5, column: 3 });
  assert.deepEqual(find('http', 'ports', 1), { line: 4, column: 7 });
  assert.deepEqual(find('other'), { line: 8, column: 1 });
  assert.deepEqual(find('other', 0, 'a'), { line: 7, column: 5 });
  assert.deepEqual(find(), { line: 1, column: 1 });
});

test('findPosition returns the position of the nearest enclosing part for a missing one', () => {
  const find = createFinder('# plant\nhttp:\n  ports: [80, 81]\n');
  assert.deepEqual(find('http', 'absent', 'deeper'), { line: 2, column: 1 });
  assert.deepEqual(find('http', 'ports', 2), { line: 3, column: 3 });
  assert.deepEqual(find('http', 'ports', 'length'), { line: 3, column: 3 });
  assert.deepEqual(find('absent'), { line: 2, column: 1 });
  assert.deepEqual(createFinder('# nothing\n')('absent'), { line: 1, column: 1 });
});

test('findPosition finds keys behind long parts', () => {
  const find = createFinder('a: [{b: [1, 2, {c: 3}]}, []]\nd:\n  e: {}\n  f: 1\n');
  assert.deepEqual(find('a', 0, 'b', 2, 'c'), { line: 1, column: 17 });
  assert.deepEqual(find('a', 1), { line: 1, column: 26 });
  assert.deepEqual(find('d', 'f'), { line: 4, column: 3 });
});

test('findPosition stays outside an object whose keys are numbers', () => {
  const find = createFinder('list:\n  x: 1\n  7: 1\n  3: 1\nnext: 1\n');
  assert.deepEqual(find('list', '3'), { line: 1, column: 1 });
  assert.deepEqual(find('next'), { line: 5, column: 1 });
});
