import path from 'node:path';

import { send } from '../../support/https-client.ts';
import { NAMESPACE } from '../../support/opcua-server-nodes.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { ASSETS } from '../measured.ts';
import { formatGet, httpsPort, openSession, readPath, sequence, startPlant } from '../plant.ts';
import { pin } from '../process-usage.ts';
import { startRemote } from '../remote.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { divideRounds, median } from '../statistics.ts';

const NODES = 1000;
const LIMITS = { atLeast: 9, atMost: 30 };

/** One client that reads many nodes of a server through the gateway, beside a loop on the same library. */
export const opcuaReads: Scenario = {
  name: 'opcua-reads',
  measures: [...ASSETS, 'drivers/opcua'],
  async run(bench) {
    const directory = createTemporaryDirectory(bench);
    const server = await startOpcuaServer({ directory: path.join(directory, 'server'), bulkNodes: NODES });
    bench.after(() => server.kill());
    const { endpointUrl } = server;
    const nodeIds = sequence(NODES).map((index) => `s=bulk.${index}`);
    const channels = nodeIds.map((identifier, index) => ({
      name: `node${index}`,
      type: 'READ',
      valueType: 'INTEGER',
      address: { nodeId: `nsu=${NAMESPACE};${identifier}` },
    }));
    const gateway = await startPlant(bench, {
      drivers: [{ pid: 'plc', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
      assets: [{ pid: 'nodes', driver: 'plc', channels }],
    });
    const session = await openSession(gateway);
    const read = () => send({ port: httpsPort(gateway) }, 'GET', readPath('nodes'), { headers: session });
    await read();
    await server.countRequests();
    const answer = await read();
    bench.tally.requests += 1;
    if (answer.status !== 200 || answer.text.includes('FAILURE')) bench.tally.failures += 1;
    const { ReadRequest: requests = 0 } = await server.countRequests();

    const load = await bench.startLoad();
    const clients = await load.open(bench, {
      port: httpsPort(gateway),
      requests: [formatGet(readPath('nodes'), session)],
      count: 1,
    });
    const loop = await startRemote(bench, 'opcua-loop-process.ts');
    pin(loop.pid, 'server');
    await loop.call('connect', { endpointUrl, directory: path.join(directory, 'loop') });
    const durationMs = bench.choose({ full: 700, quick: 300 });
    // The server has its own namespace before that of the nodes.
    const direct = { nodeIds: nodeIds.map((identifier) => `ns=2;${identifier}`), durationMs };
    await load.run(gateway.process, durationMs, clients);
    await loop.call('readNodes', direct);
    const measurements = {
      own: async () => (await load.run(gateway.process, durationMs, clients)).p50Us,
      library: () => loop.call<number>('readNodes', direct),
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ own, library }) => [
      {
        row: 10,
        name: `OPC UA requests per read, ${NODES} nodes`,
        value: String(requests),
        floor: '1',
        rounds: [requests],
        isUntimed: true,
        unit: '×',
        gate: { atMost: 1 },
        goal: { atMost: 1 },
      },
      {
        row: 10,
        name: `one client, ${NODES} OPC UA nodes: p50 ÷ loop on the same library`,
        value: `${median(own).toFixed(0)} µs`,
        floor: `${median(library).toFixed(0)} µs`,
        rounds: divideRounds(own, library),
        unit: '×',
        gate: { atMost: 1.4 },
        goal: { atMost: 1.1 },
      },
    ]);
  },
};
