import { availableParallelism, constants } from 'node:os';

import { findNumberFault, findUnknown, readToolOptions } from '../../packaging/tool-options.ts';
import { BrokerMissing, BROKERS } from './brokers.ts';
import type { FleetBroker } from './brokers.ts';
import { runFleet } from './fleet.ts';
import type { FleetReport } from './fleet.ts';
import { PROTOCOLS } from './gateways.ts';

const USAGE = `Usage: npm run fleet -- [OPTION]...

Runs many senders of a package on one broker, cuts all of them off, lets them return at once, and counts at a subscriber what was
lost, out of order and repeated. Exit status: 1 when a sample was lost or out of order, or a rule of Sparkplug broken.

  --protocol NAME  package of the senders, penstock-NAME: ${PROTOCOLS.join(', ')} (default: mqtt)
  --gateways N     number of gateways (default: 1000)
  --broker NAME    one of: ${Object.keys(BROKERS).join(', ')} (default: mosquitto)
  --processes N    processes that the senders share (default: ${availableParallelism() * 10})
  --channels N     channels of a gateway (default: 10)
  --interval MS    interval at which they are recorded (default: 5000)
  --seconds N      time with all connections before the outage (default: 20)
  --outage N       seconds without connection, which pass 20 times faster (default: 600)
  --kill           kill the broker for the outage; what it has not passed on is lost with it, unless --host
  --host           the subscriber is the primary host of the edge nodes (sparkplug only)
  --rate N         backlogMessagesPerSecond of each gateway (default: that of the bundle)
`;

/** Broken rules that are written out. */
const MAXIMUM_SHOWN = 20;
const NUMBERS = ['gateways', 'processes', 'channels', 'interval', 'seconds', 'outage', 'rate'] as const;

const values = readToolOptions(
  USAGE,
  {
    protocol: { type: 'string', default: 'mqtt' },
    gateways: { type: 'string', default: '1000' },
    broker: { type: 'string', default: 'mosquitto' },
    processes: { type: 'string', default: String(availableParallelism() * 10) },
    channels: { type: 'string', default: '10' },
    interval: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '20' },
    outage: { type: 'string', default: '600' },
    rate: { type: 'string' },
    kill: { type: 'boolean', default: false },
    host: { type: 'boolean', default: false },
  },
  (given) => {
    for (const name of NUMBERS) {
      const text = given[name];
      const fault = text === undefined ? undefined : findNumberFault(`--${name}`, text, 1, 9_999_999);
      if (fault !== undefined) return fault;
    }
    if (given.host && given.protocol !== 'sparkplug') return '--host: only with --protocol sparkplug';
    return (
      findUnknown('--protocol', [given.protocol], [...PROTOCOLS]) ??
      findUnknown('--broker', [given.broker], Object.keys(BROKERS))
    );
  },
);

const cleanUps: (() => void | Promise<void>)[] = [];
const owner = { after: (cleanUp: () => void | Promise<void>) => void cleanUps.push(cleanUp) };
const stopped = new Promise<number>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => resolve(128 + constants.signals[signal]));
  }
});
const work = measure();
const status = await Promise.race([work, stopped]);
// A run that a signal ends fails with its processes.
work.catch(() => undefined);
for (const cleanUp of cleanUps.toReversed()) await cleanUp();
process.exit(status);

async function measure(): Promise<number> {
  const gateways = Number(values.gateways);
  const broker = await startBroker();
  if (broker === undefined) return 0;
  const report = await runFleet(owner, broker, {
    protocol: PROTOCOLS.find((name) => name === values.protocol) ?? 'mqtt',
    gateways,
    sendersPerProcess: Math.ceil(gateways / Number(values.processes)),
    channels: Number(values.channels),
    intervalMs: Number(values.interval),
    liveMs: Number(values.seconds) * 1000,
    outageMs: Number(values.outage) * 1000,
    killsBroker: values.kill,
    isHost: values.host,
    settings: values.rate === undefined ? {} : { backlogMessagesPerSecond: Number(values.rate) },
    onPhase: (name) => process.stderr.write(`${name}\n`),
  });
  process.stdout.write(describe(report));
  const { lost, disordered, violations } = report.findings;
  for (const violation of violations.slice(0, MAXIMUM_SHOWN)) process.stderr.write(`${violation}\n`);
  return lost + disordered + violations.length > 0 ? 1 : 0;
}

/** @returns undefined if it cannot run here */
async function startBroker(): Promise<FleetBroker | undefined> {
  try {
    return await BROKERS[values.broker]?.(owner);
  } catch (error) {
    if (!(error instanceof BrokerMissing)) throw error;
    process.stdout.write(`skipped: ${error.message}\n`);
    return undefined;
  }
}

function describe({
  connect,
  live,
  drain,
  returned,
  backlogSamples,
  findings,
  ...memory
}: FleetReport): string {
  const costOf = ({ brokerPercent, seconds }: typeof live, count: number): string =>
    ((brokerPercent * seconds * 10_000) / count).toFixed(0);
  const countOf = ({ count }: typeof live): number => count.live + count.backlog;
  const describeBroker = (phase: typeof live): string =>
    `${phase.brokerPercent.toFixed(1)} % of a core, ${costOf(phase, countOf(phase))} µs a message`;
  const connectUs = costOf(connect, returned.connections);
  const rows = [
    [
      'connect at once',
      `${(returned.connections / connect.seconds).toFixed(0)}/s, broker ${connectUs} µs each`,
    ],
    ['live messages', `${(live.count.live / live.seconds).toFixed(0)}/s`],
    ['p99 of their age', `${live.count.liveP99Ms} ms`],
    ['broker', describeBroker(live)],
    ['return', `${returned.connections} connections, at most ${returned.busiestSecond} within a second`],
    ['median, last', `${returned.medianMs} ms, ${returned.lastMs} ms`],
    ['backlog', `${backlogSamples} samples`],
    [
      'until it was sent',
      `${drain.seconds.toFixed(1)} s, ${drain.count.backlog} of ${countOf(drain)} messages`,
    ],
    ['p99 of the age of live messages', `${drain.count.liveP99Ms} ms`],
    ['broker', describeBroker(drain)],
    ['memory of the broker', `${memory.brokerMiB.toFixed(1)} MiB`],
    ['memory of a sender', `${memory.senderMiB.toFixed(2)} MiB`],
    ['samples received', `${findings.samples}`],
    ['received again', `${findings.duplicates}`],
    ['lost', `${findings.lost}`],
    ['out of order', `${findings.disordered}`],
    ['rules broken', `${findings.violations.length}`],
  ] as const;
  return `${rows.map(([name, value]) => `${name.padEnd(34)}${value}`).join('\n')}\n`;
}
