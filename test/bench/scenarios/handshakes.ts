import { getClientCertificate } from '../../support/certificate-authority.ts';
import { startBareServer } from '../bare-server.ts';
import type { Server } from '../load.ts';
import { GATEWAY } from '../measured.ts';
import { clientAuthPort, formatGet, OPERATOR, startPlant } from '../plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Measurement, Scenario } from '../scenario.ts';
import { divideRounds, measureInTurn, median } from '../statistics.ts';

const LIMITS = { atLeast: 12, atMost: 48 };
const PATH = '/services/session/v1/authenticationInfo';

/** Full and resumed handshakes with client certificates, beside a bare server that asks for them as well. */
export const handshakes: Scenario = {
  name: 'handshakes',
  measures: [...GATEWAY, 'daemon/security/certificate'],
  async run(bench) {
    const gateway = await startPlant(bench, { drivers: [], assets: [] });
    const answers = { [PATH]: { headers: {}, body: '{}' } };
    const bare = await startBareServer(bench, gateway, { answers, asksForCertificates: true });
    const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
    const load = await bench.startLoad();
    const durationMs = bench.choose({ full: 300, quick: 180 });
    const request = formatGet(PATH);
    const measure = (server: Server, port: number, isResumed: boolean) => () =>
      load.handshake(server, { port, certificate, privateKey }, { request, isResumed, durationMs });
    const measurements = {
      full: measure(gateway.process, clientAuthPort(gateway), false),
      bareFull: measure(bare, bare.port, false),
      resumed: measure(gateway.process, clientAuthPort(gateway), true),
      bareResumed: measure(bare, bare.port, true),
    };
    await measureInTurn(1, measurements);
    return measureUntilDecided(bench, LIMITS, measurements, ({ full, bareFull, resumed, bareResumed }) => [
      compare('full handshake: CPU ÷ bare server', [full, bareFull], {
        gate: { atMost: 1.1 },
        goal: { atMost: 1 },
      }),
      compare('resumed handshake: CPU ÷ resumed one of the bare server', [resumed, bareResumed], {
        gate: { atMost: 1.15 },
        goal: { atMost: 1 },
      }),
      compare('resumed handshake: CPU ÷ full', [resumed, full], {}),
    ]);
  },
  async prepare(bench) {
    const gateway = await startPlant(bench, { drivers: [], assets: [] });
    const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
    const load = await bench.startLoad();
    const client = { port: clientAuthPort(gateway), certificate, privateKey };
    const durationMs = bench.choose({ full: 350, quick: 180 });
    const measurements = [false, true].map((isResumed): Measurement => async () => {
      const way = { request: formatGet(PATH), isResumed, durationMs };
      const { cpuUs } = await load.handshake(gateway.process, client, way);
      return [
        {
          name: `${isResumed ? 'resumed' : 'full'} handshake: CPU`,
          value: cpuUs,
          unit: 'µs',
          better: 'LESS',
        },
      ];
    });
    for (const measure of measurements) await measure();
    return measurements;
  },
};

interface Handshakes {
  readonly cpuUs: number;
}

function compare(
  name: string,
  [measured, floor]: readonly [measured: readonly Handshakes[], floor: readonly Handshakes[]],
  bounds: Pick<Line, 'gate' | 'goal'>,
): Line {
  const [own, other] = [measured, floor].map((rounds) => rounds.map(({ cpuUs }) => cpuUs));
  return {
    row: 14,
    name,
    value: `${median(own ?? []).toFixed(0)} µs`,
    floor: `${median(other ?? []).toFixed(0)} µs`,
    rounds: divideRounds(own ?? [], other ?? []),
    isProcessorTime: true,
    unit: '×',
    ...bounds,
  };
}
