import { parseExactly } from '../api/exact-json.ts';
import type { ServerEvent } from './event-parser.ts';
import { receiveEvents } from './event-stream.ts';
import type { StreamEnd } from './event-stream.ts';
import { RetryPause } from './retry-pause.ts';
import type { LiveRecord, StreamNews, StreamWish } from './stream-messages.ts';

const BATCH_MS = 100;

let batch: LiveRecord[] = [];
let batchTimer: ReturnType<typeof setTimeout> | undefined;

const tell = (news: StreamNews): void => postMessage(news);

// The page ends the worker when it wants another stream, or none.
addEventListener('message', ({ data }: MessageEvent<StreamWish>) => void listen(data), { once: true });

/** Keeps a stream open; resumes behind the last event that came. */
async function listen({ path, fields }: StreamWish): Promise<void> {
  const pause = new RetryPause();
  let lastId: string | undefined;
  for (;;) {
    const resume = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
    const { status, reason } = await receive({ path, fields: { ...fields, ...resume } }, (event) => {
      lastId = event.id ?? lastId;
      pause.reset();
    });
    tell({ kind: 'LOST', status, reason });
    // The page has to sign in, or to wish for something else, first.
    if (status >= 400 && status < 500 && status !== 429) return;
    await pause.wait();
  }
}

async function receive(wish: StreamWish, onEvent: (event: ServerEvent) => void): Promise<StreamEnd> {
  let ended = '';
  const { status, reason } = await receiveEvents({
    ...wish,
    onHeard: () => tell({ kind: 'HEARD', heardMs: Date.now() }),
    onEvent: (event) => {
      onEvent(event);
      ended = take(event) ?? ended;
    },
  });
  return { status, reason: reason === '' ? ended : reason };
}

/** @returns why the stream ends, when the event says so */
function take({ type, data }: ServerEvent): string | undefined {
  const value = parseExactly(data);
  if (type === 'snapshot' || type === 'change') {
    batch.push(...(value as readonly LiveRecord[]));
    batchTimer ??= setTimeout(flush, BATCH_MS);
    return undefined;
  }
  const { reason = '', asset } = value as { readonly reason?: string; readonly asset?: string };
  if (type === 'gap') tell({ kind: 'GAP', asset, reason, atMs: Date.now() });
  return type === 'end' ? reason : undefined;
}

function flush(): void {
  batchTimer = undefined;
  const records = batch;
  batch = [];
  if (records.length > 0) tell({ kind: 'RECORDS', records, heardMs: Date.now() });
}
