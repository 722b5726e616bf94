import { medianOf, ratiosOf } from '../load.ts';
import { AUTHENTICATION, READS } from '../measured.ts';
import { startPacedReaders } from '../paced-readers.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';

const LOGINS = 20;
const LIMITS = { atLeast: 9, atMost: 32 };
const VISITOR = { name: 'visitor', permissions: [], password: 'another-horse-7' };

/** Paced reads while clients log in by password again and again; the gateway may use every core. */
export const passwordLogins: Scenario = {
  name: 'password-logins',
  measures: [...READS, ...AUTHENTICATION],
  async run(bench) {
    const { gateway, port, load, readers } = await startPacedReaders(bench, [VISITOR]);
    const visitors = await load.open(bench, { port, requests: [formatLogin()], count: LOGINS });
    const durationMs = bench.choose({ full: 1000, quick: 700 });
    const measurements = {
      alone: () => load.run(gateway.process, durationMs, readers),
      beside: () => load.run(gateway.process, durationMs, readers, [visitors]),
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ alone, beside }) => [
      {
        row: 13,
        name: `reads while ${LOGINS} clients log in: p99 ÷ alone`,
        value: `${(medianOf(beside, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(alone, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: ratiosOf(beside, alone, 'p99Us'),
        unit: '×',
        gate: { atMost: 2 },
        goal: { atMost: 1.2 },
      },
    ]);
  },
};

function formatLogin(): string {
  const body = JSON.stringify({ username: VISITOR.name, password: VISITOR.password });
  const head = [
    'POST /services/session/v1/login/password HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
