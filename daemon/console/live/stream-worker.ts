import { parseExactly } from '../api/exact-json.ts';
import type { ServerEvent } from './event-parser.ts';
import { receiveEvents } from './event-stream.ts';
import type { LiveRecord, StreamMessage, StreamRequest } from './stream-messages.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import type { listenToAssets } from '../../interface/plant/listening.ts';

const BATCH_MS = 100;
// More records per message would noticeably delay the page's response to a key.
const MAXIMUM_RECORDS = 250;

let lastId: string | undefined;
let batch: LiveRecord[] = [];
let batchTimer: ReturnType<typeof setTimeout> | undefined;

const send = (message: StreamMessage): void => postMessage(message);

// The page terminates the worker to change or close the stream.
addEventListener('message', ({ data }: MessageEvent<StreamRequest>) => void listen(data));

/** Receives a stream until it is lost; the page, which has the session, decides on reopening. */
async function listen(request: StreamRequest): Promise<void> {
  const end = await receiveEvents({
    ...request,
    lastId,
    onHeard: () => send({ kind: 'HEARD' }),
    onEvent: (event) => {
      lastId = event.id ?? lastId;
      take(event);
    },
  });
  flush();
  send({ kind: 'LOST', ...end });
}

function take({ type, data }: ServerEvent): void {
  const event = { type, data: parseExactly(data) } as AnswerOf<typeof listenToAssets>;
  if (event.type === 'snapshot' || event.type === 'change') {
    batch = batch.concat(event.data);
    batchTimer ??= setTimeout(flush, BATCH_MS);
  } else if (event.type === 'gap') {
    flush();
    send({ kind: 'GAP', asset: event.data.asset });
  }
}

function flush(): void {
  clearTimeout(batchTimer);
  batchTimer = undefined;
  const records = batch;
  batch = [];
  for (let from = 0; from < records.length; from += MAXIMUM_RECORDS) {
    send({ kind: 'RECORDS', records: records.slice(from, from + MAXIMUM_RECORDS) });
  }
}
