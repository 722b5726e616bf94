import { figuresOf, medianOf } from '../load.ts';
import { READS } from '../measured.ts';
import { httpsPort } from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { startTagStream, TAGS_PER_SECOND } from '../tag-stream.ts';

const WRITE_INTERVAL_MS = 50;
const LIMITS = { atLeast: 6, atMost: 12 };

const SETPOINT = {
  name: 'setpoint',
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 500, dataType: 'INT16' },
  write: { minimum: 0, maximum: 1000, verify: {} },
};

/** Writes that are read back, to a device that is read all the time. */
export const verifiedWrites: Scenario = {
  name: 'verified-writes',
  measures: [...READS, 'daemon/security/audit', 'daemon/security/idempotency'],
  async run(bench) {
    const { gateway, load, readers, session } = await startTagStream(bench, { channels: [SETPOINT] });
    const writers = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [20, 21].map((value) => formatWrite('/services/assets/other/_write', value, session)),
      count: 1,
      intervalMs: WRITE_INTERVAL_MS,
    });
    const durationMs = bench.choose({ full: 6000, quick: 2000 });
    const measurements = { writes: () => load.run(gateway.process, durationMs, writers, [readers]) };
    return measureUntilDecided(bench, LIMITS, measurements, ({ writes }) => [
      {
        row: 26,
        name: `verified write beside ${TAGS_PER_SECOND} tags in a second: p99`,
        value: `${(medianOf(writes, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: figuresOf(writes, 'p99Us').map((us) => us / 1000),
        unit: 'ms',
        gate: { atMost: 30 },
        goal: { atMost: 10 },
      },
    ]);
  },
};

function formatWrite(path: string, value: number, fields: Readonly<Record<string, string>>): string {
  const body = JSON.stringify({ channels: [{ name: SETPOINT.name, type: SETPOINT.valueType, value }] });
  const head = {
    Host: 'localhost',
    ...fields,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  };
  const lines = Object.entries(head).map(([name, text]) => `${name}: ${text}`);
  return [`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
