import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import type { Bench } from '../bench.ts';
import { startDevice } from '../device.ts';
import type { Load, OpenedClients } from '../load.ts';
import { READS } from '../measured.ts';
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
const ROUNDS = `${CLIENTS} equal reads at once, slow device: rounds`;
const SHARE = `${CLIENTS} clients in a loop: device ÷ HTTP requests`;

/** The cost for the device of many clients that ask for the same values. */
export const sharing: Scenario = {
  name: 'sharing',
  measures: READS,
  async run(bench) {
    const crowd = await startCrowd(bench);
    const rounds: number[] = [];
    for (let repetition = 0; repetition < bench.choose({ full: 7, quick: 3 }); repetition += 1)
      rounds.push(await countSlowRounds(crowd));
    const requests: number[] = [];
    const deviceRequests: number[] = [];
    for (let round = 0; round < bench.choose({ full: 8, quick: 4 }); round += 1) {
      const counted = await countLoop(bench, crowd);
      requests.push(counted.requests);
      deviceRequests.push(counted.deviceRequests);
    }
    return compare(rounds, deviceRequests, requests);
  },
  async prepare(bench) {
    const crowd = await startCrowd(bench);
    return [
      async () => [{ name: ROUNDS, value: await countSlowRounds(crowd), unit: 'rounds', better: 'LESS' }],
      async () => {
        const { requests, deviceRequests } = await countLoop(bench, crowd);
        return [{ name: SHARE, value: deviceRequests / requests, unit: '×', better: 'LESS' }];
      },
    ];
  },
};

/** Clients that all read the same asset: one of a slow device, or one of a fast device. */
interface Crowd {
  readonly gateway: RunningGateway;
  readonly load: Load;
  readonly device: ModbusProcess;
  readonly slowDevice: Awaited<ReturnType<typeof startDevice>>;
  readonly slow: OpenedClients;
  readonly fast: OpenedClients;
}

async function startCrowd(bench: Bench): Promise<Crowd> {
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
  await load.run(gateway.process, 300, fast);
  return { gateway, load, device, slowDevice, slow, fast };
}

/** Returns the rounds of the slow device that one request of each client takes. */
async function countSlowRounds({ gateway, load, slowDevice, slow }: Crowd): Promise<number> {
  await slowDevice.count();
  await load.run(gateway.process, 0, slow);
  return (await slowDevice.count()).requests;
}

/** Counts the requests of clients in a loop, and those that the device gets. */
async function countLoop(
  bench: Bench,
  { gateway, load, device, fast }: Crowd,
): Promise<{ readonly requests: number; readonly deviceRequests: number }> {
  await device.countRequests();
  const { requests } = await load.run(gateway.process, bench.choose({ full: 500, quick: 250 }), fast);
  return { requests, deviceRequests: await device.countRequests() };
}

function compare(
  rounds: readonly number[],
  deviceRequests: readonly number[],
  requests: readonly number[],
): readonly Line[] {
  return [
    {
      row: 5,
      name: ROUNDS,
      value: `${Math.min(...rounds)} to ${Math.max(...rounds)}`,
      rounds,
      isUntimed: true,
      unit: 'rounds',
      gate: { atMost: 2 },
      goal: { atMost: 1 },
    },
    {
      row: 6,
      name: SHARE,
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
