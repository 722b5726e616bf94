import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dispatcher } from '../../../../daemon/server/http/dispatcher.ts';
import type { RequestContext } from '../../../../daemon/server/http/request-context.ts';
import { createContext } from './request-fixture.ts';

const TURNS = [1, 2, 3];

/** Returns a function that sends a request to a path, and tells which step came and with which parameters, or why none did. */
function startDispatcher(): (url: string) => Promise<unknown> {
  const ends = new WeakMap<RequestContext, (end: unknown) => void>();
  const tell = (name: string) => (context: RequestContext) => {
    ends.get(context)?.([name, { ...context.parameters }]);
    context.response.destroy();
  };
  const dispatcher = new Dispatcher(
    [
      ['/things/:id', [tell('thing')]],
      ['/things/:id/parts/:part', [tell('part')]],
      ['/broken', [() => assert.fail('broken')]],
      ['/idle', [() => undefined]],
      ['/changing/:id', [({ parameters }) => void Object.assign(parameters, { id: 'other' })]],
    ],
    [tell('otherwise')],
  );
  return (url) => {
    const context = createContext();
    context.request.url = url;
    return new Promise((resolve) => {
      ends.set(context, resolve);
      dispatcher.dispatch(context, resolve);
    });
  };
}

test('a path leads to the same steps and parameters each time, whatever its query', async () => {
  const dispatch = startDispatcher();
  for (const _ of TURNS) {
    assert.deepEqual(await dispatch('/things/a'), ['thing', { id: 'a' }]);
    assert.deepEqual(await dispatch('/things/b?x=1'), ['thing', { id: 'b' }]);
    assert.deepEqual(await dispatch('/things/b?x=/things/c'), ['thing', { id: 'b' }]);
    assert.deepEqual(await dispatch('/things/a%2Fb%3F'), ['thing', { id: 'a/b?' }]);
    assert.deepEqual(await dispatch('/things/a/parts/7'), ['part', { id: 'a', part: '7' }]);
    assert.deepEqual(await dispatch('/Things/a'), ['otherwise', {}]);
    assert.deepEqual(await dispatch('/'), ['otherwise', {}]);
  }
});

test('a path that cannot be decoded is refused each time', async () => {
  const dispatch = startDispatcher();
  for (const _ of TURNS) assert.ok((await dispatch('/things/%zz')) instanceof URIError);
});

test('an error of a step is passed on, and a request that no step answers is an error, each time', async () => {
  const dispatch = startDispatcher();
  for (const _ of TURNS) {
    assert.ok((await dispatch('/broken')) instanceof assert.AssertionError);
    assert.ok((await dispatch('/idle')) instanceof Error);
  }
});

test('more paths than are kept, and long ones, lead where they should', async () => {
  const dispatch = startDispatcher();
  const ids = Array.from({ length: 5000 }, (_, index) => `id${index}`);
  for (const id of [...ids, ...ids, 'x'.repeat(5000)])
    assert.deepEqual(await dispatch(`/things/${id}?q=${id}`), ['thing', { id }]);
});

test('no step can change the parameters that later requests get', async () => {
  const dispatch = startDispatcher();
  for (const _ of TURNS) assert.ok((await dispatch('/changing/a')) instanceof TypeError);
});
