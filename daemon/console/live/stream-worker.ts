import { parseExactly } from '../api/exact-json.ts';
import type { ServerEvent } from './event-parser.ts';
import { receiveEvents } from './event-stream.ts';
import type { StreamEnd } from './event-stream.ts';
import type { LiveRecord, StreamNews, StreamWish } from './stream-messages.ts';

const BATCH_MS = 100;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

let stop: AbortController | undefined;
let batch: LiveRecord[] = [];
let batchTimer: ReturnType<typeof setTimeout> | undefined;

const tell = (news: StreamNews): void => postMessage(news);

addEventListener('message', ({ data }: MessageEvent<StreamWish>) => {
  stop?.abort();
  batch = [];
  if (data.kind === 'STOP') return;
  const abort = new AbortController();
  stop = abort;
  void listen(data, abort);
});

/** Keeps a stream open until it is stopped; resumes behind the last event that came. */
async function listen(
  { path, fields }: Extract<StreamWish, { kind: 'LISTEN' }>,
  abort: AbortController,
): Promise<void> {
  let lastId: string | undefined;
  let retryMs = FIRST_RETRY_MS;
  while (!abort.signal.aborted) {
    const resume = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
    const { status, reason } = await receive(
      { path, fields: { ...fields, ...resume } },
      abort.signal,
      (event) => {
        lastId = event.id ?? lastId;
        retryMs = FIRST_RETRY_MS;
      },
    );
    if (abort.signal.aborted) return;
    tell({ kind: 'LOST', status, reason, retryMs });
    // The page has to sign in, or to wish for something else, first.
    if (status >= 400 && status < 500 && status !== 429) return;
    await new Promise((resolve) => {
      setTimeout(resolve, retryMs);
    });
    retryMs = Math.min(LONGEST_RETRY_MS, 2 * retryMs);
  }
}

async function receive(
  { path, fields }: Pick<Extract<StreamWish, { kind: 'LISTEN' }>, 'path' | 'fields'>,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
): Promise<StreamEnd> {
  let ended = '';
  const { status, reason } = await receiveEvents({
    path,
    fields,
    signal,
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
