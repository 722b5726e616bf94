import { getClientCertificate } from '../../support/certificate-authority.ts';
import { startBareServer } from '../bare-server.ts';
import type { Server } from '../load.ts';
import { clientAuthPort, formatGet, OPERATOR, startPlant } from '../plant.ts';
import type { Scenario } from '../scenario.ts';
import { measureInTurn, median } from '../statistics.ts';

const PATH = '/services/session/v1/authenticationInfo';

/** Full and resumed handshakes with client certificates, beside a bare server that asks for them as well. */
export const handshakes: Scenario = {
  name: 'handshakes',
  async run(bench) {
    const gateway = await startPlant(bench, { drivers: [], assets: [] });
    const answers = { [PATH]: { headers: {}, body: '{}' } };
    const bare = await startBareServer(bench, gateway, { answers, asksForCertificates: true });
    const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
    const load = await bench.startLoad();
    const durationMs = bench.choose({ full: 350, quick: 180 });
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
    const results = await measureInTurn(bench.choose({ full: 15, quick: 3 }), measurements);
    const cpuUs = (name: keyof typeof measurements): number =>
      median(results[name].map((round) => round.cpuUs));
    const ratio = (name: keyof typeof measurements, floor: keyof typeof measurements): number =>
      median(results[name].map((round, index) => round.cpuUs / (results[floor][index]?.cpuUs ?? Number.NaN)));
    return [
      {
        row: 14,
        name: 'full handshake: CPU ÷ bare server',
        value: `${cpuUs('full').toFixed(0)} µs`,
        floor: `${cpuUs('bareFull').toFixed(0)} µs`,
        figure: ratio('full', 'bareFull'),
        unit: '×',
        gate: { atMost: 1.1 },
        goal: { atMost: 1 },
      },
      {
        row: 14,
        name: 'resumed handshake: CPU ÷ full',
        value: `${cpuUs('resumed').toFixed(0)} µs`,
        floor: `${cpuUs('full').toFixed(0)} µs`,
        figure: ratio('resumed', 'full'),
        unit: '×',
        gate: { atMost: 0.6 },
        goal: { atMost: 0.5 },
      },
      {
        row: 14,
        name: 'resumed handshake: CPU ÷ resumed one of the bare server',
        value: `${cpuUs('resumed').toFixed(0)} µs`,
        floor: `${cpuUs('bareResumed').toFixed(0)} µs`,
        figure: ratio('resumed', 'bareResumed'),
        unit: '×',
      },
    ];
  },
};
