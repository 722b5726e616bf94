/** A file of a new bundle. */
export interface TemplateFile {
  /** Relative to the directory of the bundle. */
  readonly path: string;
  readonly text: string;
}

/**
 * Lists the files of a bundle that sends the samples of a recorder to a URL, with its settings and its own test.
 *
 * @param name symbolic name of the bundle
 */
export function listSenderFiles(name: string): readonly TemplateFile[] {
  return [
    { path: 'META-INF/MANIFEST.MF', text: MANIFEST.replace('NAME', name) },
    { path: 'settings.schema.json', text: `${JSON.stringify(SETTINGS, undefined, 2)}\n` },
    { path: 'main.mjs', text: MAIN },
    { path: 'sender.mjs', text: SENDER },
    { path: 'sender.test.mjs', text: TEST },
  ];
}

const MANIFEST = `Manifest-Version: 1.0
Bundle-ManifestVersion: 2
Bundle-SymbolicName: NAME
Bundle-Version: 1.0.0
Penstock-Main: main.mjs
Penstock-Interface: 2
Penstock-Permissions: net
Penstock-Settings: settings.schema.json
`;

const SETTINGS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    url: { type: 'string', title: 'URL that receives the samples', 'x-target': true },
    token: { type: 'string', title: 'Bearer token', writeOnly: true },
    recorder: { type: 'string', title: 'Recorder whose samples are sent', default: 'minute' },
    batchSize: { type: 'integer', minimum: 1, maximum: 10_000, default: 1000 },
  },
  required: ['url'],
} as const;

const MAIN = `import { Sender } from './sender.mjs';

let sender;

function activate({ settings, ...context }) {
  sender = new Sender(context, settings.current);
  settings.onChange(async (changed) => {
    await sender.stop();
    sender = new Sender(context, changed);
  });
}

function deactivate() {
  return sender?.stop();
}

export { activate, deactivate };
`;

const SENDER = `import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 30_000;
const POST_LIMIT_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;

/** Posts the samples of a recorder as NDJSON, and acknowledges them when the server has accepted them. */
class Sender {
  #context;
  #settings;
  #stopping = new AbortController();
  #counters = { sent: 0, waiting: 0, failures: 0 };
  #running;

  constructor(context, settings) {
    this.#context = context;
    this.#settings = settings;
    this.#running = this.#run();
  }

  /** Resolves when nothing is being sent any more. */
  async stop() {
    this.#stopping.abort();
    await this.#running;
  }

  async #run() {
    const { signal } = this.#stopping;
    let pauseMs = 1000;
    while (!signal.aborted) {
      try {
        await this.#sendNext();
        pauseMs = 1000;
      } catch (error) {
        if (signal.aborted) return;
        this.#counters.failures += 1;
        const isUnknown = error.cause === 'RECORDER_UNKNOWN';
        this.#report(isUnknown ? 'WARNING' : 'ERROR', error.message);
        // Many gateways must not come back in the same second.
        await delay(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  async #sendNext() {
    const { signal } = this.#stopping;
    const { recorder, batchSize: limit } = this.#settings;
    const journal = this.#context.journal(recorder);
    const batch = await journal.read({ limit, waitMs: WAIT_MS, signal });
    if (batch.sequences.length + batch.gaps.length > 0) await this.#post(toLines(batch, this.#context.gateway, recorder));
    await journal.acknowledge(batch.next);
    this.#counters.sent += batch.sequences.length;
    this.#counters.waiting = batch.tail - batch.next;
    this.#report('OK');
  }

  async #post(body) {
    const { url, token } = this.#settings;
    const authorization = token === undefined ? {} : { authorization: \`Bearer \${token}\` };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...authorization },
      body,
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(POST_LIMIT_MS)]),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(\`the server answered \${response.status}\`);
  }

  #report(state, detail) {
    this.#context.status({ state, detail, counters: this.#counters });
  }
}

/** Returns one line of JSON for each sample and gap. Gateway, recorder and sequence identify a line that comes twice. */
function toLines(batch, { name: gateway }, recorder) {
  const samples = batch.sequences.map((sequence, index) => {
    const { asset, channel } = batch.series[batch.seriesIndexes[index]];
    return {
      gateway,
      recorder,
      sequence,
      asset,
      channel,
      timestamp: batch.timestamps[index],
      value: toJson(batch.values[index]),
      quality: batch.qualities[index],
      status: batch.statuses[index],
    };
  });
  const gaps = batch.gaps.map((gap) => ({ gateway, recorder, type: 'GAP', ...gap }));
  return [...samples, ...gaps].map((line) => \`\${JSON.stringify(line)}\\n\`).join('');
}

function toJson(value) {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

export { Sender };
`;

const TEST = `import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { Sender } from './sender.mjs';

const BATCH = {
  series: [{ asset: 'boiler', channel: 'flow', valueType: 'LONG' }],
  sequences: [7],
  seriesIndexes: [0],
  values: [9007199254740993n],
  qualities: ['GOOD'],
  statuses: [undefined],
  timestamps: [1000],
  takenAt: [1001],
  gaps: [{ sequence: 8, reason: 'STOPPED', fromMs: 1, toMs: 2, count: 0 }],
  next: 9,
  tail: 9,
};

/** A journal with one batch, and a server that answers with these statuses, one after the other. */
async function createBench(t, statuses) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    bodies.push((await request.toArray()).join(''));
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const acknowledged = Promise.withResolvers();
  const reports = [];
  let isAcknowledged = false;
  const journal = () => ({
    async read({ signal }) {
      if (!isAcknowledged) return BATCH;
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
    async acknowledge(cursor) {
      isAcknowledged = true;
      acknowledged.resolve(cursor);
    },
  });
  const context = { journal, gateway: { name: 'gateway1' }, status: (report) => reports.push(structuredClone(report)) };
  const url = \`http://127.0.0.1:\${server.address().port}/samples\`;
  const sender = new Sender(context, { url, recorder: 'minute', batchSize: 1000 });
  t.after(() => sender.stop());
  return { bodies, reports, acknowledged: acknowledged.promise };
}

test('samples and gaps are posted as NDJSON, then acknowledged', async (t) => {
  const { bodies, acknowledged } = await createBench(t, []);
  assert.equal(await acknowledged, 9);
  const [sample, gap] = bodies[0].trim().split('\\n').map((line) => JSON.parse(line));
  assert.deepEqual(sample, {
    gateway: 'gateway1',
    recorder: 'minute',
    sequence: 7,
    asset: 'boiler',
    channel: 'flow',
    timestamp: 1000,
    value: '9007199254740993',
    quality: 'GOOD',
  });
  assert.equal(gap.reason, 'STOPPED');
});

test('what the server does not accept is sent again before it is acknowledged', async (t) => {
  const { bodies, reports, acknowledged } = await createBench(t, [503]);
  assert.equal(await acknowledged, 9);
  assert.equal(bodies.length, 2);
  assert.equal(bodies[1], bodies[0]);
  assert.equal(reports[0].state, 'ERROR');
  assert.equal(reports[0].detail, 'the server answered 503');
});
`;
