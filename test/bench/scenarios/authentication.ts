import { getClientCertificate } from '../../support/certificate-authority.ts';
import type { Bench } from '../bench.ts';
import { medianOf, medianRatio } from '../load.ts';
import type { Measured } from '../load.ts';
import { clientAuthPort, formatGet, httpsPort, openSession, OPERATOR, startPlant } from '../plant.ts';
import type { Line, Scenario } from '../scenario.ts';
import { measureInTurn } from '../statistics.ts';

const CONNECTIONS = 10;
const OPEN_PATH = '/services/session/v1/authenticationInfo';
const CLOSED_PATH = '/services/session/v1/currentIdentity';

/** Each way to authenticate, beside an endpoint of the same size that wants none. */
export const authentication: Scenario = {
  name: 'authentication',
  async run(bench) {
    const gateway = await startPlant(bench, { drivers: [], assets: [] });
    const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
    const pair = Buffer.from(`${OPERATOR.name}:${OPERATOR.password}`).toString('base64');
    const plain = { port: httpsPort(gateway) };
    const load = await bench.startLoad();
    const prepare = async (
      client: { port: number; certificate?: string; privateKey?: string },
      request: string,
    ): Promise<() => Promise<Measured>> => {
      const clients = await load.open(bench, { ...client, requests: [request], count: CONNECTIONS });
      await load.run(gateway.process, bench.choose({ full: 1500, quick: 300 }), clients);
      const durationMs = bench.choose({ full: 160, quick: 120 });
      return () => load.run(gateway.process, durationMs, clients);
    };
    const results = await measureInTurn(rounds(bench), {
      open: await prepare(plain, formatGet(OPEN_PATH)),
      session: await prepare(plain, formatGet(CLOSED_PATH, await openSession(gateway))),
      basic: await prepare(plain, formatGet(CLOSED_PATH, { Authorization: `Basic ${pair}` })),
      certificate: await prepare(
        { port: clientAuthPort(gateway), certificate, privateKey },
        formatGet(CLOSED_PATH),
      ),
    });
    const compare = (
      name: string,
      measured: readonly Measured[],
      bounds: Pick<Line, 'gate' | 'goal'>,
    ): Line => ({
      row: 11,
      name: `${name}: rate ÷ without authentication`,
      value: `${medianOf(measured, 'cpuUsPerRequest').toFixed(1)} µs`,
      floor: `${medianOf(results.open, 'cpuUsPerRequest').toFixed(1)} µs`,
      figure: medianRatio(results.open, measured, 'cpuUsPerRequest'),
      unit: '×',
      ...bounds,
    });
    return [
      compare('session', results.session, { gate: { atLeast: 0.8 }, goal: { atLeast: 0.9 } }),
      compare('BASIC, known', results.basic, {}),
      compare('certificate of the connection', results.certificate, {
        gate: { atLeast: 0.9 },
        goal: { atLeast: 0.95 },
      }),
    ];
  },
};

function rounds(bench: Bench): number {
  return bench.choose({ full: 21, quick: 4 });
}
