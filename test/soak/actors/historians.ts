import { setTimeout as wait } from 'node:timers/promises';

import type { Remote } from '../../bench/remote.ts';
import type { SubscriberCount } from '../../bench/subscriber-process.ts';
import type { Actor } from '../crew.ts';
import { expectStatus } from '../expect.ts';
import { LastingSession } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { IDENTITIES } from '../plant.ts';

const MINUTE_MS = 60_000;
/** A bundle gets what the rest of the machine leaves of the processor. */
const ARRIVAL_MS = 180_000;

/** Those who read what is recorded, and the subscriber of what is sent. */
export function createHistorians(ground: Ground, subscriber: Remote): readonly Actor[] {
  const session = new LastingSession(ground, IDENTITIES.operator);
  return [
    {
      name: 'history reader',
      pauseMs: 1000,
      async step() {
        const from = Date.now() - 2 * MINUTE_MS;
        const path = `/services/history/v1/plant?from=${from}&limit=500`;
        const page = expectStatus(await session.send('GET', path), 200).json as {
          readonly samples: readonly unknown[];
        };
        if (page.samples.length === 0) throw new Error('no samples of the last two minutes');
      },
    },
    {
      name: 'trend reader',
      pauseMs: 3000,
      async step() {
        const from = Date.now() - 60 * MINUTE_MS;
        const path = `/services/history/v1/plant?from=${from}&bucketMs=60000&channels=channel00001,setpoint`;
        const page = expectStatus(await session.send('GET', path), 200);
        if (page.text.length < 100) throw new Error(`no buckets: ${page.text}`);
        expectStatus(await session.send('GET', '/services/history/v1'), 200);
      },
    },
    {
      name: 'subscriber of the broker',
      pauseMs: 5000,
      async step() {
        const untilMs = performance.now() + ARRIVAL_MS;
        while (performance.now() < untilMs) {
          const { live, backlog } = await subscriber.call<SubscriberCount>('count');
          if (live + backlog > 0) return;
          await wait(500);
        }
        throw new Error(`no samples at the broker within ${ARRIVAL_MS / 1000} s`);
      },
    },
  ];
}
