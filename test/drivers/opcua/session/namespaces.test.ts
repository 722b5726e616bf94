import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Namespaces } from '../../../../drivers/opcua/session/namespaces.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LATE = { namespace: 'urn:late', identifier: 's=late' };
const { signal } = new AbortController();

/** Namespaces of a server that answers each question with the next of the answers. */
function createNamespaces(...answers: readonly (readonly string[] | Error | null)[]) {
  const clock = new ManualClock();
  const counts = { questions: 0, renumberings: 0 };
  const namespaces = new Namespaces({
    uris: ['urn:standard', 'urn:server'],
    read: () => {
      const answer = answers[counts.questions];
      counts.questions += 1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    clock,
    paceMs: 1000,
    onRenumbered: () => (counts.renumberings += 1),
  });
  return { namespaces, clock, counts };
}

test('a namespace that is known, by URI or by index, asks the server nothing', async () => {
  const { namespaces, clock, counts } = createNamespaces();
  clock.advance(1000);
  const known = ['urn:server', 7].map((namespace) => ({ namespace, identifier: 'i=1' }));
  await namespaces.learn(known, signal);
  assert.equal(counts.questions, 0);
});

test('callers who ask together share one question, and the next waits for its time', async () => {
  const { namespaces, clock, counts } = createNamespaces(null, ['urn:standard', 'urn:server', 'urn:late']);
  clock.advance(999);
  await namespaces.learn([LATE], signal);
  assert.equal(counts.questions, 0);
  clock.advance(1);
  await Promise.all([namespaces.learn([LATE], signal), namespaces.learn([LATE], signal)]);
  await namespaces.learn([LATE], signal);
  assert.equal(counts.questions, 1);
  assert.equal(namespaces.resolve(LATE), undefined);
  clock.advance(1000);
  await namespaces.learn([LATE], signal);
  assert.equal(namespaces.resolve(LATE), 'ns=2;s=late');
});

test('a question that fails leaves what is known', async () => {
  const { namespaces, clock } = createNamespaces(new Error('no answer'));
  const { uris } = namespaces;
  clock.advance(1000);
  await namespaces.learn([LATE], signal);
  assert.equal(namespaces.uris, uris);
});

test('namespaces with other numbers than before are reported and not used', async () => {
  for (const answer of [['urn:standard', 'urn:late', 'urn:server'], ['urn:standard']]) {
    const { namespaces, clock, counts } = createNamespaces(answer);
    clock.advance(1000);
    await namespaces.learn([LATE], signal);
    assert.equal(counts.renumberings, 1);
    assert.equal(namespaces.resolve(LATE), undefined);
  }
});
