import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { startDevice } from '../device.ts';
import {
  createChannels,
  createDriver,
  formatGet,
  httpsPort,
  openSession,
  readPath,
  sequence,
  startPlant,
} from '../plant.ts';
import type { Line, Scenario } from '../scenario.ts';
import { divideRounds } from '../statistics.ts';

const CLIENTS = 100;
const SLOW_ANSWER_MS = 150;

/** The cost for the device of many clients that ask for the same values. */
export const sharing: Scenario = {
  name: 'sharing',
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const slowDevice = await startDevice(bench, { answerDelayMs: SLOW_ANSWER_MS, silentUnits: [] });
    const channels = createChannels(sequence(10));
    const gateway = await startPlant(bench, {
      drivers: [createDriver('line', device.port), createDriver('slowLine', slowDevice.port)],
      assets: [
        { pid: 'ten', driver: 'line', channels },
        { pid: 'slow', driver: 'slowLine', channels },
      ],
    });
    const session = await openSession(gateway);
    const load = await bench.startLoad();
    const open = (pid: string) =>
      load.open(bench, {
        port: httpsPort(gateway),
        requests: [formatGet(readPath(pid), session)],
        count: CLIENTS,
      });
    const slow = await open('slow');
    const fast = await open('ten');
    // The first round also opens the link to the device.
    await load.run(gateway.process, 0, slow);
    await slowDevice.count();
    const rounds: number[] = [];
    for (let repetition = 0; repetition < bench.choose({ full: 7, quick: 3 }); repetition += 1) {
      await load.run(gateway.process, 0, slow);
      rounds.push((await slowDevice.count()).requests);
    }
    await load.run(gateway.process, 300, fast);
    const requests: number[] = [];
    const deviceRequests: number[] = [];
    for (let round = 0; round < bench.choose({ full: 8, quick: 4 }); round += 1) {
      await device.countRequests();
      const measured = await load.run(gateway.process, bench.choose({ full: 500, quick: 250 }), fast);
      requests.push(measured.requests);
      deviceRequests.push(await device.countRequests());
    }
    return compare(rounds, deviceRequests, requests);
  },
};

function compare(
  rounds: readonly number[],
  deviceRequests: readonly number[],
  requests: readonly number[],
): readonly Line[] {
  return [
    {
      row: 5,
      name: `${CLIENTS} equal reads at once, slow device: rounds`,
      value: `${Math.min(...rounds)} to ${Math.max(...rounds)}`,
      rounds,
      isUntimed: true,
      unit: 'rounds',
      gate: { atMost: 2 },
      goal: { atMost: 1 },
    },
    {
      row: 6,
      name: `${CLIENTS} clients in a loop: device ÷ HTTP requests`,
      value: String(sum(deviceRequests)),
      floor: String(sum(requests)),
      rounds: divideRounds(deviceRequests, requests),
      isUntimed: true,
      unit: '×',
      gate: { atMost: 0.04 },
      goal: { atMost: 0.02 },
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
