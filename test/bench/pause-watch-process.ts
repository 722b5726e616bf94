import { setTimeout as wait } from 'node:timers/promises';

import { RawConnection } from './raw-connection.ts';
import { serveRemote } from './remote.ts';

const INTERVAL_MS = 4;
/** What was delayed by the end of some work is answered with these. */
const LAST_REQUESTS = 3;

export interface WatchOptions {
  readonly port: number;
  /** As it goes over the wire. */
  readonly request: string;
}

let latencies: number[] = [];

serveRemote({ open, begin, end });

async function open({ port, request }: WatchOptions): Promise<void> {
  const connection = await RawConnection.open({ port }, false);
  void watch(connection, Buffer.from(request));
}

function begin(): void {
  latencies = [];
}

async function end(): Promise<readonly number[]> {
  const { length } = latencies;
  while (latencies.length < length + LAST_REQUESTS) await wait(INTERVAL_MS);
  return latencies.toSorted((left, right) => left - right);
}

async function watch(connection: RawConnection, request: Buffer): Promise<never> {
  for (;;) {
    const sentMs = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.send(request, () => resolve());
    await promise;
    latencies.push(performance.now() - sentMs);
    await wait(INTERVAL_MS);
  }
}
