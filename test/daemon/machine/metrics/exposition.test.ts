import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { renderMetrics } from '../../../../daemon/machine/metrics/exposition.ts';
import { RequestMetrics } from '../../../../daemon/machine/metrics/request-metrics.ts';

test('a label value stays on its line and inside its quotes', () => {
  const read = () => [{ labels: { a: 'back\\slash', b: 'say "x"\n' }, value: 1.5 }, { value: 2 }];
  assert.equal(
    finish(renderMetrics([{ name: 'm', type: 'gauge', help: 'what it is', read }])),
    '# HELP m what it is\n# TYPE m gauge\nm{a="back\\\\slash",b="say \\"x\\"\\n"} 1.5\nm 2\n',
  );
});

test('a histogram is cumulative, and ends with the total', () => {
  const requests = new RequestMetrics();
  for (const durationMs of [0.5, 1, 1.5, 20_000]) {
    requests.note({ method: 'GET', route: '/', status: 200, durationMs });
  }
  const lines = finish(renderMetrics(requests.list())).split('\n');
  for (const line of [
    '_bucket{le="0.001"} 2',
    '_bucket{le="0.0025"} 3',
    '_bucket{le="10"} 3',
    '_bucket{le="+Inf"} 4',
    '_sum 20.003',
    '_count 4',
  ]) {
    assert.ok(lines.includes(`penstock_http_request_duration_seconds${line}`), line);
  }
});

test('others have their turn between two metrics and between two values, which are read then', () => {
  const read: string[] = [];
  const metrics = ['a', 'b'].map((name) => ({
    name,
    type: 'gauge' as const,
    help: name,
    *read() {
      for (const value of [1, 2]) {
        read.push(`${name}${value}`);
        yield { value };
      }
    },
  }));
  const seen: (readonly string[])[] = [];
  const work = renderMetrics(metrics);
  while (work.next().done !== true) seen.push([...read]);
  assert.deepEqual(
    seen,
    [0, 1, 2, 2, 3, 4].map((count) => ['a1', 'a2', 'b1', 'b2'].slice(0, count)),
  );
});
