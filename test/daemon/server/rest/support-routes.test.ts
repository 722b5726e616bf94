import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LogBuffer } from '../../../../daemon/base/log-buffer.ts';
import { createSupportRoutes } from '../../../../daemon/server/rest/support-routes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createContext } from '../http/request-fixture.ts';

interface Body {
  readonly lines: readonly { readonly id: number; readonly event: string }[];
  readonly newest: number;
}

test('a line that is logged while secrets are listed is in the next response', async () => {
  const log = new LogBuffer();
  const write = (event: string): void =>
    log.write(`${JSON.stringify({ time: 'now', level: 'info', event })}\n`);
  const [route] = createSupportRoutes({
    log,
    listSecrets() {
      write('driver.connected');
      return Promise.resolve([]);
    },
    routes: () => [],
    version: '1.0.0',
    clock: new ManualClock(),
  });
  async function readAfter(id: number): Promise<Body> {
    const context = createContext();
    context.request.url = `/services/status/v1/log?after=${id}`;
    return JSON.parse(String((await route?.handle(context))?.json)) as Body;
  }
  write('ready');
  const first = await readAfter(1);
  assert.deepEqual(first, { lines: [], newest: 1, run: log.run, isIncomplete: false });
  const second = await readAfter(first.newest);
  assert.deepEqual(
    second.lines.map(({ id, event }) => [id, event]),
    [[2, 'driver.connected']],
  );
});
