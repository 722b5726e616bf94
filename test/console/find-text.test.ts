import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findAll } from '../../daemon/console/forms/editor/find-text.ts';

test('findAll takes signs for themselves, in any case or in the one that is written', () => {
  const text = 'a.b A.B axb İ a.b';
  assert.deepEqual(findAll(text, { words: 'a.b', matchesCase: false }), [
    { from: 0, to: 3 },
    { from: 4, to: 7 },
    { from: 14, to: 17 },
  ]);
  assert.deepEqual(findAll(text, { words: 'A.B', matchesCase: true }), [{ from: 4, to: 7 }]);
  assert.deepEqual(findAll('(a|b)-[c]', { words: '|b)-[', matchesCase: true }), [{ from: 2, to: 7 }]);
});

test('findAll finds none in another, and nothing nowhere', () => {
  assert.deepEqual(findAll('aaa', { words: 'aa', matchesCase: true }), [{ from: 0, to: 2 }]);
  assert.deepEqual(findAll('aaa', { words: '', matchesCase: true }), []);
});
