import { getClientCertificate } from '../../support/certificate-authority.ts';
import { send } from '../../support/https-client.ts';
import type { Bench } from '../bench.ts';
import { medianOf, ratiosOf } from '../load.ts';
import type { Measured } from '../load.ts';
import { AUTHENTICATION } from '../measured.ts';
import { clientAuthPort, formatGet, httpsPort, openSession, OPERATOR, startPlant } from '../plant.ts';
import { prepareLoad, readCost } from '../prepared.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';
import type { Results } from '../statistics.ts';

const CONNECTIONS = 10;
const LIMITS = { atLeast: 12, atMost: 60 };
const OPEN_PATH = '/services/session/v1/authenticationInfo';
const CLOSED_PATH = '/services/session/v1/currentIdentity';
const NAMES = {
  open: 'without authentication',
  bearer: 'bearer token, known',
  session: 'session',
  basic: 'BASIC, known',
  certificate: 'certificate of the connection',
} as const;

/** Each way to authenticate, beside an endpoint of the same size that wants none. */
export const authentication: Scenario = {
  name: 'authentication',
  measures: AUTHENTICATION,
  async run(bench) {
    const { gateway, load, ways } = await start(bench);
    const prepare = async (name: keyof typeof ways): Promise<() => Promise<Measured>> => {
      const clients = await load.open(bench, ways[name]);
      await load.run(gateway.process, bench.choose({ full: 1500, quick: 300 }), clients);
      const durationMs = bench.choose({ full: 160, quick: 120 });
      return () => load.run(gateway.process, durationMs, clients);
    };
    const measurements = {
      open: await prepare('open'),
      bearer: await prepare('bearer'),
      session: await prepare('session'),
      basic: await prepare('basic'),
      certificate: await prepare('certificate'),
    };
    return measureUntilDecided(bench, LIMITS, measurements, describe);
  },
  async prepare(bench) {
    const { ways, ...plant } = await start(bench);
    const measurements: Measurement[] = [];
    for (const [name, clients] of Object.entries(ways)) {
      measurements.push(
        await prepareLoad(bench, plant, clients, readCost(NAMES[name as keyof typeof NAMES])),
      );
    }
    return measurements;
  },
};

/** Starts a gateway, and says how clients authenticate in each way. */
async function start(bench: Bench) {
  const rest = { jwtAuthenticationEnabled: true };
  const gateway = await startPlant(bench, { drivers: [], assets: [], rest });
  const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
  const pair = Buffer.from(`${OPERATOR.name}:${OPERATOR.password}`).toString('base64');
  const authorization = { Authorization: `Basic ${pair}` };
  const plain = { port: httpsPort(gateway), count: CONNECTIONS };
  const session = await openSession(gateway);
  const issued = await send(plain, 'POST', '/services/token/jwt/v1/issue', { headers: session });
  const { accessToken } = issued.json as { readonly accessToken: string };
  const ways = {
    open: { ...plain, requests: [formatGet(OPEN_PATH)] },
    bearer: { ...plain, requests: [formatGet(CLOSED_PATH, { Authorization: `Bearer ${accessToken}` })] },
    session: { ...plain, requests: [formatGet(CLOSED_PATH, session)] },
    basic: { ...plain, requests: [formatGet(CLOSED_PATH, authorization)] },
    certificate: {
      port: clientAuthPort(gateway),
      certificate,
      privateKey,
      count: CONNECTIONS,
      requests: [formatGet(CLOSED_PATH)],
    },
  } as const;
  return { gateway, load: await bench.startLoad(), ways };
}

function describe({ open, ...ways }: Results<keyof typeof NAMES, Measured>): readonly Line[] {
  const compare = (
    name: string,
    measured: readonly Measured[],
    bounds: Pick<Line, 'gate' | 'goal'>,
  ): Line => ({
    row: 11,
    name: `${name}: rate ÷ without authentication`,
    value: `${medianOf(measured, 'cpuUsPerRequest').toFixed(1)} µs`,
    floor: `${medianOf(open, 'cpuUsPerRequest').toFixed(1)} µs`,
    rounds: ratiosOf(open, measured, 'cpuUsPerRequest'),
    isProcessorTime: true,
    unit: '×',
    ...bounds,
  });
  return [
    compare(NAMES.bearer, ways.bearer, { gate: { atLeast: 0.9 }, goal: { atLeast: 0.97 } }),
    compare(NAMES.session, ways.session, { gate: { atLeast: 0.85 }, goal: { atLeast: 0.93 } }),
    compare(NAMES.basic, ways.basic, {}),
    compare(NAMES.certificate, ways.certificate, { gate: { atLeast: 0.95 }, goal: { atLeast: 0.99 } }),
  ];
}
