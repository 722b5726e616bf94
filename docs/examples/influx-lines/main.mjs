import { toLines } from './lines.mjs';

// Sends the samples of a recorder to a database that takes the Influx line protocol: InfluxDB, VictoriaMetrics, QuestDB,
// Telegraf. A batch is acknowledged when the database has taken it, so an outage delays samples and loses none. A batch
// whose answer was lost is sent again: the same point counts once there.

const REQUEST_DEADLINE_MS = 30_000;
const POLL_MS = 20_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

let stopped = new AbortController();

export function activate(context) {
  stopped = new AbortController();
  const counters = { sent: 0, withoutValue: 0, refused: 0, missing: 0, waiting: 0 };
  const report = (state, detail) => context.status({ state, detail, counters });
  let restart = start(context, counters, report);
  context.settings.onChange(() => {
    restart();
    restart = start(context, counters, report);
  });
}

export function deactivate() {
  stopped.abort();
}

/** Sends until the returned function is called. */
function start(context, counters, report) {
  const changed = new AbortController();
  const signal = AbortSignal.any([changed.signal, stopped.signal]);
  void send(context, counters, report, signal);
  return () => changed.abort();
}

async function send({ journal, settings, gateway, logger }, counters, report, signal) {
  const { recorder, pointsPerRequest } = settings.current;
  const source = journal(recorder);
  let [limit, pauseMs] = [pointsPerRequest, FIRST_PAUSE_MS];
  while (!signal.aborted) {
    try {
      const after = await source.acknowledged();
      const batch = await source.read({ after, limit, waitMs: POLL_MS, signal });
      const lines = toLines(gateway.name, batch);
      const refusal = lines.length === 0 ? undefined : await post(settings.current, lines, signal);
      if (refusal === 'TOO_LARGE' && limit > 1) {
        limit = Math.ceil(limit / 2);
        continue;
      }
      if (refusal !== undefined) {
        // Sent again, the batch would be refused again, and nothing behind it would ever arrive.
        counters.refused += lines.length;
        logger.error('the database rejected a batch', { points: lines.length, reason: refusal });
      } else counters.sent += lines.length;
      counters.withoutValue += batch.values.length - lines.length;
      for (const { count, reason } of batch.gaps) {
        counters.missing += count;
        if (count > 0) logger.warn('samples are missing', { count, reason });
      }
      await source.acknowledge(batch.next);
      counters.waiting = batch.tail - batch.next;
      [limit, pauseMs] = [pointsPerRequest, FIRST_PAUSE_MS];
      if (refusal === undefined) report('OK', counters.waiting === 0 ? 'up to date' : 'catching up');
      else report('WARNING', `the database rejected a batch: ${refusal}`);
    } catch (error) {
      if (signal.aborted) return;
      report('ERROR', describe(error));
      // Full jitter: many gateways that lost the same database do not return in the same second.
      await pause(Math.random() * pauseMs, signal);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  }
}

/**
 * Sends lines.
 *
 * @returns undefined if they were taken, `TOO_LARGE`, or why the database will never take them
 * @throws if they are to be sent again
 */
async function post({ url, token }, lines, signal) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: token === undefined || token === '' ? {} : { authorization: `Token ${token}` },
    body: lines.join('\n'),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_DEADLINE_MS)]),
  });
  const text = (await answer.text()).slice(0, 200).trim();
  if (answer.ok) return undefined;
  if (answer.status === 413) return 'TOO_LARGE';
  const refusal = `the database answered ${answer.status} ${text}`.trim();
  if (answer.status === 400 || answer.status === 422) return refusal;
  throw new Error(refusal);
}

function describe(error) {
  const cause = error.cause?.code ?? error.cause?.message;
  return (cause === undefined ? error.message : `${error.message}: ${cause}`).slice(0, 200);
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
