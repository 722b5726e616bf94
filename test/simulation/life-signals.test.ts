import assert from 'node:assert/strict';
import { test } from 'node:test';

import { watchSignals } from './world/life-signals.ts';

test('what listened to a combined signal of a life hears nothing once the life is forgotten', () => {
  const heard: string[] = [];
  const source = new AbortController();
  const first = watchSignals();
  const ended = AbortSignal.any([source.signal]);
  ended.addEventListener('abort', () => heard.push('first life'));
  const second = watchSignals();
  const going = AbortSignal.any([source.signal]);
  going.addEventListener('abort', () => heard.push('second life'));
  first.forget();
  source.abort();
  assert.deepEqual(heard, ['second life']);
  second.forget();
});
