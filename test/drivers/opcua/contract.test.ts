import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';

testDriver('opcua', async (): Promise<DriverBench<OpcuaAddress>> => {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
  const server = await startOpcuaServer({ directory });
  const cable = await layTcpCable(server.port);
  return {
    createDriver: () =>
      createOpcuaDriver(
        { endpointUrl: `opc.tcp://127.0.0.1:${cable.port}`, keepAliveMs: 1000 },
        { dataDirectory: path.join(directory, 'gateway') },
      ),
    channels: [
      { channel: createOpcuaChannel('int64', 'LONG'), value: 9_007_199_254_740_993n },
      { channel: createOpcuaChannel('string', 'STRING'), value: 'Kessel' },
      { channel: createOpcuaChannel('double', 'DOUBLE'), value: 0.1 },
    ],
    refused: createOpcuaChannel('nothing', 'DOUBLE'),
    writable: createOpcuaChannel('writable.int32', 'INTEGER'),
    values: [17, -4],
    unplug: () => cable.pull(),
    plug: () => cable.mend(),
    silence: () => cable.hold(),
    wake: () => cable.release(),
    async [Symbol.asyncDispose]() {
      await cable[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
