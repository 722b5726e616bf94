import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import { clientAuthPort } from '../../bench/plant.ts';
import { getClientCertificate } from '../../support/certificate-authority.ts';
import { EventParser, EventStreamClient } from '../../support/event-stream-client.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { send } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectRecords } from '../expect.ts';
import type { ShownRecord } from '../expect.ts';
import type { Ground } from '../ground.ts';

const PLANT = '/services/assets/plant/_listen?minimumIntervalMs=100';
const VALUES = 1000;
const LAG_MS = 5000;
const PATIENCE_MS = 60_000;

/** Those who listen: some come and go, one does not read for a while, one returns with its position. */
export async function createListeners(ground: Ground): Promise<readonly Actor[]> {
  const pair = await getClientCertificate('scada');
  const port = clientAuthPort(ground.gateway);
  /** Closes the stream afterwards, also when the use fails: one that is left open is a descriptor more. */
  const listen = async (
    { path, after }: { readonly path: string; readonly after?: string | undefined },
    use: (stream: EventStreamClient) => Promise<void>,
  ): Promise<void> => {
    const headers = after === undefined ? undefined : { 'Last-Event-ID': after };
    const stream = new EventStreamClient(NO_OWNER, { port, path, headers, ...pair });
    try {
      await use(stream);
    } finally {
      await stream.close();
    }
  };
  let lastId: string | undefined;
  let marks = 0;
  return [
    {
      name: 'listener that comes and goes',
      pauseMs: 1000,
      async step() {
        await listen({ path: PLANT }, async (stream) => {
          await within(stream.find(({ type }) => type === 'snapshot'));
          const value = (marks += 1) % VALUES;
          const body = { channels: [{ name: 'mark', type: 'INTEGER', value }] };
          expectRecords(await send({ port, ...pair }, 'POST', '/services/assets/plant/_write', { body }));
          await within(stream.find(({ type, data }) => type === 'change' && hasMark(data, value)));
        });
      },
    },
    {
      name: 'listener that returns',
      pauseMs: 2000,
      async step() {
        await listen(
          { path: '/services/assets/_listen?assets=plant,server', after: lastId },
          async (stream) => {
            lastId = (await within(stream.find(({ id }) => id !== undefined))).id;
          },
        );
      },
    },
    {
      name: 'listener of events',
      pauseMs: 5000,
      async step() {
        await listen({ path: '/services/events/v1' }, async (stream) => {
          await within(stream.opened());
          await wait(LAG_MS);
        });
      },
    },
    {
      name: 'lagging listener',
      pauseMs: 3000,
      async step() {
        const options = { host: '127.0.0.1', port, path: PLANT, agent: false, rejectUnauthorized: false };
        const outgoing = request({ ...options, cert: pair.certificate, key: pair.privateKey });
        outgoing.on('error', () => undefined).end();
        const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
        answer.on('error', () => undefined).pause();
        await wait(LAG_MS);
        const parser = new EventParser();
        const snapshot = new Promise<void>((resolve) => {
          answer.setEncoding('utf8').on('data', (text: string) => {
            if (parser.feed(text).some(({ type }) => type === 'snapshot')) resolve();
          });
        });
        answer.resume();
        await within(snapshot).finally(() => outgoing.destroy());
      },
    },
  ];
}

function hasMark(records: unknown, expected: number): boolean {
  return (records as readonly ShownRecord[]).some(({ name, value }) => name === 'mark' && value === expected);
}

// A step closes its stream; it may not leave a clean-up behind for each.
const NO_OWNER: Owner = { after: () => undefined };

function within<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, failAfter()]);
}

async function failAfter(): Promise<never> {
  await wait(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`no event within ${PATIENCE_MS / 1000} s`);
}
